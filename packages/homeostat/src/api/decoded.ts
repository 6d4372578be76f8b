// The type of an object between decoding and validation. It exists at compile time only.
import type { Json } from "./json.ts";

/**
 * A decoded object: any field may be absent or null, whatever the schema requires, as Go's zero
 * values are. A map of strings, numbers or booleans holds no null: Go decodes a null value as the
 * zero value. It is JSON, so that it goes wherever a `Json` or `JsonObject` is taken; `unknown`
 * (RawExtension) is any JSON value.
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
        ? { -readonly [P in keyof T]: DecodedValue<T[P]> }
        : { -readonly [P in keyof T]?: Decoded<T[P]> | null };

type DecodedValue<V> = V extends string | number | boolean ? V : Decoded<V> | null;
