// The new value beside the old one on update, so that validation can tolerate errors in unchanged
// parts (ratcheting). Items of map lists correlate by key, other lists only as a whole; fields that
// the schema does not specify never correlate.
// Upstream: k8s.io/apiserver/pkg/cel/common/equality.go (CorrelatedObject).
import { equalJson, isObject, type Json } from "homeostat/api";
import { MapListIndex } from "../map-list-index.ts";
import type { SchemaNode } from "../schema-node.ts";

/** A pair of values under one schema node. Children are created on first access. */
export class CorrelatedObject {
  readonly value: Json;
  readonly old: Json;
  readonly #node: SchemaNode;
  #equal: boolean | undefined;
  #oldItems: MapListIndex | undefined;
  readonly #children = new Map<string | number, CorrelatedObject>();

  constructor(value: Json, old: Json, node: SchemaNode) {
    this.value = value;
    this.old = old;
    this.#node = node;
  }

  /** The pair below a field; undefined when either side or the schema lacks the field. */
  member(name: string): CorrelatedObject | undefined {
    const { value, old } = this;
    if (!isObject(value) || !isObject(old)) return undefined;
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    const node = this.#node.properties?.get(name) ?? this.#node.additional;
    return node && this.#child(name, value[name]!, old[name]!, node);
  }

  /** The pair below an item of a map list; undefined for all other lists. */
  item(index: number): CorrelatedObject | undefined {
    const { value, old } = this;
    const { listType, listMapKeys, items } = this.#node;
    if (!Array.isArray(value) || !Array.isArray(old)) return undefined;
    if (index >= value.length || listType !== "map") return undefined;
    this.#oldItems ??= new MapListIndex(old, listMapKeys);
    const match = this.#oldItems.find(value[index]!);
    if (match === undefined || !items) return undefined;
    return this.#child(index, value[index]!, match, items);
  }

  /**
   * Whether the two are equal for ratcheting: map lists regardless of order, objects with
   * unspecified fields never.
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

  #child(at: string | number, value: Json, old: Json, node: SchemaNode): CorrelatedObject {
    const known = this.#children.get(at) ?? new CorrelatedObject(value, old, node);
    this.#children.set(at, known);
    return known;
  }
}
