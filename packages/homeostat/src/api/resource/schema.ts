// The gate through which a user's schema passes: any Standard Schema whose output is JSON and may
// be written back. What a server cannot run is refused at compile time with a sentence; what types
// cannot see, `convert-schema.ts` refuses.

/** A Standard Schema, as far as types are concerned. */
export interface Schema<I = any, O = any> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: I; readonly output: O } | undefined;
  };
}
/** What may be written: defaults make fields optional. */
export type In<S> = S extends Schema<infer I, any> ? I : never;
/** What is read: defaults are filled. */
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
 * The schema itself when what it yields is JSON and may be written back; otherwise a sentence that
 * the compiler prints.
 */
export type Wire<S extends Schema> = [Out<S>] extends [In<S>]
  ? [NotJson<Out<S>>] extends [never]
    ? S
    : "ERR_SCHEMA_NOT_JSON: Date, Map, Set, bigint and functions cannot be stored; use k.time(), z.record(), k.int64()"
  : "ERR_SCHEMA_TRANSFORM: the API server stores what is written; .transform(), codecs and pipes that change a type cannot run there";

/** A value as it is read: deep read-only. */
export type View<T> = T extends Primitive ? T : { readonly [P in keyof T]: View<T[P]> };
