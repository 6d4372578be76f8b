// How Go's JSON decoder names the kinds of values.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/decode.go (UnmarshalTypeError.Value).
import type { Json } from "homeostat/api";

/** The kind of a JSON value, e.g. `array`, `number`. */
export function goKindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "object":
      return "object";
    case "boolean":
      return "bool";
    case "string":
      return "string";
    default:
      return "number";
  }
}
