// The objects of one informer by key, their indexes, and the overlay of own writes. Pure: the
// informer writes it, handlers and readers read it.
// Upstream: k8s.io/client-go/tools/cache/store.go and thread_safe_store.go (Indexer).
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import { refusePromise } from "../util/refuse-promise.ts";
import type { CachedEntry } from "./cached-entry.ts";
import { EntryIndex } from "./entry-index.ts";
import type { IndexFunction, IndexOptions, InformerStats } from "./informer.ts";
import { OwnWrites } from "./own-writes.ts";

/** The change of one object. */
export interface StoreChange {
  readonly old: CachedEntry | undefined;
  readonly entry: CachedEntry | undefined;
}

const atHand = { areAtHand: true } as const;

/** An indexer; it starts empty. */
export class Indexer {
  readonly own = new OwnWrites();
  readonly #entries = new Map<string, CachedEntry>();
  readonly #indexes = new Map<string, EntryIndex>();
  readonly #functions = new Map<string, IndexFunction>();
  #bytes = 0;

  constructor() {
    this.#indexes.set("namespace", new EntryIndex((entry) => [entry.namespace], atHand));
    this.#indexes.set("owner", new EntryIndex((entry) => entry.ownerUids, atHand));
  }

  get objects(): number {
    return this.#entries.size;
  }

  /** Length of all texts, own writes included. */
  get bytes(): number {
    return this.#bytes + this.own.bytes;
  }

  stats(): Omit<InformerStats, "skipped"> {
    const { objects, bytes } = this;
    const parsed = this.#parsed();
    return {
      objects,
      bytes,
      parsed: parsed.objects,
      parsedBytes: parsed.bytes,
      ownWrites: this.own.size,
    };
  }

  /** What is parsed now. */
  #parsed(): { readonly objects: number; readonly bytes: number } {
    let objects = 0;
    let bytes = 0;
    const count = (entry: CachedEntry): void => {
      if (!entry.parsed) return;
      objects++;
      bytes += entry.size;
    };
    for (const entry of this.#entries.values()) count(entry);
    for (const entry of this.own.entries()) count(entry);
    return { objects, bytes };
  }

  /** The objects that list and watch have delivered, without the overlay. */
  observed(): ReadonlyMap<string, CachedEntry> {
    return this.#entries;
  }

  set(entry: CachedEntry): StoreChange {
    const old = this.#entries.get(entry.key);
    this.#entries.set(entry.key, entry);
    this.#bytes += entry.size - (old?.size ?? 0);
    if (old !== entry) old?.retire();
    for (const index of this.#indexes.values()) index.put(entry, old);
    return { old, entry };
  }

  delete(key: string): StoreChange {
    const old = this.#entries.get(key);
    if (old) {
      this.#entries.delete(key);
      this.#bytes -= old.size;
      old.retire();
      for (const index of this.#indexes.values()) index.remove(old);
    }
    return { old, entry: undefined };
  }

  /** Nothing reads this cache any more. */
  retire(): void {
    for (const entry of this.#entries.values()) entry.retire();
    this.own.clear();
  }

  /**
   * Replaces all objects; returns the changes: removals first, then the rest in order. Those of a
   * restored server may differ at an equal revision.
   */
  replace(
    next: ReadonlyMap<string, CachedEntry>,
    { isRestored = false }: { readonly isRestored?: boolean } = {},
  ): readonly StoreChange[] {
    const changes: StoreChange[] = [];
    for (const [key, old] of this.#entries) {
      const entry = next.get(key);
      if (!entry || entry.uid !== old.uid) changes.push(this.delete(key));
    }
    for (const entry of next.values()) {
      const old = this.#entries.get(entry.key);
      const isSame =
        old?.resourceVersion === entry.resourceVersion && (!isRestored || old.isLike(entry));
      if (!isSame) changes.push(this.set(entry));
    }
    return changes;
  }

  /**
   * Adds an index over all objects. An object for which the function throws or returns no list has
   * no value; `onError` receives what it throws each time, and once that it returns no list.
   * Objects that do not match their definition have a value only on request.
   */
  addIndex(
    name: string,
    index: IndexFunction,
    onError: (error: unknown, key: string) => void,
    { includesMismatched, isAddedAgain }: IndexOptions = {},
  ): void {
    if (this.#functions.get(name) === index) return;
    if (isAddedAgain && this.#functions.has(name)) return;
    if (this.#indexes.has(name))
      throw new HomeostatError(
        "ERR_CACHE_INDEX",
        `adding index ${JSON.stringify(name)}: another function has that name`,
        {
          hint: "Use a unique name; `namespace` and `owner` are built in.",
        },
      );
    let hasReported = false;
    const added = new EntryIndex((entry) => {
      try {
        const object = entry.read();
        if (entry.mismatch && !includesMismatched) return [];
        return listOf(name, index(object));
      } catch (error) {
        const isRepeated = hasReported && isWrongFunction(error);
        hasReported ||= isWrongFunction(error);
        if (!isRepeated) onError(error, entry.key);
        return [];
      }
    });
    for (const entry of this.#entries.values()) added.put(entry, undefined);
    this.#functions.set(name, index);
    this.#indexes.set(name, added);
  }

  get(key: string): CachedEntry | undefined {
    return this.own.resolve(key, this.#entries.get(key));
  }

  list(): readonly CachedEntry[] {
    if (this.own.isEmpty) return [...this.#entries.values()];
    return this.#resolveAll(this.#entries.keys(), () => true);
  }

  byIndex(name: string, value: string): readonly CachedEntry[] {
    const index = this.#indexes.get(name);
    if (!index)
      throw new HomeostatError(
        "ERR_CACHE_INDEX",
        `reading by index ${JSON.stringify(name)}: the index does not exist (known: ${[...this.#indexes.keys()].join(", ")})`,
        {
          hint: "Add the index before reading by it.",
        },
      );
    const keys = index.keys(value);
    if (this.own.isEmpty) return Array.from(keys, (key) => this.#entries.get(key)!);
    return this.#resolveAll(
      keys,
      (entry) => entry === this.#entries.get(entry.key) || index.valuesOf(entry).includes(value),
    );
  }

  /** Resolves the given keys and those of the overlay, each once. */
  #resolveAll(
    keys: Iterable<string>,
    matches: (entry: CachedEntry) => boolean,
  ): readonly CachedEntry[] {
    const seen = new Set<string>(keys);
    const found: CachedEntry[] = [];
    for (const key of seen) {
      const entry = this.get(key);
      if (entry && matches(entry)) found.push(entry);
    }
    for (const key of this.own.keys()) {
      const entry = seen.has(key) ? undefined : this.get(key);
      if (entry && entry !== this.#entries.get(key) && matches(entry)) found.push(entry);
    }
    return found;
  }
}

/** @throws ERR_ASYNC_FUNCTION, ERR_CACHE_INDEX */
function listOf(name: string, values: unknown): readonly string[] {
  const what = `index ${JSON.stringify(name)}`;
  if (Array.isArray(refusePromise(values, what, "a list of strings"))) return values as string[];
  throw new HomeostatError(
    "ERR_CACHE_INDEX",
    `${what} returned ${describeValue(values)}, expected a list of strings`,
    { hint: "return [] for an object without a value" },
  );
}

const isWrongFunction = (error: unknown): boolean =>
  isHomeostatError(error, "ERR_ASYNC_FUNCTION") || isHomeostatError(error, "ERR_CACHE_INDEX");
