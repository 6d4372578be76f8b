// What fields of protobuf's messages accept: conversions of values to a field's type in Go, and
// their errors.
// Upstream: github.com/google/cel-go v0.26 common/types (each type's ConvertToNative),
// common/types/provider.go (msgSetField).
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  runtimeName,
  stringType,
  type Type,
  uintType,
} from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { Duration } from "../values/duration.ts";
import { CelList, ValueList } from "../values/list.ts";
import { CelMap, ValueMap } from "../values/map.ts";
import { Optional } from "../values/optional.ts";
import { Timestamp } from "../values/timestamp.ts";
import { TypeValue } from "../values/type-value.ts";
import { Uint } from "../values/uint.ts";
import { type CelInt, type CelValue, typeOfValue } from "../values/value.ts";
import { ProtobufMessage } from "./protobuf-message.ts";

const textToDyn = mapType(stringType, dynType);
const listOfDyn = listType(dynType);

/** Types of fields: what expressions see, and Go's name in messages. */
const kinds = {
  bool: { type: boolType, go: "bool" },
  bytes: { type: bytesType, go: "[]uint8" },
  double: { type: doubleType, go: "float64" },
  float: { type: doubleType, go: "float32" },
  int32: { type: intType, go: "int32" },
  int64: { type: intType, go: "int64" },
  uint32: { type: uintType, go: "uint32" },
  uint64: { type: uintType, go: "uint64" },
  string: { type: stringType, go: "string" },
  enum: { type: intType, go: "protoreflect.EnumNumber" },
  Value: { type: dynType, go: "*structpb.Value" },
  ListValue: { type: listOfDyn, go: "*structpb.ListValue" },
  Struct: { type: textToDyn, go: "*structpb.Struct" },
  "repeated Value": { type: listOfDyn, go: "" },
  "map of Value": { type: textToDyn, go: "" },
} as const satisfies Readonly<Record<string, { readonly type: Type; readonly go: string }>>;

/** The protobuf type of a field. */
export type FieldKind = keyof typeof kinds;

export const fieldType = (kind: FieldKind): Type => kinds[kind].type;

/** A field's value as the message keeps it. `path` is the field's full name. */
export function fieldValue(path: string, kind: FieldKind, value: CelValue): CelValue {
  if (kind === "repeated Value" && !(value instanceof CelList)) throw unsupportedField(path, value);
  if (kind === "map of Value" && !(value instanceof CelMap)) throw unsupportedField(path, value);
  try {
    return convert(kind, value);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new CelError(`field type conversion error for ${path} value type: ${error.message}`);
  }
}

const unsupportedField = (path: string, value: CelValue): CelError =>
  new CelError(`unsupported field type for ${path}: ${runtimeName(typeOfValue(value))}`);

function convert(kind: FieldKind, value: CelValue): CelValue {
  if (value instanceof Optional) return convert(kind, value.value);
  switch (kind) {
    case "Value":
      return toJsonValue(value);
    case "ListValue":
    case "repeated Value":
      if (value instanceof CelList) return listOfValues(value);
      break;
    case "Struct":
    case "map of Value":
      if (value instanceof CelMap) return mapOfValues(value);
      break;
    default: {
      const scalar = toScalar(kind, value);
      if (scalar !== undefined) return scalar;
    }
  }
  throw conversionError(value, kinds[kind].go);
}

const maxInt32 = 2 ** 31 - 1;
const maxUint32 = 2n ** 32n - 1n;

/** Undefined where Go has no conversion. */
function toScalar(kind: FieldKind, value: CelValue): CelValue | undefined {
  switch (kind) {
    case "bool":
      return typeof value === "boolean" ? value : undefined;
    case "string":
      return typeof value === "string" ? value : undefined;
    case "bytes":
      if (value instanceof CelList) return Uint8Array.from(value, toByte);
      return value instanceof Uint8Array ? value : undefined;
    case "double":
      return value instanceof Double ? value : undefined;
    case "float":
      return value instanceof Double ? new Double(Math.fround(value.value)) : undefined;
    case "uint32":
      return value instanceof Uint ? inUint(value, maxUint32) : undefined;
    case "uint64":
      return value instanceof Uint ? value : undefined;
    default:
      if (typeof value !== "number" && typeof value !== "bigint") return undefined;
      return kind === "int64" ? value : inInt32(value);
  }
}

function inInt32(value: CelInt): CelInt {
  if (value > maxInt32 || value < -maxInt32 - 1) throw new CelError("integer overflow");
  return value;
}

function inUint(value: Uint, max: bigint): Uint {
  if (value.value > max) throw new CelError("unsigned integer overflow");
  return value;
}

function toByte(value: CelValue): number {
  if (!(value instanceof Uint)) throw conversionError(value, "uint8");
  return Number(inUint(value, 255n).value);
}

/**
 * A value as google.protobuf.Value holds it and expressions read it again: numbers are doubles,
 * integers that a double cannot hold are texts.
 */
function toJsonValue(value: CelValue): CelValue {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return toJsonNumber(value);
  if (value instanceof Uint) return toJsonNumber(value.value);
  if (value instanceof Double) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Duration || value instanceof Timestamp) return value.format();
  if (value instanceof CelList) return listOfValues(value);
  if (value instanceof CelMap) return mapOfValues(value);
  if (value instanceof Optional) return toJsonValue(value.value);
  if (value instanceof ProtobufMessage) return new ValueMap([]);
  throw conversionError(value, kinds.Value.go);
}

const toJsonNumber = (value: CelInt): CelValue =>
  Number.isSafeInteger(Number(value)) ? new Double(Number(value)) : String(value);

const listOfValues = (list: CelList): ValueList => new ValueList(Array.from(list, toJsonValue));

const mapOfValues = (map: CelMap): ValueMap =>
  new ValueMap(
    map.keys().map((key) => [convert("string", key), toJsonValue(map.find(key)!)] as const),
  );

/** The error of a value that Go cannot convert; `go` is the type in Go. */
function conversionError(value: CelValue, go: string): CelError {
  if (typeof value === "number" || typeof value === "bigint")
    return new CelError(`unsupported type conversion from 'int' to ${go}`);
  if (value instanceof Uint)
    return new CelError(`unsupported type conversion from 'uint' to ${go}`);
  if (typeof value === "string")
    return new CelError(`unsupported native conversion from string to '${go}'`);
  if (value instanceof TypeValue) return new CelError("type conversion not supported for 'type'");
  return new CelError(`type conversion error from ${sourceName(value)} to '${go}'`);
}

/** How the errors of a value's type call it. */
function sourceName(value: CelValue): string {
  if (value === null) return "'null_type'";
  if (typeof value === "boolean") return "bool";
  if (value instanceof Uint8Array) return "Bytes";
  if (value instanceof Double) return "Double";
  if (value instanceof CelList) return "list";
  if (value instanceof CelMap) return "map";
  if (value instanceof ProtobufMessage) return "'*dynamicpb.Message'";
  const name = typeOfValue(value).name.split(".").at(-1)!;
  return `'${name === "NamedFormat" ? "Format" : name}'`;
}
