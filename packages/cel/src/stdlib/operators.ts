// Arithmetic, comparison, logic, indexing, membership and size.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go,
// common/overloads/overloads.go.
import { listConcatenationPrice, membershipPrice, concatenationPrice } from "./prices.ts";
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
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  paramType,
  stringType,
  timestampType,
  type Type,
  uintType,
} from "../types/type.ts";
import { type CelError, noSuchOverload } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { Duration, toDuration } from "../values/duration.ts";
import { compareValues, equalValues } from "../values/equality.ts";
import {
  addInt,
  divideInt,
  isInt,
  moduloInt,
  multiplyInt,
  negateInt,
  subtractInt,
} from "../values/int.ts";
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { codePointLength } from "../values/text.ts";
import { Timestamp } from "../values/timestamp.ts";
import { divideUint, moduloUint, toUint, Uint } from "../values/uint.ts";
import { CelObject, type CelValue } from "../values/value.ts";

const a = paramType("A");
const b = paramType("B");
const listOfA = listType(a);
const mapOfAb = mapType(a, b);

/** Short names of types in overload ids. */
const names: readonly (readonly [Type, string])[] = [
  [boolType, "bool"],
  [bytesType, "bytes"],
  [doubleType, "double"],
  [durationType, "duration"],
  [intType, "int64"],
  [stringType, "string"],
  [timestampType, "timestamp"],
  [uintType, "uint64"],
];
const nameOf = new Map(names);

const add: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return addInt(x, y);
  if (typeof x === "string" && typeof y === "string") return x + y;
  if (x instanceof Double && y instanceof Double) return new Double(x.value + y.value);
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value + y.value);
  if (x instanceof CelList && y instanceof CelList) return x.concat(y);
  if (x instanceof Uint8Array && y instanceof Uint8Array) return Uint8Array.from([...x, ...y]);
  if (x instanceof Duration && y instanceof Duration)
    return toDuration(x.nanoseconds + y.nanoseconds);
  if (x instanceof Duration && y instanceof Timestamp) return y.plus(x);
  if (x instanceof Timestamp && y instanceof Duration) return x.plus(y);
  throw wrongOperand(
    x!,
    "_+_",
    (value) =>
      typeof value === "string" ||
      value instanceof CelList ||
      value instanceof Uint8Array ||
      isQuantitative(value),
  );
};

const subtract: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return subtractInt(x, y);
  if (x instanceof Double && y instanceof Double) return new Double(x.value - y.value);
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value - y.value);
  if (x instanceof Duration && y instanceof Duration)
    return toDuration(x.nanoseconds - y.nanoseconds);
  if (x instanceof Timestamp && y instanceof Duration) return x.plus(toDuration(-y.nanoseconds));
  if (x instanceof Timestamp && y instanceof Timestamp) return x.minus(y);
  throw wrongOperand(x!, "_-_", isQuantitative);
};

const multiply: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return multiplyInt(x, y);
  if (x instanceof Double && y instanceof Double) return new Double(x.value * y.value);
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value * y.value);
  throw wrongOperand(x!, "_*_", isNumeric);
};

const divide: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return divideInt(x, y);
  if (x instanceof Double && y instanceof Double) return new Double(x.value / y.value);
  if (x instanceof Uint && y instanceof Uint) return divideUint(x, y);
  throw wrongOperand(x!, "_/_", isNumeric);
};

const modulo: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return moduloInt(x, y);
  if (x instanceof Uint && y instanceof Uint) return moduloUint(x, y);
  throw wrongOperand(x!, "_%_", (value) => isInt(value) || value instanceof Uint);
};

const negate: Implementation = (x) => {
  if (isInt(x!)) return negateInt(x);
  if (x instanceof Double) return new Double(-x.value);
  if (x instanceof Duration) return toDuration(-x.nanoseconds);
  throw noSuchOverload();
};

const isNumeric = (value: CelValue): boolean =>
  isInt(value) || value instanceof Double || value instanceof Uint;
const isQuantitative = (value: CelValue): boolean =>
  isNumeric(value) || value instanceof Duration || value instanceof Timestamp;

/**
 * A receiver that has the operator reports the other operand; one that lacks it reports the
 * operator.
 */
const wrongOperand = (
  receiver: CelValue,
  operator: string,
  has: (value: CelValue) => boolean,
): CelError => (has(receiver) ? noSuchOverload() : noSuchOverload(operator));

interface Arithmetic {
  readonly name: string;
  /** Begins the ids of overloads, e.g. `add_int64`. */
  readonly verb: string;
  readonly implementation: Implementation;
  /** Types whose values combine to one of the same type. */
  readonly types: readonly Type[];
  readonly more?: readonly Overload[];
}

function arithmetic({ name, verb, implementation, types, more }: Arithmetic): FunctionDeclaration {
  const overloads = types.map((type) => {
    const same = overload(`${verb}_${nameOf.get(type)}`, [type, type], type, implementation);
    return isText(type) ? priced(concatenationPrice, same) : same;
  });
  return { name, overloads: [...overloads, ...(more ?? [])], dynamic: implementation };
}

const isText = (type: Type): boolean => type === stringType || type === bytesType;

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
  const numbers = [intType, uintType, doubleType];
  const same = [
    boolType,
    intType,
    uintType,
    doubleType,
    stringType,
    bytesType,
    timestampType,
    durationType,
  ].map((type) => {
    const same = overload(`${verb}_${nameOf.get(type)}`, [type, type], boolType, implementation);
    return isText(type) ? priced(comparisonPrice, same) : same;
  });
  const crossed = numbers.flatMap((x) =>
    numbers
      .filter((y) => y !== x)
      .map((y) =>
        overload(`${verb}_${nameOf.get(x)}_${nameOf.get(y)}`, [x, y], boolType, implementation),
      ),
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

const sizes = (
  [
    ["bytes", bytesType],
    ["list", listOfA],
    ["map", mapOfAb],
    ["string", stringType],
  ] as const
).flatMap(([name, type]) => [
  overload(`size_${name}`, [type], intType, size),
  member(`${name}_size`, [type], intType, size),
]);

const numberTypes = [doubleType, intType, uintType];

const sums = [
  overload("add_duration_duration", [durationType, durationType], durationType, add),
  overload("add_duration_timestamp", [durationType, timestampType], timestampType, add),
  overload("add_timestamp_duration", [timestampType, durationType], timestampType, add),
  priced(listConcatenationPrice, overload("add_list", [listOfA, listOfA], listOfA, add)),
];

const timeDifferences = [
  overload("subtract_duration_duration", [durationType, durationType], durationType, subtract),
  overload("subtract_timestamp_duration", [timestampType, durationType], timestampType, subtract),
  overload("subtract_timestamp_timestamp", [timestampType, timestampType], durationType, subtract),
];

/** The operators; the planner implements those without an implementation. */
export const operatorFunctions: readonly FunctionDeclaration[] = [
  { name: "_?_:_", overloads: [overload("conditional", [boolType, a, a], a)] },
  { name: "_&&_", overloads: [overload("logical_and", [boolType, boolType], boolType)] },
  { name: "_||_", overloads: [overload("logical_or", [boolType, boolType], boolType)] },
  { name: "!_", overloads: [overload("logical_not", [boolType], boolType, not)], dynamic: not },
  {
    name: "@not_strictly_false",
    overloads: [overload("not_strictly_false", [boolType], boolType)],
  },
  {
    name: "_==_",
    overloads: [overload("equals", [a, a], boolType, (x, y) => equalValues(x!, y!))],
  },
  {
    name: "_!=_",
    overloads: [
      priced(
        comparisonPrice,
        overload("not_equals", [a, a], boolType, (x, y) => !equalValues(x!, y!)),
      ),
    ],
  },
  arithmetic({
    name: "_+_",
    verb: "add",
    implementation: add,
    types: [bytesType, doubleType, intType, stringType, uintType],
    more: sums,
  }),
  arithmetic({
    name: "_-_",
    verb: "subtract",
    implementation: subtract,
    types: numberTypes,
    more: timeDifferences,
  }),
  arithmetic({ name: "_*_", verb: "multiply", implementation: multiply, types: numberTypes }),
  arithmetic({ name: "_/_", verb: "divide", implementation: divide, types: numberTypes }),
  arithmetic({ name: "_%_", verb: "modulo", implementation: modulo, types: [intType, uintType] }),
  {
    name: "-_",
    overloads: [
      overload("negate_double", [doubleType], doubleType, negate),
      overload("negate_int64", [intType], intType, negate),
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
      overload("index_list", [listOfA, intType], a),
      overload("index_map", [mapOfAb, a], b),
    ],
  },
  {
    name: "@in",
    overloads: [
      priced(membershipPrice, overload("in_list", [a, listOfA], boolType, contains)),
      overload("in_map", [a, mapOfAb], boolType, contains),
    ],
    dynamic: contains,
  },
  { name: "size", overloads: sizes, dynamic: size },
  {
    name: "dyn",
    overloads: [overload("to_dyn", [a], dynType, (value) => value!)],
    conversion: true,
  },
];

function not(value: CelValue | undefined): CelValue {
  if (typeof value !== "boolean") throw noSuchOverload();
  return !value;
}
