// The bridge from client-side apply: what kubectl noted in its annotation, and what of it still
// holds.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal (lastapplied*.go).
import { encodeJson, isObject, type Json, type JsonObject, parseJson } from "homeostat/api";
import { compareTyped } from "../typed/compare-typed.ts";
import { difference, emptySet, type FieldSet } from "../fieldpath/field-set.ts";
import { fieldSetOfValue } from "../typed/to-field-set.ts";
import { MergeError } from "../fieldpath/merge-error.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { validateTyped } from "../typed/validate-typed.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** The one manager to which the annotation means anything. */
export const clientSideManager = "kubectl";

/** All annotations of an object together, keys and values, in bytes. */
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
 * The fields of the noted configuration whose live values are still the noted ones: an apply may
 * take them without force.
 */
export function fieldsStillAsLastApplied(
  live: JsonObject,
  apiVersion: string,
  type: SmdType,
): FieldSet {
  const noted = parseNoted(lastAppliedOf(live));
  if (noted?.["apiVersion"] !== apiVersion) return emptySet;
  if (validateTyped(type, live, "refused").length || validateTyped(type, noted, "refused").length)
    return emptySet;
  try {
    const { added, modified, removed } = compareTyped(type, noted, live);
    return difference(
      difference(difference(fieldSetOfValue(type, noted), modified), added),
      removed,
    );
  } catch (error) {
    if (error instanceof MergeError) return emptySet;
    throw error;
  }
}

function parseNoted(text: string): JsonObject | undefined {
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
 * The object with the annotation renewed from the intent, if it had one; dropped where it would be
 * too large.
 */
export function renewLastApplied(object: JsonObject, intent: JsonObject): JsonObject {
  if (!lastAppliedOf(object)) return object;
  const { [lastAppliedAnnotation]: _, ...others } = annotationsOf(object)!;
  const annotations: JsonObject = { ...others, [lastAppliedAnnotation]: noteOf(intent) };
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

/** The intent as one line of JSON, without the annotation itself. */
function noteOf(intent: JsonObject): string {
  const annotations = annotationsOf(intent);
  if (!annotations) return `${encodeJson(intent)}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return `${encodeJson({ ...intent, metadata: { ...(intent["metadata"] as JsonObject), annotations: others } })}\n`;
}
