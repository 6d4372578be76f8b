// Which user schemas are accepted, at compile time: any Standard Schema whose output is JSON that
// can be written back. The compiler prints a sentence for others; `convert-schema.ts` rejects what
// types cannot express.

/** The types of a Standard Schema. */
export interface Schema<I = any, O = any> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: I; readonly output: O } | undefined;
  };
}
/** The input type: fields with defaults are optional. */
export type In<S> = S extends Schema<infer I, any> ? I : never;
/** The output type: defaults are set. */
export type Out<S> = S extends Schema<any, infer O> ? O : never;

type Primitive = string | number | boolean | null | undefined;
type Opaque = bigint | symbol | Date | Map<any, any> | Set<any> | ((...args: never[]) => unknown);
type NotJson<T> = unknown extends T
  ? never
  : T extends Primitive
    ? never
    : T extends Opaque
      ? "x"
      : T extends readonly (infer E)[]
        ? NotJson<E>
        : { [P in keyof T]-?: NotJson<T[P]> }[keyof T];

/**
 * The schema itself if its output is JSON and can be written back; otherwise an error message as a
 * type.
 */
export type Wire<S extends Schema> = [Out<S>] extends [In<S>]
  ? [NotJson<Out<S>>] extends [never]
    ? S
    : "ERR_SCHEMA_NOT_JSON: Date, Map, Set, bigint and functions cannot be stored; use k.time(), z.record(), k.int64()"
  : "ERR_SCHEMA_TRANSFORM: the API server stores what is written; .transform(), codecs and pipes that change a type cannot run there";

/** A value as it is read: deep read-only. */
export type View<T> = T extends Primitive ? T : { readonly [P in keyof T]: View<T[P]> };
