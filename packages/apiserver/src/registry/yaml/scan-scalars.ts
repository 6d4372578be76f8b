// Scans the text of scalars: plain, quoted, literal and folded.
// Upstream: go.yaml.in/yaml/v2 (scannerc.go, scan_plain_scalar, scan_flow_scalar,
// scan_block_scalar).
import {
  isBlank,
  isBreak,
  isBreakOrEnd,
  isDigit,
  isSpaceOrEnd,
  type YamlReader,
} from "./yaml-reader.ts";

/** What a scalar's bounds depend on. */
export interface ScalarContext {
  /** The indentation of the block around it; -1 outside of one. */
  readonly indent: number;
  /** Whether it stands in brackets. */
  readonly isInFlow: boolean;
}

/** A plain scalar; whether a line break ended it, after which a key may follow. */
export interface PlainScalar {
  readonly value: string;
  readonly endsWithBreak: boolean;
}

/** One break is a space, more of them are one less; LS and PS stay. */
function fold(first: string, others: string): string {
  if (first !== "\n") return first + others;
  return others === "" ? " " : others;
}

/** `,`, `?`, `[`, `]`, `{` and `}`. */
const endsPlainInFlow = (code: number): boolean =>
  code === 0x2c ||
  code === 0x3f ||
  code === 0x5b ||
  code === 0x5d ||
  code === 0x7b ||
  code === 0x7d;

/** Scans a scalar without quotes. */
export function scanPlain(reader: YamlReader, { indent, isInFlow }: ScalarContext): PlainScalar {
  let value = "";
  let space = "";
  let endsWithBreak = false;
  for (;;) {
    if (reader.isAtDocumentMark() || reader.code() === 0x23) break;
    const start = reader.pos;
    let code = reader.code();
    while (!isSpaceOrEnd(code)) {
      if (code === 0x3a && isSpaceOrEnd(reader.code(1))) break;
      if (isInFlow && endsPlainInFlow(code)) break;
      reader.pos++;
      code = reader.code();
    }
    if (reader.pos > start) {
      value += space + reader.text.slice(start, reader.pos);
      endsWithBreak = false;
    }
    if (!isBlank(code) && !isBreak(code)) break;
    const gap = scanGap(reader, indent + 1);
    space = gap.text;
    endsWithBreak ||= gap.hasBreak;
    if (!isInFlow && reader.column < indent + 1) break;
  }
  return { value, endsWithBreak };
}

interface Gap {
  /** What it leaves between the words. */
  readonly text: string;
  readonly hasBreak: boolean;
}

/** Scans blanks and breaks. Tabs may not stand in the indentation, if one is given. */
function scanGap(reader: YamlReader, indent: number): Gap {
  const start = reader.pos;
  reader.skipBlanks();
  if (!isBreak(reader.code()))
    return { text: reader.text.slice(start, reader.pos), hasBreak: false };
  const first = reader.readBreak();
  return { text: fold(first, scanBreaks(reader, indent)), hasBreak: true };
}

/** Scans blanks, which count for nothing, and breaks. */
function scanBreaks(reader: YamlReader, indent: number): string {
  let breaks = "";
  for (let code = reader.code(); isBlank(code) || isBreak(code); code = reader.code()) {
    if (isBreak(code)) breaks += reader.readBreak();
    else if (code === 0x09 && reader.pos - reader.lineStart < indent)
      reader.fail("found a tab character that violates indentation");
    else reader.pos++;
  }
  return breaks;
}

const singleQuote = 0x27;
const backslash = 0x5c;

/** Scans a scalar in single or double quotes. */
export function scanQuoted(reader: YamlReader): string {
  const quote = reader.code();
  reader.pos++;
  let value = "";
  for (;;) {
    if (reader.isAtDocumentMark()) reader.fail("found unexpected document indicator");
    if (reader.code() === 0) reader.fail("found unexpected end of stream");
    const words = scanQuotedWords(reader, quote);
    value += words.text;
    if (reader.code() === quote) break;
    value += words.hasBreak ? scanBreaks(reader, 0) : scanGap(reader, 0).text;
  }
  reader.pos++;
  return value;
}

/** Scans up to a blank, a break or the closing quote; an escaped break is a break. */
function scanQuotedWords(reader: YamlReader, quote: number): Gap {
  let text = "";
  let start = reader.pos;
  for (let code = reader.code(); !isSpaceOrEnd(code); code = reader.code()) {
    const next = reader.code(1);
    if (code === quote && !(quote === singleQuote && next === singleQuote)) break;
    if (code === quote) {
      text += reader.text.slice(start, reader.pos + 1);
      start = reader.pos += 2;
    } else if (code === backslash && quote !== singleQuote) {
      text += reader.text.slice(start, reader.pos);
      if (isBreak(next)) {
        reader.pos++;
        reader.readBreak();
        return { text, hasBreak: true };
      }
      text += scanEscape(reader);
      start = reader.pos;
    } else reader.pos++;
  }
  return { text: text + reader.text.slice(start, reader.pos), hasBreak: false };
}

const escapes: Readonly<Record<string, string>> = {
  0: "\0",
  a: "\u0007",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\u001b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};
const digitsOfEscape: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function scanEscape(reader: YamlReader): string {
  const letter = reader.text.charAt(reader.pos + 1);
  const length = digitsOfEscape[letter];
  if (length === undefined) {
    const text = escapes[letter] ?? reader.fail("found unknown escape character");
    reader.pos += 2;
    return text;
  }
  reader.pos += 2;
  const digits = reader.text.slice(reader.pos, reader.pos + length);
  if (digits.length < length || !/^[0-9A-Fa-f]+$/.test(digits))
    reader.fail("did not find expected hexdecimal number");
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    reader.fail("found invalid Unicode character escape code");
  reader.pos += length;
  return String.fromCodePoint(code);
}

type Chomping = "clip" | "keep" | "strip";

/** Scans a literal (`|`) or folded (`>`) scalar. */
export function scanBlock(reader: YamlReader, { indent: around }: ScalarContext): string {
  const isLiteral = reader.code() === 0x7c;
  reader.pos++;
  const { chomping, increment } = scanBlockHeader(reader);
  let indent = increment && Math.max(around, 0) + increment;
  let breaks = "";
  ({ breaks, indent } = scanBlockBreaks(reader, indent, around));
  let value = "";
  let lastBreak = "";
  let wasBlank = false;
  while (reader.pos - reader.lineStart === indent && reader.code() !== 0) {
    const startsBlank = isBlank(reader.code());
    const isFolded = !isLiteral && !wasBlank && !startsBlank && lastBreak === "\n";
    value += (isFolded ? fold(lastBreak, breaks) : lastBreak + breaks) + readLine(reader);
    wasBlank = startsBlank;
    lastBreak = reader.readBreak();
    ({ breaks } = scanBlockBreaks(reader, indent, around));
  }
  if (chomping !== "strip") value += lastBreak;
  return chomping === "keep" ? value + breaks : value;
}

function readLine(reader: YamlReader): string {
  const start = reader.pos;
  while (!isBreakOrEnd(reader.code())) reader.pos++;
  return reader.text.slice(start, reader.pos);
}

/** `+2`, `2-`, a comment, and the break after them. */
function scanBlockHeader(reader: YamlReader): { chomping: Chomping; increment: number } {
  let chomping = scanChomping(reader);
  let increment = 0;
  if (isDigit(reader.code())) {
    increment = reader.code() - 0x30;
    if (increment === 0) reader.fail("found an indentation indicator equal to 0");
    reader.pos++;
    chomping ??= scanChomping(reader);
  }
  reader.skipBlanks();
  reader.skipComment();
  if (!isBreakOrEnd(reader.code())) reader.fail("did not find expected comment or line break");
  reader.readBreak();
  return { chomping: chomping ?? "clip", increment };
}

function scanChomping(reader: YamlReader): Chomping | undefined {
  const code = reader.code();
  if (code !== 0x2b && code !== 0x2d) return undefined;
  reader.pos++;
  return code === 0x2b ? "keep" : "strip";
}

/** Scans empty lines and the indentation, which the first line sets if it is not known (0). */
function scanBlockBreaks(
  reader: YamlReader,
  known: number,
  around: number,
): { breaks: string; indent: number } {
  let breaks = "";
  let widest = 0;
  for (;;) {
    const limit = known === 0 ? Number.POSITIVE_INFINITY : reader.lineStart + known;
    while (reader.pos < limit && reader.code() === 0x20) reader.pos++;
    widest = Math.max(widest, reader.pos - reader.lineStart);
    if (reader.pos < limit && reader.code() === 0x09)
      reader.fail("found a tab character where an indentation space is expected");
    if (!isBreak(reader.code())) break;
    breaks += reader.readBreak();
  }
  return { breaks, indent: known || Math.max(widest, around + 1, 1) };
}
