// Reads an object's metadata from its bytes, for caches and predicates, without parsing: in 1 to 2
// microseconds instead of 10 to 20. Labels, owners and managedFields are returned as byte ranges.
import { type ByteRange, eachMember, readString, spells } from "./scan-json.ts";

/** An object's metadata. Absent strings are "". */
export interface ScannedMetadata {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  /** True when deletionTimestamp is set. */
  deleting: boolean;
  /** Byte ranges of values. */
  labels: ByteRange | undefined;
  annotations: ByteRange | undefined;
  ownerReferences: ByteRange | undefined;
  managedFields: ByteRange | undefined;
  /** Offset of the key of managedFields, at its quote. */
  managedFieldsKey: number;
  /** Byte ranges of `metadata`, and of `apiVersion` and `kind` where they stand before it. */
  metadata: ByteRange;
  apiVersion: ByteRange | undefined;
  kind: ByteRange | undefined;
}

/**
 * Scans compact JSON such as `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`; undefined
 * for anything else.
 */
export function scanMetadata(bytes: Uint8Array): ScannedMetadata | undefined {
  const reader = new MetadataReader(bytes);
  let inner = -1;
  const outer = eachMember(bytes, 0, (keyStart, keyEnd, valueStart, valueEnd) => {
    if (!reader.isMetadata(keyStart, keyEnd, valueStart, valueEnd)) return;
    inner = eachMember(bytes, valueStart, (at, to, from, end) => reader.read(at, to, from, end));
    return false;
  });
  return outer === -2 && inner > 0 && reader.name ? reader : undefined;
}

const comma = 44;

/** The range of the member managedFields with one comma; undefined without it. */
export function managedFieldsSpan(
  bytes: Uint8Array,
  { managedFields, managedFieldsKey: start }: ScannedMetadata,
): ByteRange | undefined {
  if (!managedFields) return undefined;
  const { end } = managedFields;
  if (bytes[end] === comma) return { start, end: end + 1 };
  return { start: bytes[start - 1] === comma ? start - 1 : start, end };
}

class MetadataReader implements ScannedMetadata {
  name = "";
  namespace = "";
  uid = "";
  resourceVersion = "";
  generation = 0;
  deleting = false;
  labels: ByteRange | undefined;
  annotations: ByteRange | undefined;
  ownerReferences: ByteRange | undefined;
  managedFields: ByteRange | undefined;
  managedFieldsKey = -1;
  metadata: ByteRange = { start: 0, end: 0 };
  apiVersion: ByteRange | undefined;
  kind: ByteRange | undefined;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads one member of the object; true for `metadata`. */
  isMetadata(keyStart: number, keyEnd: number, start: number, end: number): boolean {
    if (spells(this.#bytes, keyStart, keyEnd, "metadata")) {
      this.metadata = { start, end };
      return true;
    }
    if (spells(this.#bytes, keyStart, keyEnd, "kind")) this.kind = { start, end };
    else if (spells(this.#bytes, keyStart, keyEnd, "apiVersion")) this.apiVersion = { start, end };
    return false;
  }

  /** Reads one member of metadata. */
  read(keyStart: number, keyEnd: number, start: number, end: number): void {
    const bytes = this.#bytes;
    switch (keyEnd - keyStart) {
      case 3:
        if (spells(bytes, keyStart, keyEnd, "uid")) this.uid = readString(bytes, start, end) ?? "";
        return;
      case 4:
        if (spells(bytes, keyStart, keyEnd, "name"))
          this.name = readString(bytes, start, end) ?? "";
        return;
      case 6:
        if (spells(bytes, keyStart, keyEnd, "labels")) this.labels = { start, end };
        return;
      case 9:
        if (spells(bytes, keyStart, keyEnd, "namespace"))
          this.namespace = readString(bytes, start, end) ?? "";
        return;
      case 10:
        if (spells(bytes, keyStart, keyEnd, "generation"))
          this.generation = readInteger(bytes, start, end);
        return;
      case 11:
        if (spells(bytes, keyStart, keyEnd, "annotations")) this.annotations = { start, end };
        return;
      case 13:
        if (spells(bytes, keyStart, keyEnd, "managedFields"))
          [this.managedFields, this.managedFieldsKey] = [{ start, end }, keyStart - 1];
        return;
      case 15:
        if (spells(bytes, keyStart, keyEnd, "resourceVersion"))
          this.resourceVersion = readString(bytes, start, end) ?? "";
        else if (spells(bytes, keyStart, keyEnd, "ownerReferences"))
          this.ownerReferences = { start, end };
        return;
      case 17:
        if (spells(bytes, keyStart, keyEnd, "deletionTimestamp"))
          this.deleting = bytes[start] === 34;
    }
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
