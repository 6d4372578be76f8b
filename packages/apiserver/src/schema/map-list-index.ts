// Items of a list of type map, found by their keys.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/maplist.go (MakeMapList).
import { isObject, type Json } from "homeostat/api";

/** Indexes one list on first use; items are found by the keys of another list's items. */
export class MapListIndex {
  readonly #items: readonly Json[];
  readonly #keys: readonly string[];
  #byKey: ReadonlyMap<string, Json> | undefined;

  constructor(items: readonly Json[], keys: readonly string[]) {
    this.#items = items;
    this.#keys = keys;
  }

  /** The first item with the same keys as `item`. */
  find(item: Json): Json | undefined {
    if (this.#items.length === 0) return undefined;
    const key = compositeKey(item, this.#keys);
    return key === undefined ? undefined : (this.#byKey ??= this.#index()).get(key);
  }

  #index(): ReadonlyMap<string, Json> {
    const found = new Map<string, Json>();
    for (const item of this.#items) {
      const key = compositeKey(item, this.#keys);
      if (key !== undefined && !found.has(key)) found.set(key, item);
    }
    return found;
  }
}

/** Undefined when a key is absent or not a scalar. */
function compositeKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  let text = "";
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key]! : null;
    if (value === null || typeof value === "object") return undefined;
    text += `\0${typeof value === "string" ? JSON.stringify(value) : String(value)}`;
  }
  return text;
}
