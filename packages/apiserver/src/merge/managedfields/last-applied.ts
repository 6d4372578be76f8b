// Migration from client-side apply: kubectl's last-applied annotation, and which of its fields the
// live object still has.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal (lastapplied*.go).
import { encodeJson, isObject, type Json, type JsonObject, parseJson } from "homeostat/api";
import { compareTyped } from "../typed/compare-typed.ts";
import { difference, emptySet, type FieldSet } from "../fieldpath/field-set.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import { MergeError } from "../fieldpath/merge-error.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { validateTyped } from "../typed/validate-typed.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** The only manager that the annotation applies to. */
export const clientSideManager = "kubectl";

/** Limit of all annotations of an object, keys and values, in bytes. */
const maxAnnotationsSize = 256 * 1024;

const annotationsOf = (object: JsonObject): JsonObject | undefined => {
  const annotations = isObject(object["metadata"]) ? object["metadata"]["annotations"] : undefined;
  return isObject(annotations) ? annotations : undefined;
};

const lastAppliedOf = (object: JsonObject): string => {
  const text = annotationsOf(object)?.[lastAppliedAnnotation];
  return typeof text === "string" ? text : "";
};

/**
 * The fields of the last applied configuration that the live object has unchanged: an apply may
 * take them without force.
 */
export function fieldsStillAsLastApplied(
  live: JsonObject,
  apiVersion: string,
  type: SmdType,
): FieldSet {
  const lastApplied = parseLastApplied(lastAppliedOf(live));
  if (lastApplied?.["apiVersion"] !== apiVersion) return emptySet;
  if (
    validateTyped(type, live, "refused").length ||
    validateTyped(type, lastApplied, "refused").length
  )
    return emptySet;
  try {
    const { added, modified, removed } = compareTyped(type, lastApplied, live);
    return difference(
      difference(difference(toFieldSet(type, lastApplied), modified), added),
      removed,
    );
  } catch (error) {
    if (error instanceof MergeError) return emptySet;
    throw error;
  }
}

function parseLastApplied(text: string): JsonObject | undefined {
  if (!text) return undefined;
  let value: Json;
  try {
    ({ value } = parseJson(text));
  } catch {
    return undefined;
  }
  return isObject(value) && typeof value["kind"] === "string" ? value : undefined;
}

/**
 * Sets the annotation to the intent if the object has one; drops it if annotations would exceed
 * their limit.
 */
export function renewLastApplied(object: JsonObject, intent: JsonObject): JsonObject {
  if (!lastAppliedOf(object)) return object;
  const { [lastAppliedAnnotation]: _, ...others } = annotationsOf(object)!;
  const annotations: JsonObject = { ...others, [lastAppliedAnnotation]: formatLastApplied(intent) };
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  const { annotations: _before, ...metadata } = object["metadata"] as JsonObject;
  const left = size > maxAnnotationsSize ? others : annotations;
  return {
    ...object,
    metadata: Object.keys(left).length ? { ...metadata, annotations: left } : metadata,
  };
}

/** The intent as one line of JSON, without the annotation. */
function formatLastApplied(intent: JsonObject): string {
  const annotations = annotationsOf(intent);
  if (!annotations) return `${encodeJson(intent)}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return `${encodeJson({ ...intent, metadata: { ...(intent["metadata"] as JsonObject), annotations: others } })}\n`;
}
