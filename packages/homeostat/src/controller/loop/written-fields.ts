// The fields that one field manager wrote in an object, with their values, and which of them differ
// between two states. Read from the managedFields of responses, so that the writes of others in the
// same object do not count. Pure.
import { equalJson, isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { extractFields } from "../own/owned-fields.ts";

/** An entry of metadata.managedFields. */
export interface ManagedEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: JsonObject;
}

/** The entries of an object's managedFields. */
export const entriesOf = (object: KubeObject): readonly ManagedEntry[] =>
  (object.metadata as { readonly managedFields?: readonly ManagedEntry[] }).managedFields ?? [];

/** True for the manager and for its named sets. */
export const isOf = (manager: string, entry: ManagedEntry): boolean =>
  entry.manager === manager || entry.manager?.startsWith(`${manager}/`) === true;

/**
 * The fields of `object` that `manager` and its sets own, with the values of `state`, without
 * times, which differ from write to write also where nothing else does.
 */
export function writtenFields(
  object: KubeObject,
  manager: string,
  state: KubeObject = object,
): JsonObject {
  const out: JsonObject = {};
  for (const entry of entriesOf(object)) {
    if (!isOf(manager, entry) || !entry.fieldsV1) continue;
    const fields = extractFields(state as unknown as JsonObject, entry.fieldsV1);
    if (isObject(fields)) merge(out, fields);
  }
  return withoutTimes(out) as JsonObject;
}

/**
 * The fields by which two writes of one object are compared: those of `manager`, or, of a write
 * with another field manager, all that users set.
 */
export function comparedFields(object: KubeObject, manager: string): JsonObject {
  if (entriesOf(object).some((entry) => isOf(manager, entry)))
    return writtenFields(object, manager);
  const { metadata, ...rest } = object as unknown as JsonObject & KubeObject;
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  const set = { labels, annotations, finalizers: [...finalizers] };
  return withoutTimes({ ...rest, metadata: set } as unknown as Json) as JsonObject;
}

function merge(into: JsonObject, from: JsonObject): void {
  for (const [name, value] of Object.entries(from)) {
    const held = into[name];
    if (isObject(held) && isObject(value)) into[name] = { ...held };
    const target = into[name];
    if (isObject(target) && isObject(value)) merge(target, value);
    else into[name] = value;
  }
}

function withoutTimes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, child]) =>
      name === "lastTransitionTime" ? [] : [[name, withoutTimes(child)]],
    ),
  );
}

/** The fields of `ours` that have another value in `theirs`, e.g. `spec.replicas`. */
export function differingFields(ours: Json, theirs: Json | undefined): readonly string[] {
  return differences(ours, theirs, "");
}

function differences(ours: Json, theirs: Json | undefined, at: string): string[] {
  if (isObject(ours) && isObject(theirs) && Object.keys(ours).length > 0)
    return Object.entries(ours).flatMap(([name, value]) =>
      differences(value, theirs[name], at ? `${at}.${name}` : name),
    );
  return equalJson(withoutTimes(ours), theirs === undefined ? undefined : withoutTimes(theirs))
    ? []
    : [at];
}
