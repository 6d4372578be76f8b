// Lists that are sets or maps hold nothing twice. An element that occurs again is reported once, at its second place.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
import { encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { duplicate, type FieldError, invalid } from "../registry/field-error.ts";
import type { SchemaNode } from "./schema-node.ts";

const nothing: readonly FieldError[] = [];

/** Every breach in a whole object. */
export function validateUniqueLists(object: JsonObject, node: SchemaNode | undefined): readonly FieldError[] {
  return node?.hasUniqueLists ? check(object, node, "") : nothing;
}

function check(value: Json, node: SchemaNode | undefined, path: string): readonly FieldError[] {
  if (typeof value !== "object" || value === null || !node?.hasUniqueLists) return nothing;
  if (Array.isArray(value)) {
    const errors = [...checkList(value, node, path)];
    if (node.items?.hasUniqueLists) for (let i = 0; i < value.length; i++) errors.push(...check(value[i]!, node.items, `${path}[${i}]`));
    return errors;
  }
  const errors: FieldError[] = [];
  if (node.additional) for (const key in value) errors.push(...check(value[key]!, node.additional, `${path}[${key}]`));
  for (const [i, name] of node.propertyNames.entries()) {
    if (Object.hasOwn(value, name)) errors.push(...check(value[name]!, node.propertyNodes[i], path ? `${path}.${name}` : name));
  }
  return errors;
}

function checkList(items: readonly Json[], node: SchemaNode, path: string): readonly FieldError[] {
  if (node.listType === "set") return repeatedPlaces(items.map(identity)).map((i) => duplicate(`${path}[${i}]`, items[i]));
  if (node.listType !== "map") return nothing;
  const odd = items.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) return [invalid(`${path}[${odd}]`, items[odd], "must be an object for an array of list-type map")];
  if (items.length < 2) return nothing;
  const keys = items.map((item) => keyOf(item, node.listMapKeys));
  return repeatedPlaces(keys.map((key) => encodeJson(key))).map((i) => duplicate(`${path}[${i}]`, keys[i]));
}

/** The key fields that an item has; null has none. */
function keyOf(item: Json, fields: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (isObject(item)) for (const field of fields) if (Object.hasOwn(item, field)) key[field] = item[field]!;
  return key;
}

/** Composites are equal when their JSON is; a text is never equal to a composite that reads like it. */
const identity = (item: Json): unknown => (typeof item === "object" && item !== null ? `json ${encodeJson(item)}` : typeof item === "string" ? `text ${item}` : item);

function repeatedPlaces(values: readonly unknown[]): readonly number[] {
  const seen = new Map<unknown, number>();
  const places: number[] = [];
  for (const [i, value] of values.entries()) {
    const times = seen.get(value) ?? 0;
    seen.set(value, times + 1);
    if (times === 1) places.push(i);
  }
  return places;
}
