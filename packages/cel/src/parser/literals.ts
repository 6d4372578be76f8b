// Literals from their text: numbers, and strings with their escapes.
// Upstream: github.com/google/cel-go v0.26 parser/unescape.go, parser/parser.go (VisitInt,
// VisitUint, VisitDouble).
import type { Token } from "./lexer.ts";
import { Double, parseFloat64 } from "../values/double.ts";
import { fitsInt, normalInt } from "../values/int.ts";
import { Uint } from "../values/uint.ts";
import type { CelInt, CelValue } from "../values/value.ts";

/** The value of a literal, or its error. */
export type ReadLiteral = { readonly value: CelValue } | { readonly error: string };

/** The value of a literal token; `text` is the token with its sign. */
export function readLiteral(token: Token, text: string): ReadLiteral {
  switch (token.kind) {
    case "true":
      return { value: true };
    case "false":
      return { value: false };
    case "null":
      return { value: null };
    case "NUM_INT":
      return orError(readInt(text), "invalid int literal");
    case "NUM_UINT":
      return orError(readUint(text), "invalid uint literal");
    case "NUM_FLOAT": {
      const value = parseFloat64(text);
      return value === undefined
        ? { error: "invalid double literal" }
        : { value: new Double(value) };
    }
    default:
      return token.kind === "BYTES" ? readBytes(text.slice(1)) : readString(text);
  }
}

const orError = (value: CelValue | undefined, error: string): ReadLiteral =>
  value === undefined ? { error } : { value };

/** `-12`, `0x1f`; undefined when it does not fit an int. */
function readInt(text: string): CelInt | undefined {
  const negative = text.startsWith("-");
  const value = BigInt(negative ? text.slice(1) : text) * (negative ? -1n : 1n);
  return fitsInt(value) ? normalInt(value) : undefined;
}

/** `12u`, `0x1fu`; undefined when it does not fit a uint. */
function readUint(text: string): Uint | undefined {
  const value = BigInt(text.slice(0, -1));
  return value < 2n ** 64n ? new Uint(value) : undefined;
}

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "'": 39,
  '"': 34,
  "`": 96,
  "?": 63,
};

/** The text inside a literal's quotes, and whether escapes are taken literally. */
function unquote(literal: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(literal);
  const quoted = (raw ? literal.slice(1) : literal).replace(/\r\n?/g, "\n");
  const width =
    quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1;
  return { body: quoted.slice(width, -width), raw };
}

/** The value of a string literal, or an error's text. */
function readString(literal: string): ReadLiteral {
  const { body, raw } = unquote(literal);
  if (raw || !body.includes("\\")) return { value: body };
  let value = "";
  for (let i = 0; i < body.length;) {
    if (body[i] !== "\\") {
      value += body[i++];
      continue;
    }
    const { code, length } = readEscape(body, i);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      return { error: "invalid unicode code point" };
    value += String.fromCodePoint(code);
    i += length;
  }
  return { value };
}

/** The value of a bytes literal without its `b`, or an error's text. */
function readBytes(literal: string): ReadLiteral {
  const { body, raw } = unquote(literal);
  if (raw) return { value: Buffer.from(body) };
  const bytes: number[] = [];
  for (let i = 0; i < body.length;) {
    if (body[i] !== "\\") {
      const point = String.fromCodePoint(body.codePointAt(i)!);
      bytes.push(...Buffer.from(point));
      i += point.length;
      continue;
    }
    if (/[uU]/.test(body[i + 1]!)) return { error: "unable to unescape string" };
    const { code, length } = readEscape(body, i);
    bytes.push(code);
    i += length;
  }
  return { value: Uint8Array.from(bytes) };
}

/** Reads an escape, which the lexer has checked to be complete. */
function readEscape(body: string, at: number): { readonly code: number; readonly length: number } {
  const c = body[at + 1]!;
  const hex = { x: 2, X: 2, u: 4, U: 8 }[c];
  if (hex !== undefined)
    return { code: Number.parseInt(body.slice(at + 2, at + 2 + hex), 16), length: 2 + hex };
  const code = simple[c];
  return code === undefined
    ? { code: Number.parseInt(body.slice(at + 1, at + 4), 8), length: 4 }
    : { code, length: 2 };
}
