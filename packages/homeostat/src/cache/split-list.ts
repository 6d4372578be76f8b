// Cuts a list's bytes into its items and a watch event's into type and object, without parsing
// either. Bytes that are not compact JSON are brought into that form first.
import { encodeJsonBytes } from "../api/encode-json.ts";
import { eachItem, eachMember, readString, spells } from "../api/scan-json.ts";
import { decodeJson } from "../client/request/decode-json.ts";

/** `null` stands for no items, as Go writes an empty slice that is nil. */
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

/** One page of a list; items are views into the page's bytes. */
export interface SplitList {
  readonly resourceVersion: string;
  readonly continue: string;
  readonly items: readonly Uint8Array[];
}

/** One line of a watch; the object is a view into the line. */
export interface SplitEvent {
  readonly type: string;
  readonly object: Uint8Array;
}

/**
 * Splits `{"kind":"PodList",…,"metadata":{"resourceVersion":"7"},"items":[…]}`; undefined when it
 * is no list. Throws on what is no JSON.
 */
export function splitList(bytes: Uint8Array): SplitList | undefined {
  return scanList(bytes) ?? scanList(encodeJsonBytes(decodeJson(bytes)));
}

/**
 * Splits `{"type":"ADDED","object":{…}}`; undefined when it is no event. Throws on what is no JSON.
 */
export function splitEvent(line: Uint8Array): SplitEvent | undefined {
  return cutEvent(line) ?? scanEvent(line) ?? scanEvent(encodeJsonBytes(decodeJson(line)));
}

/**
 * API servers write type and object in this order and nothing else: then the object need not be
 * walked to find its end.
 */
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
  const items: Uint8Array[] = [];
  let itemsEnd = 0;
  const end = eachMember(bytes, 0, (keyStart, keyEnd, start) => {
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
    : { resourceVersion, continue: token, items };
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
