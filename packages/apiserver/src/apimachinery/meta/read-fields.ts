// Reads fields of objects that have been decoded, where every field has its right type or is absent
// or null.
import { isObject, type Json, type JsonObject } from "homeostat/api";

/** True for fields that are neither absent nor null: what Go's pointers call set. */
export function isSet<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

/** Whether a list or map holds anything. */
export function hasItems(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
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

/** An int64 behind a pointer, which decodes to a bigint where a double cannot hold it. */
export function optionalInt64(value: number | bigint | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
