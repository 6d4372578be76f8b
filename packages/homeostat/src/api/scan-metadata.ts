// Reads off an object's bytes what caches and predicates need, without parsing: 1 to 2 microseconds
// instead of 10 to 20. Spans of labels, owners and managedFields are kept for those who need them.
import { type ByteRange, eachMember, readString, spells } from "./scan-json.ts";

/** What stands in an object's metadata. Absent strings are "". */
export interface ScannedMetadata {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  /** A deletionTimestamp is set. */
  deleting: boolean;
  /** Spans of values. */
  labels: ByteRange | undefined;
  annotations: ByteRange | undefined;
  ownerReferences: ByteRange | undefined;
  managedFields: ByteRange | undefined;
  /** Where the key of managedFields begins, at its quote. */
  managedFieldsKey: number;
}

/**
 * Scans compact JSON such as `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`; undefined
 * for anything else.
 */
export function scanMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  const out: ScannedMetadata = {
    name: "",
    namespace: "",
    uid: "",
    resourceVersion: "",
    generation: 0,
    deleting: false,
    labels: undefined,
    annotations: undefined,
    ownerReferences: undefined,
    managedFields: undefined,
    managedFieldsKey: -1,
  };
  let inner = -1;
  const outer = eachMember(bytes, 0, (keyStart, keyEnd, valueStart) => {
    if (!spells(bytes, keyStart, keyEnd, "metadata")) return;
    inner = eachMember(bytes, valueStart, (start, end, from, to) =>
      readField(bytes, out, start, end, from, to),
    );
    return false;
  });
  return outer === -2 && inner > 0 && out.name ? out : undefined;
}

function readField(
  bytes: Uint8Array,
  out: ScannedMetadata,
  keyStart: number,
  keyEnd: number,
  start: number,
  end: number,
): void {
  const is = (word: string): boolean => spells(bytes, keyStart, keyEnd, word);
  switch (keyEnd - keyStart) {
    case 3:
      if (is("uid")) out.uid = readString(bytes, start, end) ?? "";
      return;
    case 4:
      if (is("name")) out.name = readString(bytes, start, end) ?? "";
      return;
    case 6:
      if (is("labels")) out.labels = { start, end };
      return;
    case 9:
      if (is("namespace")) out.namespace = readString(bytes, start, end) ?? "";
      return;
    case 10:
      if (is("generation")) out.generation = readInteger(bytes, start, end);
      return;
    case 11:
      if (is("annotations")) out.annotations = { start, end };
      return;
    case 13:
      if (is("managedFields"))
        [out.managedFields, out.managedFieldsKey] = [{ start, end }, keyStart - 1];
      return;
    case 15:
      if (is("resourceVersion")) out.resourceVersion = readString(bytes, start, end) ?? "";
      else if (is("ownerReferences")) out.ownerReferences = { start, end };
      return;
    case 17:
      if (is("deletionTimestamp")) out.deleting = bytes[start] === 34;
  }
}

/** An unsigned integer; 0 for anything else. */
function readInteger(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - 48;
    if (digit < 0 || digit > 9) return 0;
    value = value * 10 + digit;
  }
  return value;
}
