// Notices which labels and annotations the user's code reads by name. A whole map that is copied or
// compared is no such read: passing labels on to a child interprets none of them. Maps are observed
// by proxies unless the caller says how: for tests and development, at about 7 µs an object. Reads
// of keys that have been enumerated are judged once the code has yielded.
import type { KubeObject } from "../../api/object-meta.ts";
import { ReadCounts } from "./read-counts.ts";

/** The maps of metadata that others write freely. */
export type MetadataMap = "labels" | "annotations";

/** Receives each read by name. */
export type MetadataReader = (field: MetadataMap, key: string) => void;

type Values = Readonly<Record<string, string>>;

/** Observes one map. */
export type ObserveMap = (values: Values, read: (key: string) => void) => Values;

/** A shallow copy of `object` that calls `read`. What is not read is not copied. */
export function observeMetadata<O extends KubeObject>(
  object: O,
  read: MetadataReader,
  observeMap: ObserveMap = observeKeys,
): O {
  const { metadata } = object;
  let observed: object | undefined;
  const descriptors = {
    ...Object.getOwnPropertyDescriptors(object),
    metadata: {
      enumerable: true,
      get: () => (observed ??= observeMaps(metadata, read, observeMap)),
    },
  };
  const copy = Object.defineProperties({}, descriptors) as O;
  return Object.isFrozen(object) ? Object.freeze(copy) : copy;
}

function observeMaps(
  metadata: KubeObject["metadata"],
  read: MetadataReader,
  observeMap: ObserveMap,
): object {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(metadata);
  for (const field of ["labels", "annotations"] as const) {
    const values = metadata[field];
    if (values === undefined) continue;
    let observed: Values | undefined;
    descriptors[field] = {
      enumerable: true,
      get: () => (observed ??= observeMap(values, (key) => read(field, key))),
    };
  }
  const copy = Object.defineProperties({}, descriptors);
  return Object.isFrozen(metadata) ? Object.freeze(copy) : copy;
}

/** Keys that test libraries look up on any object, to find out what it is. */
const probes = new Set(["stack", "message", "asymmetricMatch", "$$typeof", "nodeType", "inspect"]);

/** Keys that the language and its tools look up on any object. */
const isOfLanguage = (values: Values, key: string): boolean =>
  key in Object.prototype ||
  key === "toJSON" ||
  key === "then" ||
  (probes.has(key) && !Object.hasOwn(values, key));

function observeKeys(values: Values, read: (key: string) => void): Values {
  const known = new EnumeratedKeys(read);
  const note = (key: string | symbol): void => {
    if (typeof key !== "string" || isOfLanguage(values, key)) return;
    if (!known.counts(key)) read(key);
  };
  return new Proxy(values, {
    get(target, key) {
      if (!known.passes(key)) note(key);
      return Reflect.get(target, key) as unknown;
    },
    has(target, key) {
      note(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      if (!known.has(key)) note(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      known.enumerate(keys);
      return keys;
    },
  });
}

/** The keys of a map that the user's code has enumerated, and how often it has read them since. */
class EnumeratedKeys {
  readonly #counts: ReadCounts;
  /** Keys that the enumeration itself reads, or the first loop over it. */
  #first = new Set<string | symbol>();

  constructor(read: (key: string) => void) {
    this.#counts = new ReadCounts(read);
  }

  enumerate(keys: readonly (string | symbol)[]): void {
    this.#first = new Set(keys);
    for (const key of keys) if (typeof key === "string") this.#counts.follow(key);
  }

  has(key: string | symbol): boolean {
    return this.#first.has(key);
  }

  /** True for the first read of a key since an enumeration. */
  passes(key: string | symbol): boolean {
    return this.#first.delete(key);
  }

  /** Counts a further read of an enumerated key; false for other keys. */
  counts(key: string): boolean {
    return this.#counts.counts(key);
  }
}
