// Reads fields of objects that have been decoded, where every field has its right type or is absent
// or null.
import { isObject, type Json, type JsonObject } from "homeostat/api";

/** The objects of a list; empty where it is absent. */
export function itemsAt(object: JsonObject, field: string): readonly JsonObject[] {
  const value = object[field];
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : [];
}

/** The texts of a list; empty where it is absent. */
export function textsAt(object: JsonObject, field: string): readonly string[] {
  const value = object[field];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A map of texts; empty where it is absent. */
export function textMapAt(object: JsonObject, field: string): Readonly<Record<string, string>> {
  const value = object[field];
  return isObject(value) ? (value as Record<string, string>) : {};
}

/** A number, 0 where it is absent; 64-bit integers lose what a double cannot hold. */
export function numberAt(object: JsonObject, field: string): number {
  const value = object[field];
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
}

/** True for fields that are neither absent nor null: what Go's pointers call set. */
export function isSet<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

/** Whether a list or map holds anything. */
export function hasItems(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}

/**
 * Sets a field that is absent, null, empty text or zero: `if len(x) == 0 { x = … }` of upstream's
 * defaults.
 */
export function setIfEmpty(object: JsonObject, field: string, value: Json): void {
  const present = object[field];
  if (present === undefined || present === null || present === "" || present === 0)
    object[field] = value;
}

/** Sets a field that is absent or null: `if x == nil { x = … }`. */
export function setIfNil(object: JsonObject, field: string, value: Json): void {
  if (!isSet(object[field])) object[field] = value;
}

/** The object in a field for changing in place; undefined where there is none. */
export function mutableAt(object: JsonObject, field: string): JsonObject | undefined {
  const value = object[field];
  return isObject(value) ? value : undefined;
}

/** A number behind a pointer; undefined where there is none. */
export function optionalNumberAt(object: JsonObject, field: string): number | undefined {
  const value = object[field];
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}

/** A text behind a pointer; undefined where there is none. */
export function optionalTextAt(object: JsonObject, field: string): string | undefined {
  const value = object[field];
  return typeof value === "string" ? value : undefined;
}

/** The object without some of its fields, all of which are optional. */
export function withoutFields<T extends object>(
  object: T,
  ...fields: readonly (keyof NoInfer<T> & string)[]
): T {
  const names: readonly string[] = fields;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T;
}

/** An object-valued field, or an empty one where it is absent. The result is only for reading. */
export function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isObject(value) ? value : {};
}

/** A string-valued field, "" where it is absent. */
export function stringAt(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}

/** An int64 behind a pointer, which decodes to a bigint where a double cannot hold it. */
export function optionalInt64(value: number | bigint | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
