// The exact JSON parser for external input: keeps int64 exact, reports duplicate keys and integers
// written as floats, and rejects what Go rejects. JSON.parse is enough for our own bytes.
// Upstream: sigs.k8s.io/json (case-sensitive, int64-preserving, strict duplicate detection).
import { type Json, type JsonObject, setOwn } from "./json.ts";
import { parsePlain } from "./parse-plain.ts";
import { quoteChar } from "./quote-char.ts";
import { checkArgument } from "../util/call-options.ts";

/** The parsed value, and findings that only strict decoding reports. */
export interface ParsedJson {
  readonly value: Json;
  /**
   * Paths of keys that occurred more than once, as in upstream's strict errors, e.g.
   * `spec.ports[0].name`. The last value wins.
   */
  readonly duplicates: readonly string[];
  /**
   * For each of `duplicates`, the path of the last new key before it: its place in the document.
   */
  readonly duplicatesAfter?: readonly string[];
  /**
   * Paths of numbers that Go's typed decoder refuses for an integer though the value is integral:
   * with a fraction or exponent (`1.0`, `1e3`), or beyond 64 bits.
   */
  readonly floatLiterals: ReadonlyMap<string, string>;
  /**
   * The first number that no float64 can hold, e.g. `1e999`; its value is infinite. Only with
   * {@link ParseJsonOptions.overflow} `kept`.
   */
  readonly overflow?: string;
}

/** What the parser accepts. */
export interface ParseJsonOptions {
  /**
   * Numbers beyond float64. Default `refused`; `kept` for callers whose decoder ignores them.
   */
  readonly overflow: "refused" | "kept";
}

/**
 * The text is not JSON; `message` is what Go's encoding/json says, e.g. `unexpected end of JSON
 * input`.
 */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Nesting limit, as of encoding/json. The parser uses no recursion. */
const maxDepth = 10_000;
/** Limit for the characters of all reported paths, which only a malicious document exceeds. */
const maxPathCharacters = 2 ** 23;
const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const spacePattern = /[ \t\r\n]*/y;
const plainStringPattern = /"[^"\\\u0000-\u001f]*"/y;

/** Parses one JSON document. Throws {@link JsonSyntaxError}. */
export function parseJson(
  text: string,
  { overflow }: ParseJsonOptions = { overflow: "refused" },
): ParsedJson {
  if (typeof text !== "string")
    checkArgument("parseJson(…)", ["its first argument", text], "a string");
  // A shorter text cannot be nested too deeply.
  const plain = text.length < 2 * maxDepth ? parsePlain(text) : undefined;
  if (plain !== undefined) return { value: plain, duplicates: [], floatLiterals: new Map() };
  const reader = new Reader(text);
  const value = reader.document();
  if (reader.overflow !== undefined && overflow === "refused")
    throw new JsonSyntaxError(formatOverflow(reader.overflow));
  return {
    value,
    duplicates: reader.duplicates,
    duplicatesAfter: reader.duplicatesAfter,
    floatLiterals: reader.floatLiterals,
    ...(reader.overflow === undefined ? {} : { overflow: reader.overflow }),
  };
}

const tooDeep = (opening: string): string => `invalid character '${opening}' exceeded max depth`;

/** Go's message for a number that float64 cannot represent. */
export const formatOverflow = (literal: string): string =>
  `json: cannot unmarshal number ${literal} into Go value of type float64`;

/**
 * A container that is being parsed, with its parent; the root of a document has no parent and no
 * step.
 */
class Open {
  readonly object: JsonObject | undefined;
  readonly list: Json[] | undefined;
  readonly parent: Open | undefined;
  /** Its key or index in the parent. */
  readonly step: string | number;
  readonly depth: number;
  /** The key that is being parsed, for objects. */
  key = "";

  constructor(opening: "{" | "[", parent: Open | undefined) {
    this.object = opening === "{" ? {} : undefined;
    this.list = opening === "{" ? undefined : [];
    this.parent = parent;
    this.step = parent ? parent.here : "";
    this.depth = parent ? parent.depth + 1 : 1;
  }

  /** The key or index that is being parsed. */
  get here(): string | number {
    return this.list ? this.list.length : this.key;
  }

  /** The path of the member `last`, e.g. `spec.ports[0].name`. */
  path(last: string | number = this.here): string {
    const steps = [last];
    for (
      let { step, parent }: Pick<Open, "step" | "parent"> = this;
      parent;
      { step, parent } = parent
    )
      steps.push(step);
    return steps.reduceRight<string>((path, step) => {
      if (typeof step === "number") return `${path}[${step}]`;
      return path ? `${path}.${step}` : step;
    }, "");
  }
}

class Reader {
  readonly duplicates: string[] = [];
  readonly duplicatesAfter: string[] = [];
  readonly floatLiterals = new Map<string, string>();
  overflow: string | undefined;
  readonly #text: string;
  #at = 0;
  /** The innermost open container. */
  #in: Open | undefined;
  /** The last new key, and its object. */
  #lastIn: Open | undefined;
  #lastKey = "";
  #pathCharacters = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    this.#space();
    for (;;) {
      const c = this.#text[this.#at];
      if ((c === "{" || c === "[") && this.#enter(c)) continue;
      let value = this.#emptyOrScalar(c);
      for (;;) {
        this.#space();
        const open = this.#in;
        if (!open) return this.#whole(value);
        if (open.list) open.list.push(value);
        else setOwn(open.object!, open.key, value);
        if (this.#goesOn(open)) break;
        value = open.list ?? open.object!;
        this.#in = open.parent;
      }
    }
  }

  #emptyOrScalar(c: string | undefined): Json {
    if (c === "{") return {};
    return c === "[" ? [] : this.#scalar(c);
  }

  #whole(value: Json): Json {
    if (this.#at < this.#text.length) this.#unexpected("after top-level value");
    return value;
  }

  #scalar(c: string | undefined): Json {
    switch (c) {
      case '"':
        return this.#string();
      case "t":
        return this.#word("true", true);
      case "f":
        return this.#word("false", false);
      case "n":
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  /** Enters a container, up to its first value; false after an empty one. */
  #enter(c: "{" | "["): boolean {
    const depth = (this.#in?.depth ?? 0) + 1;
    if (depth > maxDepth) throw new JsonSyntaxError(tooDeep(c));
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === (c === "{" ? "}" : "]")) return (this.#at++, false);
    const open = new Open(c, this.#in);
    this.#in = open;
    if (open.object) this.#key(open, open.object);
    return true;
  }

  /** Continues after a value: true when another follows, false after the end of the container. */
  #goesOn(open: Open): boolean {
    const c = this.#text[this.#at];
    const { object } = open;
    if (c === (object ? "}" : "]")) return (this.#at++, false);
    if (c !== ",")
      this.#unexpected(!object ? "after array element" : "after object key:value pair");
    this.#at++;
    this.#space();
    if (object) this.#key(open, object);
    return true;
  }

  #key(open: Open, object: JsonObject): void {
    if (this.#text[this.#at] !== '"')
      this.#unexpected("looking for beginning of object key string");
    open.key = this.#string();
    this.#space();
    if (this.#text[this.#at] !== ":") this.#unexpected("after object key");
    this.#at++;
    this.#space();
    if (Object.hasOwn(object, open.key)) this.#noteDuplicate(open);
    else {
      this.#lastIn = open;
      this.#lastKey = open.key;
    }
  }

  #noteDuplicate(open: Open): void {
    const path = this.#path(open);
    const after = this.#path(this.#lastIn, this.#lastKey);
    if (path === undefined || after === undefined) return;
    this.duplicates.push(path);
    this.duplicatesAfter.push(after);
  }

  /** Undefined once the limit is exceeded. */
  #path(open: Open | undefined, last?: string): string | undefined {
    if (this.#pathCharacters > maxPathCharacters) return undefined;
    const path = open?.path(last) ?? "";
    this.#pathCharacters += path.length;
    return path;
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
    if (c === undefined || !'"\\/bfnrtu'.includes(c)) this.#unexpected("in string escape code");
    this.#at++;
    if (c !== "u") return;
    for (let i = 0; i < 4; i++, this.#at++) {
      const digit = this.#text[this.#at];
      if (digit === undefined || !/[0-9a-fA-F]/.test(digit))
        this.#unexpected("in \\u hexadecimal character escape");
    }
  }

  #number(): number | bigint {
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
    return this.#toNumber(literal);
  }

  /** Rejects a decimal point or an exponent without digits. */
  #endOfNumber(): void {
    const c = this.#text[this.#at];
    if (c !== "." && c !== "e" && c !== "E") return;
    this.#at++;
    if (c === ".") this.#unexpected("after decimal point in numeric literal");
    if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
    this.#unexpected("in exponent of numeric literal");
  }

  #toNumber(literal: string): number | bigint {
    const value = Number(literal);
    if (/[.eE]/.test(literal)) {
      if (!Number.isFinite(value)) this.overflow ??= literal;
      if (!Number.isFinite(value) || Number.isInteger(value)) this.#noteFloat(literal);
      return value === 0 ? 0 : value;
    }
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    const exact = BigInt(literal);
    if (exact >= int64Min && exact <= int64Max) return exact;
    if (!Number.isFinite(value)) this.overflow ??= literal;
    this.#noteFloat(literal);
    return value;
  }

  #noteFloat(literal: string): void {
    const path = this.#path(this.#in);
    if (path !== undefined) this.floatLiterals.set(path, literal);
  }

  #word<T extends Json>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#text[this.#at] !== word[i])
        this.#unexpected(`in literal ${word} (expecting ${quoteChar(word[i]!)})`);
    }
    return value;
  }

  #space(): void {
    spacePattern.lastIndex = this.#at;
    this.#at += spacePattern.exec(this.#text)![0].length;
  }

  #unexpected(where: string): never {
    const code = this.#text.codePointAt(this.#at) ?? 32;
    // At the end Go's scanner is given a space, which literals refuse by name.
    if (this.#at >= this.#text.length && !/ (?:literal|escape)\b/.test(where))
      throw new JsonSyntaxError("unexpected end of JSON input");
    // Go parses bytes: it reports the first byte of a longer character.
    const byte = code < 0x80 ? code : Buffer.from(String.fromCodePoint(code))[0]!;
    throw new JsonSyntaxError(`invalid character ${quoteChar(String.fromCharCode(byte))} ${where}`);
  }
}
