// The type of an object between decoding and validation. Only a type: nothing runs.

/**
 * A decoded object: any field may be absent or null, whatever the schema requires, as Go's zero
 * values are. `unknown` and `any` stay what they are.
 */
export type Decoded<T> = unknown extends T
  ? T
  : T extends string | number | bigint | boolean | null | undefined
    ? T
    : T extends readonly (infer E)[]
      ? Decoded<E>[]
      : { -readonly [P in keyof T]?: Decoded<T[P]> | null | undefined };
