// The one exact JSON tokenizer, for bytes that somebody else wrote: keeps int64 exact, reports duplicate keys and
// integral numbers written as floats, refuses what Go refuses. Our own bytes may use JSON.parse instead.
// Upstream: sigs.k8s.io/json (case-sensitive, int64-preserving, strict duplicate detection).
import { type Json, type JsonObject, setOwn } from "./json.ts";

/** What was read, and what only a strict reader would complain about. */
export interface ParsedJson {
  readonly value: Json;
  /** Paths of keys that occurred more than once, as in upstream's strict errors, e.g. `spec.ports[0].name`. The last value wins. */
  readonly duplicates: readonly string[];
  /** For each of `duplicates`, the path of the last new key before it: where in the document it stands. */
  readonly duplicatesAfter?: readonly string[];
  /**
   * Paths of numbers that Go's typed decoder refuses for an integer though the value is integral: with a fraction or exponent
   * (`1.0`, `1e3`), or beyond 64 bits.
   */
  readonly floatLiterals: ReadonlyMap<string, string>;
  /** The first number that no float64 can hold, e.g. `1e999`; its value is infinite. Only with {@link ParseJsonOptions.overflow} `kept`. */
  readonly overflow?: string;
}

/** What a reader lets pass. */
export interface ParseJsonOptions {
  /** Numbers beyond float64: `refused` unless the caller knows better, since only some decoders ever look at them. */
  readonly overflow: "refused" | "kept";
}

/** The text is not JSON; `message` is what Go's encoding/json says, e.g. `unexpected end of JSON input`. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Deepest nesting accepted. encoding/json takes 10,000; here whoever walks a value by recursion has to find room on the stack (2,500 levels or so) too. */
const maxDepth = 1_000;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const spacePattern = /[ \t\r\n]*/y;
const plainStringPattern = /"[^"\\\u0000-\u001f]*"/y;

/** Parses one JSON document. Throws {@link JsonSyntaxError}. */
export function parseJson(text: string, { overflow }: ParseJsonOptions = { overflow: "refused" }): ParsedJson {
  const reader = new Reader(text);
  const value = readDocument(reader);
  if (reader.overflow !== undefined && overflow === "refused") throw new JsonSyntaxError(formatOverflow(reader.overflow));
  return {
    value,
    duplicates: reader.duplicates,
    duplicatesAfter: reader.duplicatesAfter,
    floatLiterals: reader.floatLiterals,
    ...(reader.overflow === undefined ? {} : { overflow: reader.overflow }),
  };
}

/** Our stack may end before Go's limit of nesting does; both are refused alike. */
function readDocument(reader: Reader): Json {
  try {
    return reader.document();
  } catch (error) {
    throw error instanceof RangeError ? new JsonSyntaxError(tooDeep("{")) : error;
  }
}

const tooDeep = (opening: string): string => `invalid character '${opening}' exceeded max depth`;

/** What Go says of a number that no float64 can hold. */
export const formatOverflow = (literal: string): string => `json: cannot unmarshal number ${literal} into Go value of type float64`;

class Reader {
  readonly duplicates: string[] = [];
  readonly duplicatesAfter: string[] = [];
  readonly floatLiterals = new Map<string, string>();
  overflow: string | undefined;
  readonly #text: string;
  #at = 0;
  #lastKey = "";
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    this.#space();
    const value = this.#value("");
    this.#space();
    if (this.#at < this.#text.length) this.#unexpected("after top-level value");
    return value;
  }

  #value(path: string): Json {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#nested(() => this.#object(path));
      case "[":
        return this.#nested(() => this.#array(path));
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number(path);
    }
  }

  #nested(read: () => Json): Json {
    if (++this.#depth > maxDepth) throw new JsonSyntaxError(tooDeep(this.#text[this.#at]!));
    const value = read();
    this.#depth--;
    return value;
  }

  #object(path: string): JsonObject {
    const out: JsonObject = {};
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "}") return (this.#at++, out);
    for (;;) {
      if (this.#text[this.#at] !== '"') this.#unexpected("looking for beginning of object key string");
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at] !== ":") this.#unexpected("after object key");
      this.#at++;
      this.#space();
      const child = path ? `${path}.${key}` : key;
      if (Object.hasOwn(out, key)) {
        this.duplicates.push(child);
        this.duplicatesAfter.push(this.#lastKey);
      } else this.#lastKey = child;
      setOwn(out, key, this.#value(child));
      this.#space();
      const c = this.#text[this.#at];
      if (c === "}") return (this.#at++, out);
      if (c !== ",") this.#unexpected("after object key:value pair");
      this.#at++;
      this.#space();
    }
  }

  #array(path: string): Json[] {
    const out: Json[] = [];
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === "]") return (this.#at++, out);
    for (;;) {
      out.push(this.#value(`${path}[${out.length}]`));
      this.#space();
      const c = this.#text[this.#at];
      if (c === "]") return (this.#at++, out);
      if (c !== ",") this.#unexpected("after array element");
      this.#at++;
      this.#space();
    }
  }

  #string(): string {
    plainStringPattern.lastIndex = this.#at;
    const plain = plainStringPattern.exec(this.#text);
    if (plain) {
      this.#at += plain[0].length;
      return plain[0].slice(1, -1).toWellFormed();
    }
    const start = this.#at++;
    for (;;) {
      const c = this.#text[this.#at];
      if (c === undefined) throw new JsonSyntaxError("unexpected end of JSON input");
      if (c === '"') break;
      if (c < " ") this.#unexpected("in string literal");
      if (c === "\\") this.#escape();
      else this.#at++;
    }
    this.#at++;
    return (JSON.parse(this.#text.slice(start, this.#at)) as string).toWellFormed();
  }

  #escape(): void {
    const c = this.#text[++this.#at];
    if (c === undefined) throw new JsonSyntaxError("unexpected end of JSON input");
    if (!'"\\/bfnrtu'.includes(c)) this.#unexpected("in string escape code");
    this.#at++;
    if (c !== "u") return;
    for (let i = 0; i < 4; i++, this.#at++) {
      const digit = this.#text[this.#at];
      if (digit === undefined) throw new JsonSyntaxError("unexpected end of JSON input");
      if (!/[0-9a-fA-F]/.test(digit)) this.#unexpected("in \\u hexadecimal character escape");
    }
  }

  #number(path: string): number | bigint {
    numberPattern.lastIndex = this.#at;
    const match = numberPattern.exec(this.#text);
    if (!match) {
      if (this.#text[this.#at] === "-") {
        this.#at++;
        this.#unexpected("in numeric literal");
      }
      this.#unexpected("looking for beginning of value");
    }
    const literal = match[0];
    this.#at += literal.length;
    this.#endOfNumber();
    return this.#toNumber(literal, path);
  }

  /** A point or an exponent without digits behind it. */
  #endOfNumber(): void {
    const c = this.#text[this.#at];
    if (c !== "." && c !== "e" && c !== "E") return;
    this.#at++;
    if (c === ".") this.#unexpected("after decimal point in numeric literal");
    if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
    this.#unexpected("in exponent of numeric literal");
  }

  #toNumber(literal: string, path: string): number | bigint {
    const value = Number(literal);
    if (/[.eE]/.test(literal)) {
      if (!Number.isFinite(value)) this.overflow ??= literal;
      if (!Number.isFinite(value) || Number.isInteger(value)) this.floatLiterals.set(path, literal);
      return value === 0 ? 0 : value;
    }
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    const exact = BigInt(literal);
    if (exact >= int64Min && exact <= int64Max) return exact;
    if (!Number.isFinite(value)) this.overflow ??= literal;
    this.floatLiterals.set(path, literal);
    return value;
  }

  #word<T extends Json>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#text[this.#at] !== word[i]) this.#unexpected(`in literal ${word} (expecting ${quoteChar(word[i]!)})`);
    }
    return value;
  }

  #space(): void {
    spacePattern.lastIndex = this.#at;
    this.#at += spacePattern.exec(this.#text)![0].length;
  }

  #unexpected(where: string): never {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) throw new JsonSyntaxError("unexpected end of JSON input");
    // Go reads bytes: of a longer character it names the first one.
    const byte = code < 0x80 ? code : Buffer.from(String.fromCodePoint(code))[0]!;
    throw new JsonSyntaxError(`invalid character ${quoteChar(String.fromCharCode(byte))} ${where}`);
  }
}

/** A character as Go's encoding/json quotes it in errors. */
function quoteChar(c: string): string {
  if (c === "'") return "'\\''";
  if (c === '"') return "'\"'";
  const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\u000b": "\\v", "\u0007": "\\a", "\\": "\\\\" };
  if (c in named) return `'${named[c]}'`;
  if (c >= "\u0080" && c < "\u00a1") return `'\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}'`;
  return c < " " || c === "\u007f" ? `'\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}'` : `'${c}'`;
}
