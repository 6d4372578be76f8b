// The common list extensions: slice, flatten, sort, sortBy, range, reverse, distinct.
// Upstream: github.com/google/cel-go v0.26 ext/lists.go (version 3).
import {
  slicePrice,
  flattenPrice,
  sortPrice,
  sortByKeysPrice,
  rangePrice,
  reversePrice,
  distinctPrice,
} from "./list-prices.ts";
import type { Expr } from "../ast/ast.ts";
import { type Implementation, member, overload, priced } from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { ident, memberCall } from "../ast/build-expr.ts";
import { bindValue, foldList } from "../parser/fold.ts";
import { loopVariable, type Macro } from "../parser/macros.ts";
import {
  comparableTypes,
  dynType,
  formatType,
  intType,
  listType,
  paramType,
} from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { compareValues, equalValues } from "../values/equality.ts";
import { CelList, ValueList } from "../values/list.ts";
import { type CelInt, type CelValue, typeOfValue } from "../values/value.ts";

const t = paramType("T");
const listT = listType(t);

const slice: Implementation = (list, start, end) => {
  const items = list as CelList;
  const from = start as CelInt;
  const to = end as CelInt;
  if (from < 0 || to < 0)
    throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    throw new CelError(
      `cannot slice(${from}, ${to}), start index must be less than or equal to end index`,
    );
  if (items.size < to)
    throw new CelError(`cannot slice(${from}, ${to}), list is length ${items.size}`);
  return new ValueList([...items].slice(Number(from), Number(to)));
};

function flattenTo(list: CelList, depth: number): CelValue[] {
  return [...list].flatMap((item) =>
    depth > 0 && item instanceof CelList ? flattenTo(item, depth - 1) : [item],
  );
}

/**
 * Checks types itself: a list of dynamic type may turn out to be flat already.
 */
const flatten: Implementation = (list, depth) => {
  if (!(list instanceof CelList))
    throw noSuchOverload(
      `${typeText(list!)}.flatten(${depth === undefined ? "" : typeText(depth)})`,
    );
  // Upstream fails while it counts the cost (k8s.io/apiserver pkg/cel/library/cost.go).
  if (depth !== undefined && !isInt(depth))
    throw new CelError(
      `internal error: interface conversion: ref.Val is types.${goNameOf(depth)}, not types.Int`,
    );
  if (depth !== undefined && depth < 0) throw new CelError("level must be non-negative");
  return new ValueList(flattenTo(list, Number(depth ?? 1)));
};

const isInt = (value: CelValue): value is CelInt =>
  typeof value === "number" || typeof value === "bigint";
/** The Go type of a value, e.g. `String`; close for types of libraries. */
const goNameOf = (value: CelValue): string =>
  typeOfValue(value).name.replace(/^./, (letter) => letter.toUpperCase());
const typeText = (value: CelValue): string => formatType(typeOfValue(value));

const sortByKeys: Implementation = (list, keys) => {
  const items = [...(list as CelList)];
  const ranks = [...(keys as CelList)];
  if (items.length !== ranks.length)
    throw new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${items.length} and ${ranks.length} elements respectively`,
    );
  if (items.length === 0) return list!;
  const { name } = typeOfValue(ranks[0]!);
  if (!comparableTypes.some((type) => type.name === name))
    throw new CelError("list elements must be comparable");
  if (ranks.some((rank) => typeOfValue(rank).name !== name))
    throw new CelError("list elements must have the same type");
  const order = items.map((_, i) => i).sort((x, y) => compareValues(ranks[x]!, ranks[y]!));
  return new ValueList(order.map((i) => items[i]!));
};

const sort: Implementation = (list) => sortByKeys(list!, list!);

const range: Implementation = (count) =>
  new ValueList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => i));
const reverse: Implementation = (list) => new ValueList([...(list as CelList)].reverse());

const distinct: Implementation = (list) => {
  const kept: CelValue[] = [];
  for (const item of list as CelList)
    if (!kept.some((known) => equalValues(item, known))) kept.push(item);
  return new ValueList(kept);
};

const sortedKinds: ReadonlySet<Expr["kind"]> = new Set<Expr["kind"]>([
  "list",
  "select",
  "ident",
  "comprehension",
  "call",
]);
const inputName = "@__sortBy_input__";

/**
 * Names the list, so that it is computed once, maps it to its keys, and sorts it by them.
 */
const sortBy: Macro = (at, target, args) => {
  if (!sortedKinds.has(target!.kind))
    return {
      at: target!.at,
      message:
        "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    };
  const variable = loopVariable(args[0]!, "argument is not an identifier");
  if (typeof variable !== "string") return variable;
  const keys = foldList({ at, range: ident(at, inputName), variable }, args[1]!);
  const sorted = memberCall(at, "@sortByAssociatedKeys", ident(at, inputName), keys);
  return bindValue(at, inputName, target!, sorted);
};

/** List extensions, version 3. */
export const listExtensions: Library = {
  name: "lists",
  functions: [
    {
      name: "slice",
      overloads: [
        priced(slicePrice, member("list_slice", [listT, intType, intType], listT, slice)),
      ],
    },
    {
      name: "flatten",
      overloads: [
        priced(flattenPrice, member("list_flatten", [listType(listT)], listT, flatten)),
        priced(
          flattenPrice,
          member("list_flatten_int", [listType(dynType), intType], listType(dynType), flatten),
        ),
      ],
      dynamic: flatten,
    },
    {
      name: "sort",
      overloads: comparableTypes.map((type) =>
        priced(
          sortPrice(type),
          member(`list_${type.name}_sort`, [listType(type)], listType(type), sort),
        ),
      ),
      dynamic: sort,
    },
    {
      name: "@sortByAssociatedKeys",
      overloads: comparableTypes.map((type) =>
        priced(
          sortByKeysPrice(type),
          member(
            `list_${type.name}_sortByAssociatedKeys`,
            [listT, listType(type)],
            listT,
            sortByKeys,
          ),
        ),
      ),
      dynamic: sortByKeys,
    },
    {
      name: "lists.range",
      overloads: [priced(rangePrice, overload("lists_range", [intType], listType(intType), range))],
    },
    {
      name: "reverse",
      overloads: [priced(reversePrice, member("list_reverse", [listT], listT, reverse))],
    },
    {
      name: "distinct",
      overloads: [priced(distinctPrice, member("list_distinct", [listT], listT, distinct))],
    },
  ],
  macros: new Map([[".sortBy/2", sortBy]]),
};
