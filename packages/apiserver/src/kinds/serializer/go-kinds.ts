// How Go's JSON decoder names what it met.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/decode.go (UnmarshalTypeError.Value).
import type { Json } from "homeostat/api";

/** A value of the wrong kind, and where below the current field it stands. */
export interface TypeMismatch {
  readonly value: string;
  readonly goType: string;
  readonly stack: readonly string[];
}

/** The kind of a JSON value, e.g. `array`, `number`. Null has none here. */
export function goKindOf(input: Json): string {
  if (Array.isArray(input)) return "array";
  return typeof input === "object"
    ? "object"
    : typeof input === "boolean"
      ? "bool"
      : typeof input === "string"
        ? "string"
        : "number";
}
