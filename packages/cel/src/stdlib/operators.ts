// The operators, and size: arithmetic, comparison, logic, indexing, membership.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go,
// common/overloads/overloads.go.
import * as prices from "./prices.ts";
import type { Price } from "../cost/price.ts";
import { comparisonPrice } from "../cost/prices.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  type Overload,
  priced,
} from "../functions/declarations.ts";
import {
  listType,
  mapType,
  paramType,
  type ScalarName,
  scalarNames,
  scalarTypes,
} from "../types/type.ts";
import { noSuchOverload } from "../values/cel-error.ts";
import { compareValues, equalValues } from "../values/equality.ts";
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { codePointLength } from "../values/text.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import { add, divide, isQuantitative, modulo, multiply, negate, subtract } from "./arithmetic.ts";

const a = paramType("A");
const b = paramType("B");
const listOfA = listType(a);
const mapOfAb = mapType(a, b);
const { bool, bytes, double, duration, int64, string, timestamp } = scalarTypes;

interface Calculation {
  readonly name: string;
  /** Begins the ids of overloads, e.g. `add_int64`. */
  readonly verb: string;
  readonly implementation: Implementation;
  /** Types whose values combine to one of the same type. */
  readonly types: readonly ScalarName[];
  readonly more?: readonly Overload[];
  /** Charged where the overload is known only from the values. */
  readonly price?: Price;
}

function calculation({ name, verb, types, ...rest }: Calculation): FunctionDeclaration {
  const { implementation, more = [], price = {} } = rest;
  const overloads = types.map((type) => {
    const scalar = scalarTypes[type];
    const same = overload(`${verb}_${type}`, [scalar, scalar], scalar, implementation);
    return isText(type) ? priced(prices.concatenationPrice, same) : same;
  });
  return { name, overloads: [...overloads, ...more], dynamic: implementation, price };
}

const isText = (type: ScalarName): boolean => type === "string" || type === "bytes";

const hasOrder = (value: CelValue): boolean =>
  typeof value === "boolean" ||
  typeof value === "string" ||
  value instanceof Uint8Array ||
  isQuantitative(value) ||
  (value instanceof CelObject && "compare" in value);

function comparison(
  name: string,
  verb: string,
  test: (order: number) => boolean,
): FunctionDeclaration {
  const implementation: Implementation = (x, y) => {
    if (typeof x === "number" && typeof y === "number") return test(x - y);
    if (!hasOrder(x!)) throw noSuchOverload(name);
    return test(compareValues(x!, y!));
  };
  const between = (x: ScalarName, y: ScalarName, id: string): Overload =>
    overload(`${verb}_${id}`, [scalarTypes[x], scalarTypes[y]], bool, implementation);
  const same = scalarNames.map((type) => {
    const plain = between(type, type, type);
    return isText(type) ? priced(comparisonPrice, plain) : plain;
  });
  const crossed = numberNames.flatMap((x) =>
    numberNames.filter((y) => y !== x).map((y) => between(x, y, `${x}_${y}`)),
  );
  return { name, overloads: [...same, ...crossed], dynamic: implementation };
}

const contains: Implementation = (item, container) => {
  if (container instanceof CelList) return container.contains(item!);
  if (container instanceof CelMap) return container.find(item!) !== undefined;
  throw noSuchOverload();
};

const size: Implementation = (value) => {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Uint8Array) return value.length;
  throw noSuchOverload("size");
};

const sizes = Object.entries({
  bytes,
  list: listOfA,
  map: mapOfAb,
  string,
}).flatMap(([name, type]) => [
  overload(`size_${name}`, [type], int64, size),
  member(`${name}_size`, [type], int64, size),
]);

const numberNames = ["double", "int64", "uint64"] as const;

const sums = [
  overload("add_duration_duration", [duration, duration], duration, add),
  overload("add_duration_timestamp", [duration, timestamp], timestamp, add),
  overload("add_timestamp_duration", [timestamp, duration], timestamp, add),
  priced(prices.listConcatenationPrice, overload("add_list", [listOfA, listOfA], listOfA, add)),
];

const timeDifferences = [
  overload("subtract_duration_duration", [duration, duration], duration, subtract),
  overload("subtract_timestamp_duration", [timestamp, duration], timestamp, subtract),
  overload("subtract_timestamp_timestamp", [timestamp, timestamp], duration, subtract),
];

/** The operators; the planner implements those without an implementation. */
export const operatorFunctions: readonly FunctionDeclaration[] = [
  { name: "_?_:_", overloads: [overload("conditional", [bool, a, a], a)] },
  { name: "_&&_", overloads: [overload("logical_and", [bool, bool], bool)] },
  { name: "_||_", overloads: [overload("logical_or", [bool, bool], bool)] },
  { name: "!_", overloads: [overload("logical_not", [bool], bool, not)], dynamic: not },
  {
    name: "@not_strictly_false",
    overloads: [overload("not_strictly_false", [bool], bool)],
  },
  {
    name: "_==_",
    overloads: [overload("equals", [a, a], bool, (x, y) => equalValues(x!, y!))],
  },
  {
    name: "_!=_",
    overloads: [
      priced(
        comparisonPrice,
        overload("not_equals", [a, a], bool, (x, y) => !equalValues(x!, y!)),
      ),
    ],
  },
  calculation({
    name: "_+_",
    verb: "add",
    implementation: add,
    types: ["bytes", "double", "int64", "string", "uint64"],
    more: sums,
    price: prices.additionPrice,
  }),
  calculation({
    name: "_-_",
    verb: "subtract",
    implementation: subtract,
    types: numberNames,
    more: timeDifferences,
  }),
  calculation({ name: "_*_", verb: "multiply", implementation: multiply, types: numberNames }),
  calculation({ name: "_/_", verb: "divide", implementation: divide, types: numberNames }),
  calculation({ name: "_%_", verb: "modulo", implementation: modulo, types: ["int64", "uint64"] }),
  {
    name: "-_",
    overloads: [
      overload("negate_double", [double], double, negate),
      overload("negate_int64", [int64], int64, negate),
    ],
    dynamic: negate,
  },
  comparison("_<_", "less", (order) => order < 0),
  comparison("_<=_", "less_equals", (order) => order <= 0),
  comparison("_>_", "greater", (order) => order > 0),
  comparison("_>=_", "greater_equals", (order) => order >= 0),
  {
    name: "_[_]",
    overloads: [
      overload("index_list", [listOfA, int64], a),
      overload("index_map", [mapOfAb, a], b),
    ],
  },
  {
    name: "@in",
    overloads: [
      priced(prices.membershipPrice, overload("in_list", [a, listOfA], bool, contains)),
      overload("in_map", [a, mapOfAb], bool, contains),
    ],
    dynamic: contains,
  },
  { name: "size", overloads: sizes, dynamic: size },
];

function not(value: CelValue | undefined): CelValue {
  if (typeof value !== "boolean") throw noSuchOverload();
  return !value;
}
