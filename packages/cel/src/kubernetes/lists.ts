// Kubernetes' functions on lists: isSorted, sum, min, max, indexOf, lastIndexOf.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/lists.go.
import { itemPass } from "../cost/prices.ts";
import {
  type Implementation,
  member,
  type Overload,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import {
  boolType,
  comparableTypes,
  doubleType,
  durationType,
  intType,
  listType,
  paramType,
  type Type,
  uintType,
} from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { Duration } from "../values/duration.ts";
import { compareValues, equalValues } from "../values/equality.ts";
import type { CelList } from "../values/list.ts";
import { Uint } from "../values/uint.ts";
import type { CelValue } from "../values/value.ts";
import { add } from "../stdlib/arithmetic.ts";

const summable: readonly (readonly [string, Type, CelValue])[] = [
  ["int", intType, 0],
  ["uint", uintType, new Uint(0n)],
  ["double", doubleType, new Double(0)],
  ["duration", durationType, new Duration(0n)],
];

const isSorted: Implementation = (list) => {
  let previous: CelValue | undefined;
  for (const item of list as CelList) {
    if (previous !== undefined && compareValues(previous, item) > 0) return false;
    previous = item;
  }
  return true;
};

const sumFrom =
  (zero: CelValue): Implementation =>
  (list) => {
    let total = zero;
    for (const item of list as CelList) total = add(total, item);
    return total;
  };

const extreme =
  (name: string, wanted: number): Implementation =>
  (list) => {
    let best: CelValue | undefined;
    for (const item of list as CelList)
      if (best === undefined || compareValues(best, item) === wanted) best = item;
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    return best;
  };

const a = paramType("A");

const indexOf: Implementation = (list, item) => {
  const items = list as CelList;
  for (let i = 0; i < items.size; i++) if (equalValues(items.at(i), item!)) return i;
  return -1;
};

const lastIndexOf: Implementation = (list, item) => {
  const items = list as CelList;
  for (let i = items.size - 1; i >= 0; i--) if (equalValues(items.at(i), item!)) return i;
  return -1;
};

const each = (make: (name: string, type: Type) => Overload): readonly Overload[] =>
  comparableTypes.map((type) => make(type.kind, type));

/** Kubernetes' list functions. */
export const listLibrary: Library = {
  name: "kubernetes lists",
  functions: [
    pricedFunction(itemPass, {
      name: "isSorted",
      overloads: each((name, type) =>
        member(`list_${name}_is_sorted_bool`, [listType(type)], boolType, isSorted),
      ),
    }),
    pricedFunction(itemPass, {
      name: "sum",
      overloads: summable.map(([name, type, zero]) =>
        member(`list_${name}_sum_${name}`, [listType(type)], type, sumFrom(zero)),
      ),
    }),
    pricedFunction(itemPass, {
      name: "max",
      overloads: each((name, type) =>
        member(`list_${name}_max_${name}`, [listType(type)], type, extreme("max", -1)),
      ),
    }),
    pricedFunction(itemPass, {
      name: "min",
      overloads: each((name, type) =>
        member(`list_${name}_min_${name}`, [listType(type)], type, extreme("min", 1)),
      ),
    }),
    pricedFunction(itemPass, {
      name: "indexOf",
      overloads: [member("list_a_index_of_int", [listType(a), a], intType, indexOf)],
    }),
    pricedFunction(itemPass, {
      name: "lastIndexOf",
      overloads: [member("list_a_last_index_of_int", [listType(a), a], intType, lastIndexOf)],
    }),
  ],
};
