// JSON values as Go's fmt prints them with %v and %T: what accessor errors and selectable fields are made of.
// Upstream: Go's fmt and strconv packages.
import { compareBytewise, type Json } from "homeostat/api";

/** A float64 under %v, e.g. `1.5`, `1e+21`, `1e-05`. */
export function formatGoFloat(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return Object.is(value, -0) ? "-0" : BigInt(value).toString();
  const [mantissa, exponentText] = value.toExponential().split("e") as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 21) return String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A value under %v, e.g. `map[a:1 b:[x y]]`, `<nil>`. */
export function formatGoValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "number") return formatGoFloat(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(formatGoValue).join(" ")}]`;
  const keys = Object.keys(value).sort(compareBytewise);
  return `map[${keys.map((key) => `${key}:${formatGoValue(value[key])}`).join(" ")}]`;
}

/** A value's Go type under %T, as the unstructured decoder would have made it. */
export function formatGoType(value: Json | undefined): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isSafeInteger(value) ? "int64" : "float64";
    default:
      return value === undefined || value === null ? "<nil>" : Array.isArray(value) ? "[]interface {}" : "map[string]interface {}";
  }
}
