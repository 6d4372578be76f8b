// JSON values to canonical bytes: keys in bytewise order, HTML-sensitive characters escaped, as
// Go's encoding/json does. Canonical means: equal values have equal bytes, so that "nothing
// changed" is a comparison of bytes.
// Upstream: encoding/json with SetEscapeHTML(true) over map[string]any.
import type { Json, JsonObject } from "./json.ts";

/** Needs no escapes: printable ASCII without quotes, backslashes and HTML-sensitive characters. */
const plain = /^[ !#-%'-;=?-[\]-~]*$/;
const unsafe = /[<>&\u2028\u2029]/g;
const unsafeOnce = /[<>&\u2028\u2029]/;
const surrogate = /[\ud800-\udfff]/;
const encoder = new TextEncoder();

/**
 * Nesting depth up to which recursion is used, because it is fastest; deeper levels are encoded
 * iteratively.
 */
const recursiveLevels = 200;

/**
 * Encodes a value canonically, e.g. `{"apiVersion":"v1","data":{"a":"\u003cb\u003e"}}`; no trailing
 * newline.
 */
export function encodeJson(value: Json): string {
  if (typeof value !== "object" || value === null) return encode(value, recursiveLevels);
  return encodePlain(value) ?? encode(value, recursiveLevels);
}

/** What JSON.stringify writes otherwise, or orders otherwise: HTML, and what is no character. */
const special = /[<>&\u2028\u2029\ud800-\udfff]|\\u[dD]/;

/**
 * By JSON.stringify, several times as fast as what follows, where that writes the same; undefined
 * elsewhere.
 */
function encodePlain(value: readonly Json[] | JsonObject): string | undefined {
  const ordered = inOrder(value, recursiveLevels);
  if (ordered === unlike) return undefined;
  const text = JSON.stringify(ordered);
  return special.test(text) ? undefined : text;
}

/** In the place of a value that JSON.stringify refuses or writes otherwise. */
const unlike = Symbol("unlike");

/** The value itself if all its keys are in order, else a copy in which they are. */
function inOrder(value: Json | readonly Json[] | undefined, levels: number): unknown {
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0) ? value : unlike;
  if (typeof value === "bigint") return unlike;
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return unlike;
  return Array.isArray(value)
    ? itemsInOrder(value, levels - 1)
    : keysInOrder(value as JsonObject, levels - 1);
}

function itemsInOrder(items: readonly Json[], levels: number): unknown {
  let copy: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const ordered = inOrder(items[i], levels);
    if (ordered === unlike) return unlike;
    if (ordered !== items[i]) (copy ??= [...items])[i] = ordered;
  }
  return copy ?? items;
}

function keysInOrder(object: JsonObject, levels: number): unknown {
  const keys = Object.keys(object);
  const isOrdered = keys.every((key, i) => i === 0 || keys[i - 1]! < key);
  if (!isOrdered && keys.some(isPlaced)) return unlike;
  let copy: Record<string, unknown> | undefined = isOrdered ? undefined : {};
  for (const key of isOrdered ? keys : keys.sort()) {
    const ordered = inOrder(object[key], levels);
    if (ordered === unlike) return unlike;
    if (isOrdered && ordered !== object[key]) copy ??= { ...object };
    if (copy) copy[key] = ordered;
  }
  return copy ?? object;
}

/** Keys that an object cannot have where one puts them: numbers come first, one is a setter. */
const isPlaced = (key: string): boolean => /^\d/.test(key) || key === "__proto__";

function encode(value: Json, levels: number): string {
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
      if (value === null) return "null";
      if (levels === 0) return encodeDeep(value);
      return Array.isArray(value)
        ? encodeArray(value, levels - 1)
        : encodeObject(value, levels - 1);
  }
}

/** `encodeJson` as UTF-8. */
export function encodeJsonBytes(value: Json): Uint8Array {
  return encoder.encode(encodeJson(value));
}

/**
 * Sorts by UTF-8 bytes, as Go compares strings; differs from the default sort only where surrogate
 * pairs occur.
 */
export function compareBytewise(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (isSurrogate(x) || isSurrogate(y))
      return Buffer.compare(encoder.encode(a), encoder.encode(b));
    return x - y;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

function encodeArray(items: readonly Json[], levels: number): string {
  let out = "[";
  for (let i = 0; i < items.length; i++) out += (i ? "," : "") + encode(items[i]!, levels);
  return `${out}]`;
}

function encodeObject(object: JsonObject, levels: number): string {
  const keys = sortedKeys(object);
  let out = "{";
  for (let i = 0; i < keys.length; i++)
    out += `${i ? "," : ""}${encodeString(keys[i]!)}:${encode(object[keys[i]!]!, levels)}`;
  return `${out}}`;
}

/** A container that is being written; `keys` is set for objects only. */
interface Written {
  readonly of: readonly Json[] | JsonObject;
  readonly keys: readonly string[] | undefined;
  next: number;
}

const writing = (of: readonly Json[] | JsonObject): Written => ({
  of,
  keys: Array.isArray(of) ? undefined : sortedKeys(of as JsonObject),
  next: 0,
});

/** The same, iteratively. */
function encodeDeep(value: readonly Json[] | JsonObject): string {
  const open = [writing(value)];
  let out = "";
  for (let at = open.at(-1); at; at = open.at(-1)) {
    const { of, keys } = at;
    const list = of as readonly Json[];
    if (at.next === 0) out += keys ? "{" : "[";
    if (at.next === (keys ?? list).length) {
      out += keys ? "}" : "]";
      open.pop();
      continue;
    }
    const key = keys?.[at.next];
    const member = key === undefined ? list[at.next]! : (of as JsonObject)[key]!;
    out += `${at.next++ ? "," : ""}${key === undefined ? "" : `${encodeString(key)}:`}`;
    if (typeof member === "object" && member !== null) open.push(writing(member));
    else out += encode(member, 0);
  }
  return out;
}

function sortedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return isSorted(keys) ? keys : keys.sort(compareBytewise);
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++)
    if (compareBytewise(keys[i - 1]!, keys[i]!) > 0) return false;
  return true;
}

function encodeString(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const quoted = JSON.stringify(surrogate.test(text) ? text.toWellFormed() : text);
  return unsafeOnce.test(quoted)
    ? quoted.replace(unsafe, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : quoted;
}

/**
 * Go writes floats in exponent form below 1e-6 and from 1e21, with at least two exponent digits
 * trimmed of a leading zero.
 */
function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`a JSON number must be finite, got ${value}`);
  if (Object.is(value, -0)) return "-0";
  return String(value);
}
