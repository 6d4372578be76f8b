// Values as Go's fmt prints them, because upstream's error messages do so: %v, %#v, %T and %s of decoded JSON.
// Upstream: fmt (print.go), strconv (ftoa.go).
import { compareBytewise, type Json } from "homeostat/api";
import { quoteGo } from "../registry/field-error.ts";

/** `%v`, e.g. `map[a:1 b:[x y]]`, `<nil>`. */
export function formatGoValue(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return formatGoFloat(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  const keys = Object.keys(value).sort(compareBytewise);
  return `map[${keys.map((key) => `${key}:${formatGoValue(value[key]!)}`).join(" ")}]`;
}

/** `%#v`, e.g. `map[string]interface {}{"a":1}`. */
export function formatGoSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return quoteGo(value);
  if (typeof value === "number") return formatGoFloat(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatGoSyntax).join(", ")}}`;
  const keys = Object.keys(value).sort(compareBytewise);
  return `map[string]interface {}{${keys.map((key) => `${quoteGo(key)}:${formatGoSyntax(value[key]!)}`).join(", ")}}`;
}

/** `%T`, e.g. `map[string]interface {}`. */
export function goTypeOf(value: Json): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    default:
      return value === null ? "<nil>" : Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
  }
}

/** `%s` of a value that may not be a string, e.g. `%!s(int64=5)`. */
export function formatGoString(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return `[${value.map(formatGoString).join(" ")}]`;
  if (typeof value === "object") {
    const keys = Object.keys(value).sort(compareBytewise);
    return `map[${keys.map((key) => `${key}:${formatGoString(value[key]!)}`).join(" ")}]`;
  }
  return `%!s(${goTypeOf(value)}=${formatGoValue(value)})`;
}

/** Integers as they are; other floats with an exponent below 1e-4 and from 1e6, of two digits at least. */
function formatGoFloat(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
