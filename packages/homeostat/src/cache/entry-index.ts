// An index: maps values to the keys of entries.
import type { CachedEntry } from "./cached-entry.ts";

const nothing: ReadonlySet<string> = new Set();

/** Keys by value; stores each key's values, so that removal need not compute them. */
export class EntryIndex {
  readonly valuesOf: (entry: CachedEntry) => readonly string[];
  readonly #keys = new Map<string, Set<string>>();
  readonly #values = new Map<string, readonly string[]>();

  constructor(valuesOf: (entry: CachedEntry) => readonly string[]) {
    this.valuesOf = valuesOf;
  }

  put(entry: CachedEntry): void {
    const values = this.valuesOf(entry);
    const before = this.#values.get(entry.key);
    if (
      before &&
      before.length === values.length &&
      before.every((value, i) => value === values[i])
    )
      return;
    if (before) this.remove(entry.key);
    if (values.length === 0) return;
    this.#values.set(entry.key, values);
    for (const value of values) {
      const keys = this.#keys.get(value);
      if (keys) keys.add(entry.key);
      else this.#keys.set(value, new Set([entry.key]));
    }
  }

  remove(key: string): void {
    for (const value of this.#values.get(key) ?? []) {
      const keys = this.#keys.get(value);
      keys?.delete(key);
      if (keys?.size === 0) this.#keys.delete(value);
    }
    this.#values.delete(key);
  }

  keys(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? nothing;
  }
}
