// int(x), string(x) and the other conversions, and `type`.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go; ConvertToType of each type in
// common/types.
import { encodingPrice, decodingPrice } from "./prices.ts";
import type { Price } from "../cost/price.ts";
import { type FunctionDeclaration, overload, priced } from "../functions/declarations.ts";
import { dynType, paramType, type ScalarName, scalarTypes, typeOf } from "../types/type.ts";
import { CelError, conversionError } from "../values/cel-error.ts";
import { Double, formatDouble, parseFloat64 } from "../values/double.ts";
import { Duration, parseGoDuration } from "../values/duration.ts";
import { isInt, normalInt, parseInt64, toInt } from "../values/int.ts";
import { parseRfc3339, Timestamp, toTimestamp } from "../values/timestamp.ts";
import { TypeValue } from "../values/type-value.ts";
import { parseUint64, toUint, Uint } from "../values/uint.ts";
import { type CelValue, typeOfValue } from "../values/value.ts";

/** Undefined where the value has no such conversion. Throws a CelError out of range. */
type Convert = (value: CelValue) => CelValue | undefined;

const toInteger: Convert = (value) => {
  if (isInt(value)) return value;
  if (value instanceof Double) return doubleToInt(value.value);
  if (value instanceof Uint) return toInt(value.value);
  if (value instanceof Duration) return normalInt(value.nanoseconds);
  if (value instanceof Timestamp) return value.seconds;
  return typeof value === "string" ? parseInt64(value) : undefined;
};

function doubleToInt(value: number): CelValue {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63)
    throw new CelError("integer overflow");
  return normalInt(BigInt(Math.trunc(value)));
}

const toUnsigned: Convert = (value) => {
  if (value instanceof Uint) return value;
  if (isInt(value)) return toUint(BigInt(value));
  if (value instanceof Double) return doubleToUint(value.value);
  return typeof value === "string" ? parseUint64(value) : undefined;
};

function doubleToUint(value: number): CelValue {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64)
    throw new CelError("unsigned integer overflow");
  return toUint(BigInt(Math.trunc(value)));
}

const toDouble: Convert = (value) => {
  if (value instanceof Double) return value;
  if (isInt(value)) return new Double(Number(value));
  if (value instanceof Uint) return new Double(Number(value.value));
  const parsed = typeof value === "string" ? parseFloat64(value) : undefined;
  return parsed === undefined ? undefined : new Double(parsed);
};

const toText: Convert = (value) => {
  if (typeof value === "string") return value;
  if (isInt(value) || typeof value === "boolean") return String(value);
  if (value instanceof Uint) return value.toString();
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Timestamp || value instanceof Duration) return value.format();
  return value instanceof Uint8Array ? decodeUtf8(value) : undefined;
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

const toBool: Convert = (value) => {
  if (typeof value === "boolean") return value;
  return typeof value === "string" && Object.hasOwn(truths, value) ? truths[value] : undefined;
};

const toBytes: Convert = (value) => {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? new TextEncoder().encode(value) : undefined;
};

const asDuration: Convert = (value) => {
  if (value instanceof Duration) return value;
  const parsed = typeof value === "string" ? parseGoDuration(value) : undefined;
  return parsed === undefined ? undefined : new Duration(parsed);
};

const asTimestamp: Convert = (value) => {
  if (value instanceof Timestamp) return value;
  if (isInt(value)) return toTimestamp(Number(value), 0, 0);
  const parsed = typeof value === "string" ? parseRfc3339(value) : undefined;
  return parsed && toTimestamp(parsed.seconds, parsed.nanos, parsed.offset);
};

/** The function that a type is called by, e.g. `int`, whose overload ids read `string_to_int64`. */
function conversion(
  name: ScalarName,
  convert: Convert,
  sources: readonly ScalarName[],
  prices: Partial<Readonly<Record<ScalarName, Price>>> = {},
): FunctionDeclaration {
  const to = scalarTypes[name];
  const implementation = (value: CelValue | undefined): CelValue => {
    const converted = convert(value!);
    if (converted === undefined) throw conversionError(typeOfValue(value!).name, to.name);
    return converted;
  };
  const overloads = sources.map((source) => {
    const price = prices[source];
    const plain = overload(`${source}_to_${name}`, [scalarTypes[source]], to, implementation);
    return price ? priced(price, plain) : plain;
  });
  return { name: to.kind, overloads, conversion: true };
}

const a = paramType("A");

/** The conversions. */
export const conversionFunctions: readonly FunctionDeclaration[] = [
  {
    name: "type",
    overloads: [overload("type", [a], typeOf(a), (value) => new TypeValue(typeOfValue(value!)))],
    conversion: true,
  },
  { name: "dyn", overloads: [overload("to_dyn", [a], dynType, (it) => it!)], conversion: true },
  conversion("bool", toBool, ["bool", "string"]),
  conversion("bytes", toBytes, ["bytes", "string"], { string: encodingPrice }),
  conversion("double", toDouble, ["double", "int64", "string", "uint64"]),
  conversion("duration", asDuration, ["duration", "int64", "string"]),
  conversion("int64", toInteger, ["int64", "double", "duration", "string", "timestamp", "uint64"]),
  conversion(
    "string",
    toText,
    ["string", "bool", "bytes", "double", "duration", "int64", "timestamp", "uint64"],
    { bytes: decodingPrice },
  ),
  conversion("timestamp", asTimestamp, ["timestamp", "int64", "string"]),
  conversion("uint64", toUnsigned, ["uint64", "double", "int64", "string"]),
];
