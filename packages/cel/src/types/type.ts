// CEL's types, of the checker and of values. Knows neither values nor functions.
// Upstream: github.com/google/cel-go v0.26 common/types/types.go, checker/format.go.

/**
 * `param` is a type variable of an overload; `error` stands in for an expression that was already
 * reported.
 */
export type TypeKind =
  | "dyn"
  | "bool"
  | "bytes"
  | "double"
  | "int"
  | "uint"
  | "string"
  | "null"
  | "duration"
  | "timestamp"
  | "list"
  | "map"
  | "struct"
  | "opaque"
  | "type"
  | "param"
  | "error";

/**
 * One type. `name` is the runtime name, e.g. `int`, `google.protobuf.Timestamp`, `net.IP`; it
 * identifies structs and opaque types.
 */
export interface Type {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly Type[];
  /** A scalar that null is assignable to: the type of protobuf's wrapper messages. */
  readonly nullable?: true;
}

const simple = (kind: TypeKind, name: string = kind): Type => ({ kind, name, params: [] });

export const dynType: Type = simple("dyn");
/** Like dyn, but not iterable. */
export const anyType: Type = simple("dyn", "google.protobuf.Any");
export const boolType: Type = simple("bool");
export const bytesType: Type = simple("bytes");
export const doubleType: Type = simple("double");
export const intType: Type = simple("int");
export const uintType: Type = simple("uint");
export const stringType: Type = simple("string");
export const nullType: Type = simple("null", "null_type");
export const durationType: Type = simple("duration", "google.protobuf.Duration");
export const timestampType: Type = simple("timestamp", "google.protobuf.Timestamp");
export const typeType: Type = simple("type");
export const errorType: Type = simple("error", "!error!");

export const listType = (element: Type): Type => ({
  kind: "list",
  name: "list",
  params: [element],
});
export const mapType = (key: Type, value: Type): Type => ({
  kind: "map",
  name: "map",
  params: [key, value],
});
export const nullableType = (wrapped: Type): Type => ({ ...wrapped, nullable: true });
export const typeOf = (type: Type): Type => ({ kind: "type", name: "type", params: [type] });
export const structType = (name: string): Type => ({ kind: "struct", name, params: [] });
export const opaqueType = (name: string, ...params: Type[]): Type => ({
  kind: "opaque",
  name,
  params,
});
export const optionalType = (value: Type): Type => opaqueType("optional_type", value);
export const paramType = (name: string): Type => ({ kind: "param", name, params: [] });

/** The types without parts, by their names in the ids of overloads: `int64_to_string`. */
export const scalarTypes = {
  int64: intType,
  uint64: uintType,
  double: doubleType,
  bool: boolType,
  duration: durationType,
  timestamp: timestampType,
  string: stringType,
  bytes: bytesType,
} as const satisfies Readonly<Record<string, Type>>;
export type ScalarName = keyof typeof scalarTypes;
export const scalarNames = Object.keys(scalarTypes) as readonly ScalarName[];

/** Types whose values have an order. */
export const comparableTypes: readonly Type[] = Object.values(scalarTypes);

/** Types that the standard library declares as values: `type(x) == int`. */
export const namedTypes: readonly Type[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(dynType),
  mapType(dynType, dynType),
  nullType,
  stringType,
  timestampType,
  typeOf(dynType),
  uintType,
];

/** The parameter of an optional, or undefined for any other type. */
export function unwrapOptional(type: Type): Type | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.params[0] : undefined;
}

/** Same kind, name and parameters. A nullable scalar is the same as the scalar. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((param, i) => sameType(param, b.params[i]!))
  );
}

/** A type as messages show it, e.g. `list(map(string, int))`, `timestamp`, `wrapper(int)`. */
export function formatType(type: Type): string {
  if (type === anyType) return "any";
  if (type.nullable) return `wrapper(${type.name})`;
  if (type.kind === "null" || type.kind === "duration" || type.kind === "timestamp")
    return type.kind;
  return type.params.length === 0
    ? type.name
    : `${type.name}(${type.params.map(formatType).join(", ")})`;
}

/**
 * A type under its runtime names, as Go's String shows it, e.g. `map(string, google.protobuf.Any)`,
 * `null_type`.
 */
export function runtimeName(type: Type): string {
  if (type.nullable) return `wrapper(${type.name})`;
  return type.params.length === 0
    ? type.name
    : `${type.name}(${type.params.map(runtimeName).join(", ")})`;
}

/** The arguments of a call as messages show them, e.g. `(int, string)` or `string.(int)`. */
export function formatArguments(types: readonly Type[], style: "global" | "member"): string {
  const shown = types.map(formatType);
  return style === "member"
    ? `${shown[0]}.(${shown.slice(1).join(", ")})`
    : `(${shown.join(", ")})`;
}
