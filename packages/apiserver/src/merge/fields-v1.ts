// Field sets to FieldsV1 and back, e.g. {"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{"f:app":{}}}}: an object
// per field, "." where the field itself is a member besides others below it.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go.
import { isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { type FieldSet, type FieldSetBuilder, sortedNodes } from "./field-set.ts";
import { parsePathElement } from "./field-path.ts";
import { MergeError } from "./merge-error.ts";

/** The set as an object whose keys stand in upstream's order. */
export function formatFieldsV1(set: FieldSet): JsonObject {
  const out: JsonObject = {};
  for (const { element, member, below } of sortedNodes(set)) setOwn(out, element.id, below ? { ...(member ? { ".": {} } : {}), ...formatFieldsV1(below) } : {});
  return out;
}

/** Reads FieldsV1; forms of a later version are left out. Throws {@link MergeError}. */
export function parseFieldsV1(fields: Json): FieldSet {
  return readLevel(fields).set;
}

function readLevel(fields: Json): { readonly set: FieldSetBuilder; readonly member: boolean } {
  const set: FieldSetBuilder = new Map();
  if (fields !== null && !isObject(fields)) throw new MergeError("ReadMapCB: expect { or n");
  let member = false;
  for (const key of fields ? Object.keys(fields) : []) {
    if (key === ".") member = true;
    else readField(set, key, fields![key]!);
  }
  return { set, member: member || !set.size };
}

function readField(set: FieldSetBuilder, key: string, value: Json): void {
  const element = parsePathElement(key);
  if (!element) return;
  const inner = readLevel(value);
  const known = set.get(element.id);
  set.set(element.id, { element, member: inner.member || (known?.member ?? false), below: inner.set.size ? inner.set : known?.below });
}
