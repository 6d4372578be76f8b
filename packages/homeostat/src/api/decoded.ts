// The type of an object between decoding and validation. Only a type: nothing runs.
import type { Json } from "./json.ts";

/**
 * A decoded object: any field may be absent or null, whatever the schema requires, as Go's zero
 * values are. The values of a map are never null, except lists. It is JSON, so that it goes
 * wherever a `Json` or `JsonObject` is taken; `unknown` (RawExtension) is any JSON value.
 *
 * @example (deployment: Decoded<Deployment>) => deployment.spec?.replicas ?? 1
 */
export type Decoded<T> = unknown extends T
  ? Json
  : T extends string | number | bigint | boolean | null
    ? T
    : T extends readonly (infer E)[]
      ? Decoded<E>[]
      : string extends keyof T
        ? { -readonly [P in keyof T]: DecodedMapValue<T[P]> }
        : { -readonly [P in keyof T]?: Decoded<T[P]> | null };

type DecodedMapValue<T> = T extends readonly unknown[] ? Decoded<T> | null : Decoded<T>;
