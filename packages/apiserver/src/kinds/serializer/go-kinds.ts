// How Go's JSON decoder names the kinds of values.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/decode.go (UnmarshalTypeError.Value).
import type { Json } from "homeostat/api";

/** A value of the wrong kind, and its place below the current field. */
export interface TypeMismatch {
  readonly value: string;
  readonly goType: string;
  readonly stack: readonly string[];
}

/** Ends decoding; `message` is Go's. */
export class DecodeError extends Error {
  /** The mismatch, for the document that contains this one. */
  readonly mismatch: TypeMismatch | undefined;

  constructor(message: string, mismatch?: TypeMismatch) {
    super(message);
    this.mismatch = mismatch;
  }
}

/** The kind of a JSON value that is not null, e.g. `array`, `number`. */
export function goKindOf(input: Json): string {
  if (Array.isArray(input)) return "array";
  switch (typeof input) {
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
