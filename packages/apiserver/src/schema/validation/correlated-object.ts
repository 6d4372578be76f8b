// Old and new value side by side while a new object is validated, so that faults in parts that did
// not change can be tolerated. Lists correlate by key when they are maps, otherwise as a whole;
// what the schema does not name never correlates.
// Upstream: k8s.io/apiserver/pkg/cel/common/equality.go, maplist.go.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type { SchemaNode } from "../schema-node.ts";

/** One pair of values under one schema node; children are made when asked for. */
export class Correlation {
  readonly value: Json;
  readonly old: Json;
  readonly #node: SchemaNode;
  #equal: boolean | undefined;
  #byKey: ReadonlyMap<string, JsonObject> | undefined;
  readonly #children = new Map<string | number, Correlation>();

  constructor(value: Json, old: Json, node: SchemaNode) {
    this.value = value;
    this.old = old;
    this.#node = node;
  }

  /**
   * The pair below a member; undefined where either side lacks it or the schema does not know it.
   */
  member(name: string): Correlation | undefined {
    const { value, old } = this;
    if (
      !isObject(value) ||
      !isObject(old) ||
      !Object.hasOwn(value, name) ||
      !Object.hasOwn(old, name)
    )
      return undefined;
    return this.#child(
      name,
      value[name]!,
      old[name]!,
      this.#node.properties?.get(name) ?? this.#node.additional,
    );
  }

  /** The pair below an item of a map list; undefined for all other lists. */
  item(index: number): Correlation | undefined {
    const { value, old } = this;
    if (
      !Array.isArray(value) ||
      !Array.isArray(old) ||
      index >= value.length ||
      this.#node.listType !== "map"
    )
      return undefined;
    const key = compositeKey(value[index]!, this.#node.listMapKeys);
    const match = key === undefined ? undefined : (this.#byKey ??= this.#keyOldItems(old)).get(key);
    return match && this.#child(index, value[index]!, match, this.#node.items);
  }

  /**
   * Whether nothing changed here, in the sense of ratcheting: map lists regardless of order,
   * unknown members never.
   */
  unchanged(): boolean {
    return (this.#equal ??= this.#compare());
  }

  #compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old))
      return value.length === old.length && this.#sameItems(value, old);
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      return (
        names.length === Object.keys(old).length &&
        names.every((name) => this.member(name)?.unchanged() === true)
      );
    }
    return equalJson(value, old);
  }

  #sameItems(value: readonly Json[], old: readonly Json[]): boolean {
    if (this.#node.listType !== "map") return equalJson(value as Json[], old as Json[]);
    return value.every((_, i) => this.item(i)?.unchanged() === true);
  }

  #child(
    at: string | number,
    value: Json,
    old: Json,
    node: SchemaNode | undefined,
  ): Correlation | undefined {
    if (!node) return undefined;
    const known = this.#children.get(at) ?? new Correlation(value, old, node);
    this.#children.set(at, known);
    return known;
  }

  /** The first item of each key wins. */
  #keyOldItems(old: readonly Json[]): ReadonlyMap<string, JsonObject> {
    const items = new Map<string, JsonObject>();
    for (const item of old) {
      const key = compositeKey(item, this.#node.listMapKeys);
      if (key !== undefined && !items.has(key)) items.set(key, item as JsonObject);
    }
    return items;
  }
}

/** Undefined when a key is absent or no scalar. */
function compositeKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined;
  let out = "";
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined || value === null || typeof value === "object") return undefined;
    out += `\u0000${typeof value === "string" ? JSON.stringify(value) : String(value)}`;
  }
  return out;
}
