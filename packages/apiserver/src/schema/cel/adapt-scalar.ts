// Converts strings, numbers and booleans to CEL values by their schema.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/valuesunstructured.go.
import type { Json } from "homeostat/api";
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  parseFormatDate,
  parseFormatDateTime,
  parseFormatDuration,
} from "@homeostat/cel";
import type { Adapt } from "./schema-values.ts";

/** The Go type of a JSON value. */
function goType(value: Json): string {
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "object")
    return Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
  return isInteger(value) ? "int64" : "float64";
}

const isInteger = (value: Json): value is number | bigint =>
  typeof value === "bigint" || Number.isSafeInteger(value);

/** Converts values that have the right JavaScript type already. */
export const adaptTyped =
  (type: "string" | "boolean", expected: string): Adapt =>
  (value) => {
    if (typeof value !== type)
      throw new CelError(`invalid data, expected ${expected}, got ${goType(value)}`);
    return value as CelValue;
  };

export const adaptInteger: Adapt = (value) => {
  if (isInteger(value)) return value;
  throw new CelError(`invalid data, expected int, got ${goType(value)}`);
};

export const adaptNumber: Adapt = (value) => {
  if (typeof value === "number" || typeof value === "bigint") return new Double(Number(value));
  throw new CelError(`invalid data, expected float, got ${goType(value)}`);
};

export const adaptIntOrString: Adapt = (value) => {
  if (typeof value === "string" || isInteger(value)) return value;
  throw new CelError("invalid data, expected XIntOrString value to be either a string or integer");
};

const plain = adaptTyped("string", "string");

const formats: Readonly<Record<string, (text: string) => CelValue | undefined>> = {
  duration: (text) => {
    const nanoseconds = parseFormatDuration(text);
    return nanoseconds === undefined ? undefined : new Duration(nanoseconds);
  },
  date: parseFormatDate,
  "date-time": parseFormatDateTime,
  byte: (text) =>
    /^[A-Za-z0-9+/\r\n]*={0,2}$/.test(text)
      ? Uint8Array.from(Buffer.from(text, "base64"))
      : undefined,
};

const formatErrors: Readonly<Record<string, string>> = {
  duration: "Invalid duration",
  date: "Invalid date formatted string",
  "date-time": "Invalid date-time formatted string",
  byte: "Invalid byte formatted string",
};

/** Converts strings by their format. */
export function adaptStringOf(format: string | undefined): Adapt {
  const parse =
    format === undefined || !Object.hasOwn(formats, format) ? undefined : formats[format];
  if (!parse) return plain;
  return (value) => {
    const text = plain(value) as string;
    const parsed = parse(text);
    if (parsed === undefined)
      throw new CelError(`${formatErrors[format!]} ${text}: unable to parse`);
    return parsed;
  };
}
