// Finds the byte ranges of members and values without parsing, in compact JSON as API servers write
// it. For any other JSON (a space, an escape in a key) it returns a failure, and the caller parses
// instead.

const quote = 34;
const comma = 44;
const colon = 58;
const backslash = 92;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

/** A byte range, end exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Called for each member with the range of its key, without quotes, and of its value. Returning
 * false stops the walk.
 */
export type MemberVisitor = (
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  valueEnd: number,
) => boolean | void;

/**
 * Walks the object at `at`. Returns the index after it, -1 for unsupported JSON, -2 when the
 * visitor stopped.
 */
export function eachMember(bytes: Uint8Array, at: number, visit: MemberVisitor): number {
  if (bytes[at] !== openBrace) return -1;
  let i = at + 1;
  if (bytes[i] === closeBrace) return i + 1;
  for (;;) {
    if (bytes[i] !== quote) return -1;
    const keyEnd = plainStringEnd(bytes, i);
    if (keyEnd < 0 || bytes[keyEnd] !== colon) return -1;
    const valueEnd = skipValue(bytes, keyEnd + 1);
    if (valueEnd < 0) return -1;
    if (visit(i + 1, keyEnd - 1, keyEnd + 1, valueEnd) === false) return -2;
    if (bytes[valueEnd] === closeBrace) return valueEnd + 1;
    if (bytes[valueEnd] !== comma) return -1;
    i = valueEnd + 1;
  }
}

/** Walks the array at `at`. Returns the index after it, or -1 for unsupported JSON. */
export function eachItem(
  bytes: Uint8Array,
  at: number,
  visit: (start: number, end: number) => void,
): number {
  if (bytes[at] !== openBracket) return -1;
  let i = at + 1;
  if (bytes[i] === closeBracket) return i + 1;
  for (;;) {
    const end = skipValue(bytes, i);
    if (end < 0) return -1;
    visit(i, end);
    if (bytes[end] === closeBracket) return end + 1;
    if (bytes[end] !== comma) return -1;
    i = end + 1;
  }
}

/** True when the range equals `word`, which must be ASCII. */
export function spells(bytes: Uint8Array, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word.charCodeAt(i)) return false;
  return true;
}

/** Parses the string in the range, which includes its quotes; undefined if it is not a string. */
export function readString(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (bytes[start] !== quote) return undefined;
  const buffer = toBuffer(bytes);
  const isPlain = plainStringEnd(bytes, start) === end;
  return isPlain
    ? buffer.toString("utf8", start + 1, end - 1)
    : (JSON.parse(buffer.toString("utf8", start, end)) as string);
}

/** A Buffer over the same bytes. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The index after the value at `at`; -1 for unsupported JSON. */
function skipValue(bytes: Uint8Array, at: number): number {
  const c = bytes[at];
  if (c === quote) return stringEnd(bytes, at);
  if (c === openBrace || c === openBracket) return containerEnd(bytes, at);
  let i = at;
  for (
    let b = bytes[i];
    b !== undefined && b !== comma && b !== closeBrace && b !== closeBracket;
    b = bytes[++i]
  )
    if (b <= 32) return -1;
  return i > at ? i : -1;
}

/** A flat loop, because most bytes of large objects pass through it. */
function containerEnd(bytes: Uint8Array, at: number): number {
  const length = bytes.length;
  let depth = 0;
  for (let i = at; i < length; i++) {
    const c = bytes[i]!;
    if (c === quote) {
      for (i++; i < length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++;
    } else if (c >= openBracket) {
      if (c === openBrace || c === openBracket) depth++;
      else if ((c === closeBrace || c === closeBracket) && --depth === 0) return i + 1;
    }
  }
  return -1;
}

/** The index after the string at `at`. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    const c = bytes[i];
    if (c === backslash) i++;
    else if (c === quote) return i + 1;
  }
  return -1;
}

/** As `stringEnd`, but rejects escapes, which could hide another key. */
function plainStringEnd(bytes: Uint8Array, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    const c = bytes[i];
    if (c === backslash) return -1;
    if (c === quote) return i + 1;
  }
  return -1;
}
