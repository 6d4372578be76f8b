// Notices which labels and annotations the user's code reads by name. A whole map that is copied or
// compared is no such read: passing labels on to a child interprets none of them. For tests and
// development: an observed object costs about 7 µs.
import type { KubeObject } from "../../api/object-meta.ts";

/** The maps of metadata that others write freely. */
export type MetadataMap = "labels" | "annotations";

/** Receives each read by name. */
export type MetadataReader = (field: MetadataMap, key: string) => void;

type Values = Readonly<Record<string, string>>;

/** A shallow copy of `object` that calls `read`. What is not read is not copied. */
export function observeMetadata<O extends KubeObject>(object: O, read: MetadataReader): O {
  const { metadata } = object;
  let observed: object | undefined;
  const descriptors = {
    ...Object.getOwnPropertyDescriptors(object),
    metadata: { enumerable: true, get: () => (observed ??= observeMaps(metadata, read)) },
  };
  const copy = Object.defineProperties({}, descriptors) as O;
  return Object.isFrozen(object) ? Object.freeze(copy) : copy;
}

function observeMaps(metadata: KubeObject["metadata"], read: MetadataReader): object {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(metadata);
  for (const field of ["labels", "annotations"] as const) {
    const values = metadata[field];
    if (values === undefined) continue;
    let observed: Values | undefined;
    descriptors[field] = {
      enumerable: true,
      get: () => (observed ??= observeKeys(values, (key) => read(field, key))),
    };
  }
  const copy = Object.defineProperties({}, descriptors);
  return Object.isFrozen(metadata) ? Object.freeze(copy) : copy;
}

/** Keys that the language and its tools look up on any object. */
const isOfLanguage = (key: string): boolean =>
  key in Object.prototype || key === "toJSON" || key === "then";

function observeKeys(values: Values, read: (key: string) => void): Values {
  let enumerated = new Set<string | symbol>();
  const note = (key: string | symbol): void => {
    if (typeof key === "string" && !isOfLanguage(key)) read(key);
  };
  return new Proxy(values, {
    get(target, key) {
      if (!enumerated.delete(key)) note(key);
      return Reflect.get(target, key) as unknown;
    },
    has(target, key) {
      note(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      if (!enumerated.has(key)) note(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      enumerated = new Set(keys);
      return keys;
    },
  });
}
