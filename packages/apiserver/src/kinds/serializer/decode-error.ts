// How Go's JSON decoder reports values of the wrong kind.
// Upstream: sigs.k8s.io/json internal/golang/encoding/json/decode.go (UnmarshalTypeError.Value).

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
