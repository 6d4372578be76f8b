// JSON values as Go's fmt prints them with %v and %T: what accessor errors and selectable fields are made of.
// Upstream: Go's fmt and strconv packages.
import { compareBytewise, type Json } from "homeostat/api";
import { formatGoNumber } from "../registry/field-error.ts";

/** A value under %v, e.g. `map[a:1 b:[x y]]`, `<nil>`. */
export function formatGoValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return formatGoNumber(value);
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
