// The characters of a YAML text and the place that is being read. Knows no tokens.
// Upstream: go.yaml.in/yaml/v2 (readerc.go, yamlprivateh.go, decode.go fail).
import { incomplete, startOfChunk, type YamlText } from "./yaml-text.ts";

/** The text is not YAML; `message` begins with `yaml: `. */
export class YamlSyntaxError extends Error {
  override readonly name = "YamlSyntaxError";
}

const forbidden = /[^\t\n\r -~\u0085\u00a0-\ufffd]/;
const surrogate = /[\ud800-\udfff]/;
/** The most characters that upstream reads ahead to find a token. */
const lookahead = 4;

/** True for a space or a tab. */
export const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** True for LF, CR, NEL, LS and PS. */
export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;

/** True for a break and the end of the text. */
export const isBreakOrEnd = (code: number): boolean => code === 0 || isBreak(code);

/** True for a blank, a break and the end of the text. */
export const isSpaceOrEnd = (code: number): boolean => isBlank(code) || isBreakOrEnd(code);

/** True for a digit. */
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** True for what names consist of: letters, digits, `_` and `-`. */
export const isNameCharacter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  isDigit(code) ||
  code === 0x5f ||
  code === 0x2d;

/** A cursor over a text, which ends with a NUL that is not part of it. */
export class YamlReader {
  readonly text: string;
  /** Where the text is being read. */
  pos = 0;
  /** Counts from zero. */
  line = 0;
  /** Where the line begins. */
  lineStart = 0;
  readonly #end: number;
  /** What follows the end, if that is not the end of the text. */
  readonly #fault: string | undefined;
  /** Whether some characters take two places of the text. */
  readonly #hasPairs: boolean;
  #countedTo = 0;
  #pairs = 0;
  #pairsOfLine = 0;

  constructor({ text, fault, encoding }: YamlText) {
    const at = text.search(forbidden);
    this.#fault = at < 0 ? fault : "control characters are not allowed";
    const length = at < 0 ? text.length : at;
    const isChunkLost = this.#fault !== undefined && !this.#fault.startsWith(incomplete);
    this.#end = isChunkLost ? startOfChunk(text, length, encoding) : length;
    this.text = `${text.slice(0, this.#end)}\0`;
    this.#hasPairs = surrogate.test(text);
    if (text.startsWith("\ufeff")) this.pos = this.lineStart = 1;
  }

  /** The code at an offset from here; 0 is the end. */
  code(offset = 0): number {
    return this.text.charCodeAt(this.pos + offset);
  }

  /** Characters before this one in its line. */
  get column(): number {
    if (this.#hasPairs) this.#countPairs();
    return this.pos - this.lineStart - this.#pairsOfLine;
  }

  /** Characters before this one. */
  get index(): number {
    if (this.#hasPairs) this.#countPairs();
    return this.pos - this.#pairs;
  }

  /** Reads a line break; none is an empty text. */
  readBreak(): string {
    const code = this.code();
    if (!isBreak(code)) return "";
    this.pos += code === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.beginLine();
    return code > 0x2000 ? String.fromCharCode(code) : "\n";
  }

  /** Counts a line that begins here. */
  beginLine(): void {
    if (this.#hasPairs) this.#countPairs();
    this.#pairsOfLine = 0;
    this.line++;
    this.lineStart = this.pos;
  }

  skipBlanks(): void {
    while (isBlank(this.code())) this.pos++;
  }

  skipComment(): void {
    if (this.code() === 0x23) while (!isBreakOrEnd(this.code())) this.pos++;
  }

  /** Reads a name, which may be empty. */
  readName(): string {
    const start = this.pos;
    while (isNameCharacter(this.code())) this.pos++;
    return this.text.slice(start, this.pos);
  }

  /** True at `---` or `...` that begin a line. */
  isAtDocumentMark(): boolean {
    if (this.pos !== this.lineStart) return false;
    const code = this.code();
    if ((code !== 0x2d && code !== 0x2e) || this.code(1) !== code || this.code(2) !== code)
      return false;
    return isSpaceOrEnd(this.code(3));
  }

  /** Throws if upstream, reading ahead from here, meets what is no character of YAML. */
  assertReadable(): void {
    if (this.#fault !== undefined && this.pos + lookahead > this.#end)
      throw new YamlSyntaxError(`yaml: ${this.#fault}`);
  }

  /** Throws what a scanner finds wrong here. */
  fail(problem: string): never {
    this.assertReadable();
    throw new YamlSyntaxError(`yaml: ${this.line ? `line ${this.line + 1}: ` : ""}${problem}`);
  }

  #countPairs(): void {
    for (; this.#countedTo < this.pos; this.#countedTo++) {
      if ((this.text.charCodeAt(this.#countedTo) & 0xfc00) !== 0xdc00) continue;
      this.#pairs++;
      this.#pairsOfLine++;
    }
  }
}
