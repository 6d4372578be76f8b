// Decodes metadata.managedFields into managers with field sets, and encodes them.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal (managedfields.go,
// fieldmanager.go).
import { compareBytewise, encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { emptySet } from "../fieldpath/field-set.ts";
import { formatFieldsV1, parseFieldsV1 } from "../fieldpath/fields-v1.ts";
import { MergeError } from "../fieldpath/merge-error.ts";
import type { Managers, VersionedSet } from "./managers.ts";

/** Managers by identifier, and the time of the last write of each. */
export interface Managed {
  readonly managers: Managers;
  /** RFC 3339; may hold identifiers of managers that are gone. */
  readonly times: ReadonlyMap<string, string>;
}

export const nothingManaged: Managed = { managers: new Map(), times: new Map() };

/**
 * The identity of a manager. Appliers have one identity over all versions, updaters one for each
 * version.
 */
export interface ManagerIdentity {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
}

/**
 * The identifier, e.g.
 * `{"manager":"kubectl","operation":"Update","apiVersion":"v1","subresource":"status"}`; upstream
 * sorts by it.
 */
export function formatManagerId({
  manager,
  operation,
  apiVersion,
  subresource,
}: ManagerIdentity): string {
  const parts = [
    ["manager", manager],
    ["operation", operation],
    ["apiVersion", operation === "Apply" ? "" : apiVersion],
    ["subresource", subresource],
  ] as const;
  return `{${parts
    .filter(([, value]) => value)
    .map(([name, value]) => `"${name}":${encodeJson(value)}`)
    .join(",")}}`;
}

/** The identity of an identifier. */
export function parseManagerId(id: string): ManagerIdentity {
  const {
    manager = "",
    operation = "Update",
    apiVersion = "",
    subresource = "",
  } = JSON.parse(id) as Partial<ManagerIdentity>;
  return { manager, operation, apiVersion, subresource };
}

/** The list in an object's metadata, unchanged; undefined when absent. */
export function managedFieldsOf(object: JsonObject): readonly Json[] | undefined {
  const fields = isObject(object["metadata"]) ? object["metadata"]["managedFields"] : undefined;
  return Array.isArray(fields) ? fields : undefined;
}

/** Whether Go would decode the entry; a list with one that it would not counts as absent. */
export const isReadableEntry = (entry: Json): boolean =>
  isObject(entry) &&
  ["manager", "operation", "apiVersion", "time", "fieldsType", "subresource"].every(
    (name) => entry[name] === undefined || entry[name] === null || typeof entry[name] === "string",
  );

/** Whether the list resets all entries: empty, or one entry without content. */
export function isReset(fields: readonly Json[] | undefined): boolean {
  if (!fields) return false;
  return (
    !fields.length ||
    (fields.length === 1 &&
      isObject(fields[0]) &&
      Object.values(fields[0]).every((value) => value === null || value === ""))
  );
}

/** Throws {@link MergeError} for the first malformed entry. */
export function decodeManagedFields(fields: readonly Json[] | undefined): Managed {
  const managers = new Map<string, VersionedSet>();
  const times = new Map<string, string>();
  for (const [i, entry] of (fields ?? []).entries()) {
    if (!isObject(entry)) throw new MergeError(`managed fields entry ${i} is not an object`);
    const { id, owner } = decodeEntry(entry, i);
    managers.set(id, owner);
    if (typeof entry["time"] === "string") times.set(id, entry["time"]);
    else times.delete(id);
  }
  return { managers, times };
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");

function decodeEntry(
  entry: JsonObject,
  i: number,
): { readonly id: string; readonly owner: VersionedSet } {
  const operation = textOf(entry["operation"]),
    apiVersion = textOf(entry["apiVersion"]),
    fieldsType = textOf(entry["fieldsType"]);
  if (operation !== "Apply" && operation !== "Update")
    throw new MergeError("operation must be `Apply` or `Update`");
  if (!apiVersion) throw new MergeError("apiVersion must not be empty");
  if (!fieldsType) throw new MergeError(`missing fieldsType in managed fields entry ${i}`);
  if (fieldsType !== "FieldsV1")
    throw new MergeError(`invalid fieldsType ${quoteGo(fieldsType)} in managed fields entry ${i}`);
  const id = formatManagerId({
    manager: textOf(entry["manager"]),
    operation,
    apiVersion,
    subresource: textOf(entry["subresource"]),
  });
  const set = entry["fieldsV1"] === undefined ? emptySet : parseFieldsV1(entry["fieldsV1"]);
  return { id, owner: { set, apiVersion, applied: operation === "Apply" } };
}

/**
 * Entries in upstream's order: by operation, second, manager, apiVersion, subresource; undefined
 * when there are no managers.
 */
export function encodeManagedFields({ managers, times }: Managed): Json[] | undefined {
  if (!managers.size) return undefined;
  return [...managers]
    .map(([id, owner]) => ({ identity: parseManagerId(id), owner, time: times.get(id) }))
    .sort(
      (a, b) =>
        compareBytewise(operationOf(a), operationOf(b)) ||
        secondOf(a.time) - secondOf(b.time) ||
        compareBytewise(a.identity.manager, b.identity.manager) ||
        compareBytewise(a.owner.apiVersion, b.owner.apiVersion) ||
        compareBytewise(a.identity.subresource, b.identity.subresource),
    )
    .map(encodeEntry);
}

interface Entry {
  readonly identity: ManagerIdentity;
  readonly owner: VersionedSet;
  readonly time: string | undefined;
}

const operationOf = ({ identity, owner }: Entry): string =>
  owner.applied ? "Apply" : identity.operation;

/** Unix seconds; no time counts as zero. */
export const secondOf = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000) || 0;

const encodeEntry = (entry: Entry): JsonObject => ({
  ...(entry.identity.manager ? { manager: entry.identity.manager } : {}),
  operation: operationOf(entry),
  apiVersion: entry.owner.apiVersion,
  ...(entry.time === undefined ? {} : { time: entry.time }),
  fieldsType: "FieldsV1",
  fieldsV1: formatFieldsV1(entry.owner.set),
  ...(entry.identity.subresource ? { subresource: entry.identity.subresource } : {}),
});

/**
 * A copy of the object with these managedFields, or without any. Shares the rest with its argument.
 */
export function withManagedFields(object: JsonObject, fields: Json[] | undefined): JsonObject {
  if (!isObject(object["metadata"]))
    return fields ? { ...object, metadata: { managedFields: fields } } : object;
  const { managedFields: _, ...metadata } = object["metadata"];
  return { ...object, metadata: fields ? { ...metadata, managedFields: fields } : metadata };
}
