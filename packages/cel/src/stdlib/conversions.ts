// int(x), string(x) and the other conversions, and `type`.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go; ConvertToType of each type in
// common/types.
import { encodingPrice, decodingPrice } from "./prices.ts";
import { type Price } from "../cost/price.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  overload,
  priced,
} from "../functions/declarations.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  paramType,
  stringType,
  timestampType,
  type Type,
  typeOf,
  uintType,
} from "../types/type.ts";
import { CelError, conversionError } from "../values/cel-error.ts";
import { Double, formatDouble, parseFloat64 } from "../values/double.ts";
import { Duration, parseGoDuration } from "../values/duration.ts";
import { isInt, normalInt, parseInt64, toInt } from "../values/int.ts";
import { parseRfc3339, Timestamp, toTimestamp } from "../values/timestamp.ts";
import { TypeValue } from "../values/type-value.ts";
import { parseUint64, toUint, Uint } from "../values/uint.ts";
import { type CelValue, typeOfValue } from "../values/value.ts";

const fail = (value: CelValue, to: Type): CelError =>
  conversionError(typeOfValue(value).name, to.name);

const toInteger: Implementation = (value) => {
  if (isInt(value)) return value;
  if (value instanceof Double) return doubleToInt(value.value);
  if (value instanceof Uint) return toInt(value.value);
  if (value instanceof Duration) return normalInt(value.nanoseconds);
  if (value instanceof Timestamp) return value.seconds;
  const parsed = typeof value === "string" ? parseInt64(value) : undefined;
  if (parsed === undefined) throw fail(value!, intType);
  return parsed;
};

function doubleToInt(value: number): CelValue {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63)
    throw new CelError("integer overflow");
  return normalInt(BigInt(Math.trunc(value)));
}

const toUnsigned: Implementation = (value) => {
  if (value instanceof Uint) return value;
  if (isInt(value)) return toUint(BigInt(value));
  if (value instanceof Double) {
    if (!Number.isFinite(value.value) || value.value < 0 || value.value >= 2 ** 64)
      throw new CelError("unsigned integer overflow");
    return toUint(BigInt(Math.trunc(value.value)));
  }
  const parsed = typeof value === "string" ? parseUint64(value) : undefined;
  if (parsed === undefined) throw fail(value!, uintType);
  return parsed;
};

const toDouble: Implementation = (value) => {
  if (value instanceof Double) return value;
  if (isInt(value)) return new Double(Number(value));
  if (value instanceof Uint) return new Double(Number(value.value));
  const parsed = typeof value === "string" ? parseFloat64(value) : undefined;
  if (parsed === undefined) throw fail(value!, doubleType);
  return new Double(parsed);
};

const toText: Implementation = (value) => {
  if (typeof value === "string") return value;
  if (isInt(value) || typeof value === "boolean") return String(value);
  if (value instanceof Uint) return value.toString();
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Timestamp || value instanceof Duration) return value.format();
  if (value instanceof Uint8Array) return decodeUtf8(value);
  throw fail(value!, stringType);
};

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

const truths: Readonly<Record<string, boolean>> = {
  "1": true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

const toBool: Implementation = (value) => {
  if (typeof value === "boolean") return value;
  const truth =
    typeof value === "string" && Object.hasOwn(truths, value) ? truths[value] : undefined;
  if (truth === undefined) throw fail(value!, boolType);
  return truth;
};

const toBytes: Implementation = (value) => {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return new TextEncoder().encode(value);
  throw fail(value!, bytesType);
};

const asDuration: Implementation = (value) => {
  if (value instanceof Duration) return value;
  const parsed = typeof value === "string" ? parseGoDuration(value) : undefined;
  if (parsed === undefined) throw fail(value!, durationType);
  return new Duration(parsed);
};

const asTimestamp: Implementation = (value) => {
  if (value instanceof Timestamp) return value;
  if (isInt(value)) return toTimestamp(Number(value), 0, 0);
  const parsed = typeof value === "string" ? parseRfc3339(value) : undefined;
  if (parsed === undefined) throw fail(value!, timestampType);
  return toTimestamp(parsed.seconds, parsed.nanos, parsed.offset);
};

/** One conversion function; overload ids read `int64_to_string`. */
function conversion(
  name: string,
  to: Type,
  implementation: Implementation,
  sources: readonly (readonly [id: string, from: Type, price?: Price])[],
): FunctionDeclaration {
  const overloads = sources.map(([id, from, price]) => {
    const plain = overload(id, [from], to, implementation);
    return price ? priced(price, plain) : plain;
  });
  return { name, overloads, conversion: true };
}

const a = paramType("A");
const typeFunction: Implementation = (value) => new TypeValue(typeOfValue(value!));

/** The conversions. */
export const conversionFunctions: readonly FunctionDeclaration[] = [
  { name: "type", overloads: [overload("type", [a], typeOf(a), typeFunction)], conversion: true },
  conversion("bool", boolType, toBool, [
    ["bool_to_bool", boolType],
    ["string_to_bool", stringType],
  ]),
  conversion("bytes", bytesType, toBytes, [
    ["bytes_to_bytes", bytesType],
    ["string_to_bytes", stringType, encodingPrice],
  ]),
  conversion("double", doubleType, toDouble, [
    ["double_to_double", doubleType],
    ["int64_to_double", intType],
    ["string_to_double", stringType],
    ["uint64_to_double", uintType],
  ]),
  conversion("duration", durationType, asDuration, [
    ["duration_to_duration", durationType],
    ["int64_to_duration", intType],
    ["string_to_duration", stringType],
  ]),
  conversion("int", intType, toInteger, [
    ["int64_to_int64", intType],
    ["double_to_int64", doubleType],
    ["duration_to_int64", durationType],
    ["string_to_int64", stringType],
    ["timestamp_to_int64", timestampType],
    ["uint64_to_int64", uintType],
  ]),
  conversion("string", stringType, toText, [
    ["string_to_string", stringType],
    ["bool_to_string", boolType],
    ["bytes_to_string", bytesType, decodingPrice],
    ["double_to_string", doubleType],
    ["duration_to_string", durationType],
    ["int64_to_string", intType],
    ["timestamp_to_string", timestampType],
    ["uint64_to_string", uintType],
  ]),
  conversion("timestamp", timestampType, asTimestamp, [
    ["timestamp_to_timestamp", timestampType],
    ["int64_to_timestamp", intType],
    ["string_to_timestamp", stringType],
  ]),
  conversion("uint", uintType, toUnsigned, [
    ["uint64_to_uint64", uintType],
    ["double_to_uint64", doubleType],
    ["int64_to_uint64", intType],
    ["string_to_uint64", stringType],
  ]),
];
