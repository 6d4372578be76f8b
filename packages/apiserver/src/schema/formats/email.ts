// Email addresses as Go's mail.ParseAddress accepts them: `a@b`, `Ann <a@b>`, `"quoted one"@b`,
// comments, groups of one.
// Upstream: Go 1.26 net/mail/message.go.
import { isStrictIp } from "./network.ts";

/** Internal to the reader. */
class NotAnAddress extends Error {}

/** True for a single RFC 5322 address in Go's reading. */
export function isGoEmail(text: string): boolean {
  const reader = new Reader(text);
  try {
    const count = reader.address("group allowed");
    reader.skipComments();
    return reader.rest === "" && count === 1;
  } catch (error) {
    if (error instanceof NotAnAddress) return false;
    throw error;
  }
}

const isVisible = (c: string): boolean => (c >= "!" && c <= "~") || c > "\u007f";
const isAtomChar = (c: string): boolean => isVisible(c) && !'()<>[]:;@\\,"'.includes(c);

class Reader {
  rest: string;

  constructor(text: string) {
    this.rest = text;
  }

  /** Reads an address or a group, and returns the number of addresses. */
  address(groups: "group allowed" | "no group"): number {
    this.#space();
    if (this.rest === "") this.#fail();
    const before = this.rest;
    if (this.#attempt(() => this.#addrSpec())) {
      this.#space();
      if (this.rest.startsWith("(")) this.#displayComment();
      return 1;
    }
    this.rest = before;
    if (!this.rest.startsWith("<")) this.#phrase();
    this.#space();
    if (groups === "group allowed" && this.#consume(":")) return this.#group();
    if (!this.#consume("<")) this.#fail();
    this.#addrSpec();
    if (!this.#consume(">")) this.#fail();
    return 1;
  }

  skipComments(): void {
    this.#space();
    while (this.#consume("(")) {
      this.#comment();
      this.#space();
    }
  }

  #group(): number {
    let count = 0;
    this.#space();
    if (this.#consume(";")) return (this.skipComments(), count);
    for (;;) {
      this.#space();
      count += this.address("no group");
      this.skipComments();
      if (this.#consume(";")) return (this.skipComments(), count);
      if (!this.#consume(",")) this.#fail();
    }
  }

  #addrSpec(): void {
    this.#space();
    if (this.rest.startsWith('"')) {
      if (this.#quoted() === "") this.#fail();
    } else this.#dotAtom();
    if (!this.#consume("@")) this.#fail();
    this.#space();
    if (this.rest.startsWith("[")) this.#domainLiteral();
    else this.#dotAtom();
  }

  #dotAtom(): void {
    const atom = this.#atom();
    if (atom.startsWith(".") || atom.endsWith(".") || atom.includes("..")) this.#fail();
  }

  #atom(): string {
    let end = 0;
    while (end < this.rest.length && isAtomChar(this.rest[end]!)) end++;
    if (end === 0) this.#fail();
    const atom = this.rest.slice(0, end);
    this.rest = this.rest.slice(end);
    return atom;
  }

  #phrase(): void {
    for (let words = 0; ; words++) {
      if (words > 0) this.skipComments();
      this.#space();
      if (this.rest === "") return;
      if (this.#attempt(() => this.#word())) continue;
      if (words === 0) this.#fail();
      return;
    }
  }

  #word(): void {
    if (this.rest.startsWith('"')) this.#quoted();
    else if (!isDecodable(this.#atom())) this.#fail();
  }

  #quoted(): string {
    let out = "";
    for (let i = 1; i < this.rest.length; i++) {
      const c = this.rest[i]!;
      if (c === '"') return ((this.rest = this.rest.slice(i + 1)), out);
      if (c === "\\") i++;
      const held = this.rest[i];
      if (held === undefined || !(isVisible(held) || held === " " || held === "\t")) this.#fail();
      out += held;
    }
    return this.#fail();
  }

  #domainLiteral(): void {
    const match = /^\[([^[\]\\]*)\]/.exec(this.rest);
    if (!match || ![...match[1]!].every(isVisible) || !isStrictIp(match[1]!)) this.#fail();
    this.rest = this.rest.slice(match![0].length);
  }

  #displayComment(): void {
    this.#consume("(");
    for (const word of this.#comment().split(/[ \t]+/)) if (!isDecodable(word)) this.#fail();
  }

  /**
   * The text up to the closing parenthesis; parentheses nest, and a backslash escapes.
   */
  #comment(): string {
    let out = "";
    let depth = 1;
    while (this.rest !== "" && depth > 0) {
      if (this.rest[0] === "\\" && this.rest.length > 1) this.rest = this.rest.slice(1);
      else if (this.rest[0] === "(") depth++;
      else if (this.rest[0] === ")") depth--;
      if (depth > 0) out += this.rest[0];
      this.rest = this.rest.slice(1);
    }
    if (depth > 0) this.#fail();
    return out;
  }

  #attempt(read: () => void): boolean {
    try {
      read();
      return true;
    } catch (error) {
      if (error instanceof NotAnAddress) return false;
      throw error;
    }
  }

  #consume(c: string): boolean {
    if (!this.rest.startsWith(c)) return false;
    this.rest = this.rest.slice(1);
    return true;
  }

  #space(): void {
    this.rest = this.rest.replace(/^[ \t]+/, "");
  }

  #fail(): never {
    throw new NotAnAddress();
  }
}

/**
 * False for an encoded word in a charset that Go does not know.
 */
function isDecodable(word: string): boolean {
  const match = /^=\?([^?]+)\?[bBqQ]\?[^?]*\?=$/.exec(word);
  return !match || /^(?:utf-8|iso-8859-1|us-ascii)$/i.test(match[1]!);
}
