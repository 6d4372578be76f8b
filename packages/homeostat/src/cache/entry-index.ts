// An index: maps values to the keys of entries.
import type { CachedEntry } from "./cached-entry.ts";

const nothing: ReadonlySet<string> = new Set();

export interface EntryIndexOptions {
  /** Values that an entry has at hand are not stored beside it. */
  readonly areAtHand?: boolean;
}

/** Keys by value; stores each key's values, so that removal need not compute them. */
export class EntryIndex {
  readonly valuesOf: (entry: CachedEntry) => readonly string[];
  readonly #keys = new Map<string, Set<string>>();
  readonly #values: Map<string, readonly string[]> | undefined;

  constructor(
    valuesOf: (entry: CachedEntry) => readonly string[],
    { areAtHand = false }: EntryIndexOptions = {},
  ) {
    this.valuesOf = valuesOf;
    this.#values = areAtHand ? undefined : new Map();
  }

  /** `old` is the entry of this key that is in the index. */
  put(entry: CachedEntry, old: CachedEntry | undefined): void {
    const values = this.valuesOf(entry);
    const before = this.#valuesBefore(entry.key, old);
    if (before.length === values.length && before.every((value, i) => value === values[i])) return;
    this.#drop(entry.key, before);
    if (values.length === 0) return;
    this.#values?.set(entry.key, values);
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys) keys.add(entry.key);
      else this.#keys.set(value, new Set([entry.key]));
    }
  }

  remove(old: CachedEntry): void {
    this.#drop(old.key, this.#valuesBefore(old.key, old));
  }

  #valuesBefore(key: string, old: CachedEntry | undefined): readonly string[] {
    if (this.#values) return this.#values.get(key) ?? [];
    return old ? this.valuesOf(old) : [];
  }

  #drop(key: string, values: readonly string[]): void {
    for (const value of values) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
    this.#values?.delete(key);
  }

  keys(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? nothing;
  }
}
