// JSON values to canonical bytes: keys in bytewise order, HTML-sensitive characters escaped, as Go's encoding/json does.
// Canonical means: equal values have equal bytes, so that "nothing changed" is a comparison of bytes.
// Upstream: encoding/json with SetEscapeHTML(true) over map[string]any.
import type { Json, JsonObject } from "./json.ts";

/** Nothing to escape: printable ASCII without quote, backslash and what HTML could trip over. */
const plain = /^[ !#-%'-;=?-[\]-~]*$/;
const unsafe = /[<>&\u2028\u2029]/g;
const unsafeOnce = /[<>&\u2028\u2029]/;
const surrogate = /[\ud800-\udfff]/;
const encoder = new TextEncoder();

/** Encodes a value canonically, e.g. `{"apiVersion":"v1","data":{"a":"\u003cb\u003e"}}`; no trailing newline. */
export function encodeJson(value: Json): string {
  switch (typeof value) {
    case "string":
      return encodeString(value);
    case "number":
      return encodeNumber(value);
    case "bigint":
      return value.toString();
    case "boolean":
      return value ? "true" : "false";
    default:
      return value === null ? "null" : Array.isArray(value) ? encodeArray(value) : encodeObject(value);
  }
}

/** `encodeJson` as UTF-8. */
export function encodeJsonBytes(value: Json): Uint8Array {
  return encoder.encode(encodeJson(value));
}

/** Sorts by UTF-8 bytes, as Go compares strings; differs from the default sort only where surrogate pairs occur. */
export function compareBytewise(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (isSurrogate(x) || isSurrogate(y)) return Buffer.compare(encoder.encode(a), encoder.encode(b));
    return x - y;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

function encodeArray(items: readonly Json[]): string {
  let out = "[";
  for (let i = 0; i < items.length; i++) out += (i ? "," : "") + encodeJson(items[i]!);
  return `${out}]`;
}

function encodeObject(object: JsonObject): string {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  if (!isSorted(keys)) keys.sort(compareBytewise);
  let out = "{";
  for (let i = 0; i < keys.length; i++) out += `${i ? "," : ""}${encodeString(keys[i]!)}:${encodeJson(object[keys[i]!]!)}`;
  return `${out}}`;
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (compareBytewise(keys[i - 1]!, keys[i]!) > 0) return false;
  return true;
}

function encodeString(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(surrogate.test(text) ? text.toWellFormed() : text);
  return unsafeOnce.test(quoted) ? quoted.replace(unsafe, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`) : quoted;
}

/** Go writes floats in exponent form below 1e-6 and from 1e21, with at least two exponent digits trimmed of a leading zero. */
function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`a JSON number must be finite, got ${value}`);
  if (Object.is(value, -0)) return "-0";
  return String(value);
}
