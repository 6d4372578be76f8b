// The items of an old map list by their keys: how items of a new one find what they were before.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/maplist.go.
import { isObject, type Json } from "homeostat/api";
import type { JsonSchemaProps } from "./json-schema-props.ts";

/** Finds old items. Lists of other types correlate with nothing. */
export class MapListIndex {
  readonly #keys: readonly string[];
  readonly #items: readonly Json[];
  #byKey: ReadonlyMap<string, Json> | undefined;

  constructor(schema: JsonSchemaProps, items: readonly Json[]) {
    this.#keys =
      schema.type === "array" && schema["x-kubernetes-list-type"] === "map"
        ? (schema["x-kubernetes-list-map-keys"] ?? [])
        : [];
    this.#items = this.#keys.length > 0 ? items : [];
  }

  /** The first old item with the keys of this one. */
  find(item: Json): Json | undefined {
    if (this.#items.length === 0) return undefined;
    const key = this.#keyOf(item);
    return key === undefined ? undefined : (this.#byKey ??= this.#index()).get(key);
  }

  #index(): ReadonlyMap<string, Json> {
    const found = new Map<string, Json>();
    for (const item of this.#items) {
      const key = this.#keyOf(item);
      if (key !== undefined && !found.has(key)) found.set(key, item);
    }
    return found;
  }

  /** Undefined where a key is absent or no scalar. */
  #keyOf(item: Json): string | undefined {
    if (!isObject(item)) return undefined;
    let text = "";
    for (const key of this.#keys) {
      const value = Object.hasOwn(item, key) ? item[key]! : null;
      if (value === null || typeof value === "object") return undefined;
      text += `\0${typeof value === "string" ? JSON.stringify(value) : String(value)}`;
    }
    return text;
  }
}
