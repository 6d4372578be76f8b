// Makes tokens of a YAML text. That a scalar is a key shows only at the colon behind it; until
// then its token waits in a queue, into which the tokens before it can still be put.
// Upstream: go.yaml.in/yaml/v2 (scannerc.go).
import { scanAnchor, scanDirective, scanTag } from "./scan-properties.ts";
import { createNoKey, maxKeyLength, type PossibleKey } from "./possible-key.ts";
import { scanBlock, scanPlain, scanQuoted } from "./scan-scalars.ts";
import { isBreak, isSpaceOrEnd, YamlReader } from "./yaml-reader.ts";
import type { YamlText } from "./yaml-text.ts";
import { createToken, type Token, type TokenType } from "./yaml-token.ts";

const maxDepth = 10_000;

/** The tokens of one text. Faults are thrown when their token is asked for. */
export class YamlScanner {
  readonly #reader: YamlReader;
  #queue: Token[] = [];
  /** Where the queue begins. */
  #head = 0;
  /** Tokens that left the queue. */
  #taken = 0;
  #isHeadKnown = false;
  #isKeyAllowed = true;
  /** One for the block context, and one for each open bracket. */
  readonly #keys: PossibleKey[] = [createNoKey(0)];
  /** Places in `#keys`, by token. */
  readonly #keyOfToken = new Map<number, number>();
  #indent = -1;
  /** Indentations around the current one. */
  readonly #indents: number[] = [];
  #flowLevel = 0;

  constructor(text: YamlText) {
    this.#reader = new YamlReader(text);
  }

  /** The next token. */
  peek(): Token {
    while (!this.#isHeadKnown) {
      if (this.#head < this.#queue.length && !this.#mayHeadBeKey()) this.#isHeadKnown = true;
      else this.#fetch();
    }
    return this.#queue[this.#head]!;
  }

  /** Goes on to the token after the one that {@link peek} returned. */
  skip(): void {
    this.#isHeadKnown = false;
    this.#taken++;
    if (++this.#head < this.#queue.length) return;
    this.#queue = [];
    this.#head = 0;
  }

  #mayHeadBeKey(): boolean {
    const place = this.#keyOfToken.get(this.#taken);
    const key = place === undefined ? undefined : this.#keys[place];
    return key !== undefined && this.#isStillPossible(key);
  }

  /** A key is shorter than 1024 characters, and its colon stands on its line. */
  #isStillPossible(key: PossibleKey): boolean {
    if (!key.isPossible) return false;
    const { line, index } = this.#reader;
    if (key.line === line && key.index + maxKeyLength >= index) return true;
    if (key.isRequired) this.#reader.fail("could not find expected ':'");
    key.isPossible = false;
    return false;
  }

  #fetch(): void {
    const reader = this.#reader;
    this.#skipToToken();
    this.#closeBlocks(reader.column);
    reader.assertReadable();
    const code = reader.code();
    if (code === 0) return this.#fetchStreamEnd();
    if (reader.pos === reader.lineStart && code === 0x25) return this.#fetchDirective();
    if (reader.isAtDocumentMark())
      return this.#fetchDocumentMark(code === 0x2d ? "document-start" : "document-end");
    if (this.#fetchIndicator(code)) return;
    const next = reader.code(1);
    const isPlain =
      !(isSpaceOrEnd(code) || "-?:,[]{}#&*!|>'\"%@`".includes(String.fromCharCode(code))) ||
      (code === 0x2d && next !== 0x20 && next !== 0x09) ||
      (this.#flowLevel === 0 && (code === 0x3f || code === 0x3a) && !isSpaceOrEnd(next));
    if (!isPlain) reader.fail("found character that cannot start any token");
    this.#fetchPlain();
  }

  /** Blanks, comments and breaks; a tab is no indentation. */
  #skipToToken(): void {
    const reader = this.#reader;
    for (;;) {
      const areTabsBlank = this.#flowLevel > 0 || !this.#isKeyAllowed;
      if (areTabsBlank) reader.skipBlanks();
      else while (reader.code() === 0x20) reader.pos++;
      reader.skipComment();
      if (!isBreak(reader.code())) return;
      reader.readBreak();
      if (this.#flowLevel === 0) this.#isKeyAllowed = true;
    }
  }

  /** True if the character was an indicator. */
  #fetchIndicator(code: number): boolean {
    switch (code) {
      case 0x5b: // [
        this.#openFlow("flow-sequence-start");
        return true;
      case 0x7b: // {
        this.#openFlow("flow-mapping-start");
        return true;
      case 0x5d: // ]
        this.#closeFlow("flow-sequence-end");
        return true;
      case 0x7d: // }
        this.#closeFlow("flow-mapping-end");
        return true;
      case 0x2c: // ,
        this.#dropKey();
        this.#isKeyAllowed = true;
        this.#pushIndicator("flow-entry");
        return true;
      case 0x2a: // *
        this.#fetchAnchor("alias");
        return true;
      case 0x26: // &
        this.#fetchAnchor("anchor");
        return true;
      case 0x21: // !
        this.#fetchTag();
        return true;
      case 0x27: // '
      case 0x22: // "
        this.#fetchQuoted();
        return true;
      default:
        return this.#fetchBlockIndicator(code);
    }
  }

  /** Indicators that mean something only where a block is, or a blank behind them. */
  #fetchBlockIndicator(code: number): boolean {
    const isInBlock = this.#flowLevel === 0;
    const isSeparate = isSpaceOrEnd(this.#reader.code(1));
    if (code === 0x2d && isSeparate) this.#fetchBlockEntry();
    else if (code === 0x3f && (!isInBlock || isSeparate)) this.#fetchKey();
    else if (code === 0x3a && (!isInBlock || isSeparate)) this.#fetchValue();
    else if ((code === 0x7c || code === 0x3e) && isInBlock) this.#fetchBlockScalar();
    else return false;
    return true;
  }

  get #nextToken(): number {
    return this.#taken + this.#queue.length - this.#head;
  }

  #push(type: TokenType, line: number, more: Partial<Token> = {}): void {
    this.#queue.push(createToken(type, line, more));
  }

  /** Pushes an indicator of one character, and goes on behind it. */
  #pushIndicator(type: TokenType): void {
    this.#push(type, this.#reader.line);
    this.#reader.pos++;
  }

  /** Remembers that a key may begin here. */
  #saveKey(): void {
    if (!this.#isKeyAllowed) return;
    this.#dropKey();
    const { line, column, index } = this.#reader;
    const token = this.#nextToken;
    const isRequired = this.#flowLevel === 0 && this.#indent === column;
    this.#keyOfToken.set(token, this.#keys.length - 1);
    this.#keys[this.#keys.length - 1] = {
      isPossible: true,
      isRequired,
      token,
      line,
      column,
      index,
    };
  }

  /** What may have been a key is none. */
  #dropKey(): void {
    const key = this.#keys.at(-1)!;
    if (!key.isPossible) return;
    if (key.isRequired) this.#reader.fail("could not find expected ':'");
    key.isPossible = false;
    this.#keyOfToken.delete(key.token);
  }

  /** Opens a block at a column that lies further right; `at` counts the tokens of the text. */
  #openBlock(type: TokenType, column: number, at?: { token: number; line: number }): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > maxDepth) this.#reader.fail(`exceeded max depth of ${maxDepth}`);
    if (at) this.#insert(at.token, createToken(type, at.line));
    else this.#push(type, this.#reader.line);
  }

  /** Closes the blocks that lie further right than a column. */
  #closeBlocks(column: number): void {
    if (this.#flowLevel > 0) return;
    for (; this.#indent > column; this.#indent = this.#indents.pop()!)
      this.#push("block-end", this.#reader.line);
  }

  /** Puts a token where `place` stands; behind all others if that has left the queue. */
  #insert(place: number, token: Token): void {
    if (place < this.#taken) this.#queue.push(token);
    else this.#queue.splice(this.#head + place - this.#taken, 0, token);
  }

  /** Closes all blocks before what stands outside of them. */
  #leaveBlocks(): void {
    this.#closeBlocks(-1);
    this.#dropKey();
    this.#isKeyAllowed = false;
  }

  #fetchStreamEnd(): void {
    const reader = this.#reader;
    if (reader.column !== 0) reader.beginLine();
    this.#leaveBlocks();
    this.#push("stream-end", reader.line);
  }

  #fetchDirective(): void {
    this.#leaveBlocks();
    const { line } = this.#reader;
    this.#push("directive", line, { directive: scanDirective(this.#reader) });
  }

  #fetchDocumentMark(type: TokenType): void {
    this.#leaveBlocks();
    this.#push(type, this.#reader.line);
    this.#reader.pos += 3;
  }

  #openFlow(type: TokenType): void {
    this.#saveKey();
    // The number of the bracket itself: behind empty brackets upstream forgets that they may be a
    // key.
    this.#keys.push(createNoKey(this.#nextToken));
    if (++this.#flowLevel > maxDepth) this.#reader.fail(`exceeded max depth of ${maxDepth}`);
    this.#isKeyAllowed = true;
    this.#pushIndicator(type);
  }

  #closeFlow(type: TokenType): void {
    this.#dropKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      this.#keyOfToken.delete(this.#keys.pop()!.token);
    }
    this.#isKeyAllowed = false;
    this.#pushIndicator(type);
  }

  #fetchBlockEntry(): void {
    if (this.#flowLevel === 0) {
      if (!this.#isKeyAllowed)
        this.#reader.fail("block sequence entries are not allowed in this context");
      this.#openBlock("block-sequence-start", this.#reader.column);
    }
    this.#dropKey();
    this.#isKeyAllowed = true;
    this.#pushIndicator("block-entry");
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      if (!this.#isKeyAllowed) this.#reader.fail("mapping keys are not allowed in this context");
      this.#openBlock("block-mapping-start", this.#reader.column);
    }
    this.#dropKey();
    this.#isKeyAllowed = this.#flowLevel === 0;
    this.#pushIndicator("key");
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1)!;
    if (this.#isStillPossible(key)) {
      this.#insert(key.token, createToken("key", key.line));
      this.#openBlock("block-mapping-start", key.column, key);
      key.isPossible = false;
      this.#keyOfToken.delete(key.token);
      this.#isKeyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#isKeyAllowed)
          this.#reader.fail("mapping values are not allowed in this context");
        this.#openBlock("block-mapping-start", this.#reader.column);
      }
      this.#isKeyAllowed = this.#flowLevel === 0;
    }
    this.#pushIndicator("value");
  }

  #fetchAnchor(type: "alias" | "anchor"): void {
    const line = this.#beginKey();
    this.#push(type, line, { text: scanAnchor(this.#reader) });
  }

  #fetchTag(): void {
    const line = this.#beginKey();
    const { handle, suffix } = scanTag(this.#reader);
    this.#push("tag", line, { text: handle, suffix });
  }

  #fetchQuoted(): void {
    const line = this.#beginKey();
    this.#push("scalar", line, { text: scanQuoted(this.#reader) });
  }

  #fetchPlain(): void {
    const line = this.#beginKey();
    const { value, endsWithBreak } = scanPlain(this.#reader, {
      indent: this.#indent,
      isInFlow: this.#flowLevel > 0,
    });
    if (endsWithBreak) this.#isKeyAllowed = true;
    this.#push("scalar", line, { text: value, isPlain: true });
  }

  #fetchBlockScalar(): void {
    const { line } = this.#reader;
    this.#dropKey();
    this.#isKeyAllowed = true;
    const text = scanBlock(this.#reader, { indent: this.#indent, isInFlow: false });
    this.#push("scalar", line, { text });
  }

  /** Begins what may be a key, behind which none can follow. Returns its line. */
  #beginKey(): number {
    this.#saveKey();
    this.#isKeyAllowed = false;
    return this.#reader.line;
  }
}
