// Reads metadata of objects that have been decoded, where every field has its right type or is
// absent. Knows no kind. Only metadataOf mutates: it gives an object without metadata an empty one.
import { type Decoded, isObject, type Json, type JsonObject } from "homeostat/api";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";

/** A decoded object of any kind. */
export interface DecodedObject {
  metadata?: Decoded<ObjectMeta> | null;
}

/** The object's metadata; set to an empty one where there was none. */
export function metadataOf(object: DecodedObject): Decoded<ObjectMeta> {
  if (isObject(object.metadata)) return object.metadata;
  return (object.metadata = {});
}

/** A text field of metadata, "" when absent. */
export function metaString(object: JsonObject, field: string): string {
  const value = isObject(object.metadata) ? object.metadata[field] : undefined;
  return typeof value === "string" ? value : "";
}

/** A whole-number field of metadata, undefined when absent. */
export function metaNumber(object: JsonObject, field: string): number | undefined {
  const value = isObject(object.metadata) ? object.metadata[field] : undefined;
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}

/** Labels or annotations; empty when absent. */
export function metaMap(
  object: JsonObject,
  field: "labels" | "annotations",
): Readonly<Record<string, string>> {
  const value = isObject(object.metadata) ? object.metadata[field] : undefined;
  return isObject(value) ? (value as Record<string, string>) : {};
}

/** A list of metadata; empty when absent. */
export function metaList(
  object: JsonObject,
  field: "finalizers" | "ownerReferences" | "managedFields",
): readonly Json[] {
  const value = isObject(object.metadata) ? object.metadata[field] : undefined;
  return Array.isArray(value) ? value : [];
}

/** The finalizers. */
export function finalizersOf(object: JsonObject): readonly string[] {
  return metaList(object, "finalizers") as readonly string[];
}

/** The grace period of a deletion that has begun; 0 when absent. */
export function gracePeriodSecondsOf(object: JsonObject): number {
  return metaNumber(object, "deletionGracePeriodSeconds") ?? 0;
}

/** True once the object has a deletionTimestamp. */
export function isDeleting(object: JsonObject): boolean {
  return metaString(object, "deletionTimestamp") !== "";
}
