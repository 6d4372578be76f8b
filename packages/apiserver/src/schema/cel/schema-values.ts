// JSON objects and lists as CEL values; members convert when an expression accesses them.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/valuesunstructured.go.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  dynType,
  equalValues,
  noSuchOverload,
  ValueList,
  Wrapper,
} from "@homeostat/cel";
import { escapeName, unescapeName } from "./escape-name.ts";

/** Converts a value of one schema node. Throws CelError when the value does not fit the schema. */
export type Adapt = (value: Json) => CelValue;

/** The conversions of an object's members. */
export interface ObjectShape {
  /** By JSON name; undefined for maps. */
  readonly properties: ReadonlyMap<string, Adapt> | undefined;
  /** Of map values; undefined for objects. */
  readonly additional: Adapt | undefined;
}

/** An object of a schema. Unspecified members take part in equality only. */
export class SchemaObject extends CelMap {
  readonly value: JsonObject;
  readonly #shape: ObjectShape;

  constructor(value: JsonObject, shape: ObjectShape) {
    super();
    this.value = value;
    this.#shape = shape;
  }

  get size(): number {
    return Object.keys(this.value).length;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") throw noSuchOverload();
    const { properties, additional } = this.#shape;
    const name = properties && key.includes("__") ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.value, name)) return undefined;
    const member = this.value[name]!;
    // A null member of an object is absent; a null value of a map is not.
    if (properties && member === null) return undefined;
    return (properties ? properties.get(name) : additional)?.(member);
  }

  keys(): CelValue[] {
    const { properties, additional } = this.#shape;
    if (!properties) return additional ? Object.keys(this.value) : [];
    return Object.keys(this.value)
      .filter((name) => properties.has(name))
      .map((name) => escapeName(name) ?? name);
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof CelMap)) throw noSuchOverload();
    if (other.size !== this.size) return false;
    return Object.keys(this.value).every((name) => this.#sameMember(name, other));
  }

  #sameMember(name: string, other: CelMap): boolean {
    const { properties, additional } = this.#shape;
    if (!(properties ? properties.has(name) : additional)) return this.#sameUnknown(name, other);
    const key = properties ? (escapeName(name) ?? name) : name;
    const mine = this.find(key);
    const theirs = other.find(key);
    return mine === undefined || theirs === undefined ? mine === theirs : equalValues(mine, theirs);
  }

  #sameUnknown(name: string, other: CelMap): boolean {
    if (!(other instanceof SchemaObject)) throw noSuchOverload();
    return !Object.hasOwn(other.value, name) || equalJson(this.value[name], other.value[name]);
  }
}

/** An atomic list. */
export class SchemaList extends CelList {
  readonly items: readonly Json[];
  readonly adapt: Adapt;

  constructor(items: readonly Json[], adapt: Adapt) {
    super();
    this.items = items;
    this.adapt = adapt;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.adapt(this.items[index]!);
  }

  override contains(value: CelValue): boolean {
    return this.items.some((item) => equalValues(this.adapt(item), value));
  }
}

/** A list with the items of another list. */
abstract class WrappedList extends CelList {
  readonly #items: CelList;

  constructor(items: CelList) {
    super();
    this.#items = items;
  }

  get size(): number {
    return this.#items.size;
  }

  at(index: number): CelValue {
    return this.#items.at(index);
  }
}

/** A list of type set: equality ignores order, and addition is a union. */
export class SetList extends WrappedList {
  override equals(other: CelValue): boolean {
    if (!(other instanceof CelList)) throw noSuchOverload();
    return other.size === this.size && [...other].every((item) => this.contains(item));
  }

  override concat(other: CelList): CelList {
    const items = [...this];
    for (const item of other)
      if (!items.some((known) => equalValues(known, item))) items.push(item);
    return new SetList(new ValueList(items));
  }
}

/**
 * A list of type map: equality ignores order, and addition replaces items with the same keys.
 */
export class MapList extends WrappedList {
  readonly #keys: readonly string[];

  constructor(items: CelList, keys: readonly string[]) {
    super(items);
    this.#keys = keys;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof CelList)) throw noSuchOverload();
    if (other.size !== this.size) return false;
    const mine = new Map(Array.from(this, (item) => [this.#keyOf(item), item]));
    for (const theirs of other) {
      const match = mine.get(this.#keyOf(theirs));
      if (match === undefined || !equalValues(match, theirs)) return false;
    }
    return true;
  }

  override concat(other: CelList): CelList {
    const items: CelValue[] = [...this];
    const places = new Map(items.map((item, i) => [this.#keyOf(item), i]));
    for (const item of other) {
      const place = places.get(this.#keyOf(item));
      if (place === undefined) items.push(item);
      else items[place] = item;
    }
    return new MapList(new ValueList(items), this.#keys);
  }

  #keyOf(item: CelValue): string {
    if (!(item instanceof CelMap))
      throw new CelError(
        "unexpected data format for element of array with x-kubernetes-list-type=map",
      );
    return JSON.stringify(
      this.#keys.map((key) => String(item.find(escapeName(key) ?? key) ?? null)),
    );
  }
}

/**
 * A value under x-kubernetes-preserve-unknown-fields: it takes part in equality, but expressions
 * cannot access its members.
 */
export class PreservedValue extends Wrapper<Json> {
  readonly type = dynType;

  equals(other: CelValue): boolean {
    return other instanceof PreservedValue && equalJson(this.value, other.value);
  }

  toString(): string {
    return "preserved value";
  }
}
