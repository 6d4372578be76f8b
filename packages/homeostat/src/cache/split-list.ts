// Splits a list's bytes into items and a watch event's into type and object, without parsing them.
// Other JSON is converted to compact form first.
import { encodeJsonBytes } from "../api/encode-json.ts";
import { eachItem, eachMember, readString, spells } from "../api/scan-json.ts";
import { decodeJson } from "../client/request/decode-json.ts";

/** `null` means no items: Go's encoding of a nil slice. */
const nullStart = 110;
const closeBrace = 125;
const eventTypes = ["ADDED", "MODIFIED", "DELETED"] as const;
const eventPrefixes = {
  ADDED: toPrefix("ADDED"),
  MODIFIED: toPrefix("MODIFIED"),
  DELETED: toPrefix("DELETED"),
} as const;

function toPrefix(type: string): Uint8Array {
  return new TextEncoder().encode(`{"type":"${type}","object":`);
}

/** A page of a list; items are subarrays of the page's bytes. */
export interface SplitList {
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly resourceVersion: string;
  readonly continue: string;
  readonly items: readonly Uint8Array[];
}

/** A watch event; the object is a subarray of the line. */
export interface SplitEvent {
  readonly type: string;
  readonly object: Uint8Array;
}

/**
 * Splits `{"kind":"PodList",…,"metadata":{"resourceVersion":"7"},"items":[…]}`; undefined if it is
 * not a list. Throws if it is not JSON.
 */
export function splitList(bytes: Uint8Array): SplitList | undefined {
  return scanList(bytes) ?? scanList(encodeJsonBytes(decodeJson(bytes)));
}

/**
 * Splits `{"type":"ADDED","object":{…}}`; undefined if it is not an event. Throws if it is not
 * JSON.
 */
export function splitEvent(line: Uint8Array): SplitEvent | undefined {
  return cutEvent(line) ?? scanEvent(line) ?? scanEvent(encodeJsonBytes(decodeJson(line)));
}

/** API servers write exactly type and object, in this order: then the object's end is known. */
function cutEvent(line: Uint8Array): SplitEvent | undefined {
  for (const type of eventTypes) {
    const prefix = eventPrefixes[type];
    if (line[line.length - 1] === closeBrace && prefix.every((byte, i) => line[i] === byte))
      return { type, object: line.subarray(prefix.length, -1) };
  }
  return undefined;
}

function scanList(bytes: Uint8Array): SplitList | undefined {
  let resourceVersion: string | undefined;
  let token = "";
  let apiVersion: string | undefined;
  let kind: string | undefined;
  const items: Uint8Array[] = [];
  let itemsEnd = 0;
  const end = eachMember(bytes, 0, (keyStart, keyEnd, start, stop) => {
    if (spells(bytes, keyStart, keyEnd, "apiVersion")) apiVersion = readString(bytes, start, stop);
    if (spells(bytes, keyStart, keyEnd, "kind")) kind = readString(bytes, start, stop);
    if (spells(bytes, keyStart, keyEnd, "items"))
      itemsEnd =
        bytes[start] === nullStart
          ? 0
          : eachItem(bytes, start, (from, to) => void items.push(bytes.subarray(from, to)));
    if (!spells(bytes, keyStart, keyEnd, "metadata")) return;
    eachMember(bytes, start, (innerStart, innerEnd, from, to) => {
      if (spells(bytes, innerStart, innerEnd, "resourceVersion"))
        resourceVersion = readString(bytes, from, to);
      if (spells(bytes, innerStart, innerEnd, "continue"))
        token = readString(bytes, from, to) ?? "";
    });
  });
  return end < 0 || itemsEnd < 0 || resourceVersion === undefined
    ? undefined
    : { apiVersion, kind, resourceVersion, continue: token, items };
}

function scanEvent(line: Uint8Array): SplitEvent | undefined {
  let type: string | undefined;
  let object: Uint8Array | undefined;
  const end = eachMember(line, 0, (keyStart, keyEnd, start, stop) => {
    if (spells(line, keyStart, keyEnd, "type")) type = readString(line, start, stop);
    if (spells(line, keyStart, keyEnd, "object")) object = line.subarray(start, stop);
  });
  return end < 0 || type === undefined || object === undefined ? undefined : { type, object };
}
