// What one field manager said about an object, read back from the object itself: its managedFields
// entry, and the values under the fields listed there. This is how "keeps what this manager last
// applied" is known without any state of our own.
// Upstream: sigs.k8s.io/structured-merge-diff fieldpath/serialize-pe.go (the FieldsV1 path elements
// f:, k:, v:, i:).
import { equalJson, isObject, type Json, type JsonObject } from "../../api/json.ts";

/** The entries of metadata.managedFields. */
export function managedEntries(object: { readonly metadata: object }): readonly JsonObject[] {
  return (
    (object.metadata as { readonly managedFields?: readonly JsonObject[] }).managedFields ?? []
  );
}

/**
 * The fields that a manager last applied, as FieldsV1; undefined when it applied nothing to this
 * part of the object.
 */
export function appliedFields(
  object: { readonly metadata: object },
  manager: string,
  subresource: string,
): JsonObject | undefined {
  const entry = managedEntries(object).find(
    (one) =>
      one["manager"] === manager &&
      one["operation"] === "Apply" &&
      (one["subresource"] ?? "") === subresource,
  );
  const fields = entry?.["fieldsV1"];
  return isObject(fields) ? fields : undefined;
}

/**
 * The part of `value` that `fields` names, e.g. `{"f:spec":{"f:replicas":{}}}` of a Deployment
 * gives `{spec: {replicas: 3}}`. Fields that have vanished are left out; `value` is not mutated and
 * parts of it are shared.
 */
export function extractFields(value: Json, fields: JsonObject): Json | undefined {
  const names = Object.keys(fields).filter((name) => name !== ".");
  if (names.length === 0) return value;
  if (Array.isArray(value)) return extractItems(value, fields, names);
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const name of names) {
    const field = name.slice(2);
    const child =
      name.startsWith("f:") && Object.hasOwn(value, field)
        ? extractFields(value[field]!, fields[name] as JsonObject)
        : undefined;
    if (child !== undefined) out[field] = child;
  }
  return out;
}

function extractItems(
  items: readonly Json[],
  fields: JsonObject,
  names: readonly string[],
): Json[] {
  return items.flatMap((item, index) => {
    const name = names.find((one) => selects(one, item, index));
    if (name === undefined) return [];
    const part = extractFields(item, fields[name] as JsonObject);
    return part === undefined ? [] : [part];
  });
}

/** Whether a path element such as `k:{"type":"Ready"}`, `v:"a"` or `i:0` names this item. */
function selects(element: string, item: Json, index: number): boolean {
  const text = element.slice(2);
  if (element.startsWith("i:")) return Number(text) === index;
  if (element.startsWith("v:")) return equalJson(JSON.parse(text) as Json, item);
  if (!element.startsWith("k:") || !isObject(item)) return false;
  return Object.entries(JSON.parse(text) as JsonObject).every(([key, value]) =>
    equalJson(item[key], value),
  );
}
