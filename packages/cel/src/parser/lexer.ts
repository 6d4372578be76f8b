// Splits text into tokens. The longest match wins, and keywords win over identifiers, as in a
// generated lexer.
// Upstream: github.com/google/cel-go v0.26 parser/gen/CEL.g4 (lexer rules); ANTLR 4's lexer
// recovery for the error texts.
import type { Issue, Source } from "../ast/source.ts";

/** Kinds that are a literal by themselves. */
export const literalTokens = [
  "true",
  "false",
  "null",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
] as const;

/** Kinds in the order in which errors list them. Punctuation and keywords are kinds themselves. */
export const tokenKinds = [
  "<EOF>",
  "==",
  "!=",
  "in",
  "<",
  "<=",
  ">=",
  ">",
  "&&",
  "||",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  ".",
  ",",
  "-",
  "!",
  "?",
  ":",
  "+",
  "*",
  "/",
  "%",
  ...literalTokens,
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** One token; `at` is a code point offset. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const skipped = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y;
const escape = String.raw`\\(?:[abfnrtv"'\\?\u0060]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
const triple = (quote: string): string => `${quote}{3}(?:${escape}|[^\\\\])*?${quote}{3}`;
const single = (quote: string): string => `${quote}(?:${escape}|[^\\\\${quote}\\n\\r])*${quote}`;
const stringPattern = [
  triple('"'),
  triple("'"),
  single('"'),
  single("'"),
  `[rR]"""[^]*?"""`,
  `[rR]'''[^]*?'''`,
  `[rR]"[^"\\n\\r]*"`,
  `[rR]'[^'\\n\\r]*'`,
].join("|");
/**
 * Tried in order; only the first alternatives that can start alike compete, and those are sorted
 * longest first.
 */
const patterns: readonly (readonly [TokenKind | "punctuation", RegExp])[] = [
  ["BYTES", new RegExp(`[bB](?:${stringPattern})`, "uy")],
  ["STRING", new RegExp(stringPattern, "uy")],
  ["IDENTIFIER", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["ESC_IDENTIFIER", /`[A-Za-z0-9_.\-/ ]+`/y],
  ["NUM_FLOAT", /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ["NUM_UINT", /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ["NUM_INT", /0x[0-9a-fA-F]+|\d+/y],
  ["punctuation", /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];
const keywords: ReadonlySet<string> = new Set(["in", "true", "false", "null"]);

/**
 * All tokens, the last one `<EOF>`. Text that starts no token is reported to `issues` and skipped.
 */
export function tokenize(source: Source, issues: Issue[]): readonly Token[] {
  const { text } = source;
  const astral = typeof source.points !== "string";
  const tokens: Token[] = [];
  let unit = 0;
  let point = 0;
  const advance = (piece: string): void => {
    unit += piece.length;
    point += astral ? Array.from(piece).length : piece.length;
  };
  for (;;) {
    skipped.lastIndex = unit;
    const gap = skipped.exec(text);
    if (gap) advance(gap[0]);
    if (unit >= text.length) break;
    const token = matchToken(text, unit, point);
    if (token) {
      tokens.push(token);
      advance(token.text);
      continue;
    }
    const bad = badText(text, unit);
    issues.push({
      at: point,
      message: `Syntax error: token recognition error at: '${showText(bad)}'`,
    });
    advance(bad);
  }
  tokens.push({ kind: "<EOF>", text: "<EOF>", at: point });
  return tokens;
}

/** What strings and bytes start with, prefixes included. */
const mayStartString: ReadonlySet<string | undefined> = new Set("\"'bBrR");

function matchToken(text: string, unit: number, at: number): Token | undefined {
  const skipStrings = !mayStartString.has(text[unit]);
  for (const [kind, pattern] of patterns) {
    if (skipStrings && (kind === "BYTES" || kind === "STRING")) continue;
    pattern.lastIndex = unit;
    const match = pattern.exec(text);
    if (!match) continue;
    const piece = match[0];
    return {
      kind:
        kind === "punctuation" || keywords.has(piece) ? (piece as TokenKind) : (kind as TokenKind),
      text: piece,
      at,
    };
  }
  return undefined;
}

/**
 * From an unrecognised start up to and including the first character that fits no token.
 */
function badText(text: string, unit: number): string {
  const prefix = badPrefix(text, unit);
  const next = text.codePointAt(unit + prefix.length);
  return next === undefined ? prefix : prefix + String.fromCodePoint(next);
}

/** An escape that the text cuts off. */
const escapeStart = String.raw`(?:\\u[0-9a-fA-F]{0,3}|\\U[0-9a-fA-F]{0,7}|\\[xX][0-9a-fA-F]?|\\[0-3][0-7]?|\\)?`;
const stringStart = new RegExp(
  `"(?:${escape}|[^\\\\"\\n\\r])*${escapeStart}|'(?:${escape}|[^\\\\'\\n\\r])*${escapeStart}`,
  "uy",
);
const otherStart = /=|&|\||`[A-Za-z0-9_.\-/ ]*/y;

function badPrefix(text: string, unit: number): string {
  for (const pattern of [stringStart, otherStart]) {
    pattern.lastIndex = unit;
    const match = pattern.exec(text);
    if (match) return match[0];
  }
  return "";
}

/** Line breaks and tabs as ANTLR prints them. */
export const showText = (text: string): string =>
  text.replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\r", "\\r");
