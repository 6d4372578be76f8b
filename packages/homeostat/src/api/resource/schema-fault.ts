// A fault found in a schema.

/** Why part of a schema cannot be used. */
export interface SchemaFault {
  /** The path, e.g. `spec.dishes[].name`. */
  readonly path: string;
  readonly problem: string;
  readonly remedy: string;
}
