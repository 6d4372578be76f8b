// Items of lists of type set and map are unique. A repeated item is reported once, at its second
// index.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go.
import { encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { SchemaNode } from "../schema-node.ts";

/** All errors in a whole object. */
export function validateListSetsAndMaps(object: JsonObject, node?: SchemaNode): FieldError[] {
  const errors: FieldError[] = [];
  if (node) check(object, node, "", errors);
  return errors;
}

function check(value: Json, node: SchemaNode, path: string, errors: FieldError[]): void {
  if (typeof value !== "object" || value === null || !node.hasUniqueLists) return;
  const { items, additional, propertyNames, propertyNodes } = node;
  if (Array.isArray(value)) {
    if (node.listType === "set") checkSet(value, path, errors);
    else if (node.listType === "map") checkMap(value, node.listMapKeys, path, errors);
    if (items?.hasUniqueLists)
      for (let i = 0; i < value.length; i++) check(value[i]!, items, `${path}[${i}]`, errors);
    return;
  }
  if (additional?.hasUniqueLists)
    for (const key in value) check(value[key]!, additional, `${path}[${key}]`, errors);
  for (let i = 0; i < propertyNames.length; i++) {
    const name = propertyNames[i]!;
    const child = propertyNodes[i]!;
    if (child.hasUniqueLists && Object.hasOwn(value, name))
      check(value[name]!, child, path ? `${path}.${name}` : name, errors);
  }
}

function checkSet(items: readonly Json[], path: string, errors: FieldError[]): void {
  if (items.length < 2) return;
  for (const i of repeatedIndexes(items.map(identity)))
    errors.push(fieldError.duplicate(`${path}[${i}]`, items[i]));
}

function checkMap(
  items: readonly Json[],
  fields: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  const wrong = items.findIndex((item) => item !== null && !isObject(item));
  if (wrong >= 0)
    return void errors.push(
      fieldError.invalid(
        `${path}[${wrong}]`,
        items[wrong],
        "must be an object for an array of list-type map",
      ),
    );
  if (items.length < 2) return;
  const keys = items.map((item) => keyOf(item, fields));
  for (const i of repeatedIndexes(keys.map((key) => encodeJson(key))))
    errors.push(fieldError.duplicate(`${path}[${i}]`, keys[i]));
}

/** The key fields that an item sets; null sets none. */
function keyOf(item: Json, fields: readonly string[]): JsonObject {
  const key: JsonObject = {};
  if (isObject(item))
    for (const field of fields) if (Object.hasOwn(item, field)) key[field] = item[field]!;
  return key;
}

/** Objects and lists are equal when their JSON is, and never equal to a string. */
function identity(item: Json): unknown {
  if (typeof item === "string") return `text ${item}`;
  return typeof item === "object" && item !== null ? `json ${encodeJson(item)}` : item;
}

function repeatedIndexes(values: readonly unknown[]): readonly number[] {
  const seen = new Map<unknown, number>();
  const indexes: number[] = [];
  for (const [i, value] of values.entries()) {
    const times = seen.get(value) ?? 0;
    seen.set(value, times + 1);
    if (times === 1) indexes.push(i);
  }
  return indexes;
}
