// The parser's view of its tokens, with the recovery that a generated parser has: one token too
// many is dropped, one too few is made up, anything else abandons the rule and skips to what may
// follow. Error texts depend on each of these steps.
// Upstream: ANTLR 4's DefaultErrorStrategy, as github.com/google/cel-go v0.26 parser/parser.go runs
// it.
import { showText, type Token, type TokenKind, tokenKinds } from "./lexer.ts";
import type { Issue, Source } from "../ast/source.ts";

/** A rule was abandoned; already reported. */
export class RuleAbandoned {}

const order = new Map<TokenKind, number>(tokenKinds.map((kind, i) => [kind, i]));
/** Rules that may be abandoned before the parser gives up. */
const maxRecoveries = 30;

/** Tokens with one position, the issues found so far and what may follow the rules under way. */
export class TokenStream {
  readonly issues: Issue[];
  readonly #source: Source;
  readonly #tokens: readonly Token[];
  readonly #follow: (readonly TokenKind[])[] = [["<EOF>"]];
  #at = 0;
  #recovering = false;
  #recoveries = 0;
  #lastErrorAt = -1;

  constructor(source: Source, tokens: readonly Token[], issues: Issue[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.issues = issues;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  is(kind: TokenKind): boolean {
    return this.peek().kind === kind;
  }

  /** Takes the next token, whatever it is. */
  take(): Token {
    const token = this.peek();
    this.#recovering = false;
    if (token.kind !== "<EOF>") this.#at++;
    return token;
  }

  /** Runs a rule inside which `closers` end what surrounds it. */
  within<T>(closers: readonly TokenKind[], rule: () => T): T {
    this.#follow.push(closers);
    try {
      return rule();
    } finally {
      this.#follow.pop();
    }
  }

  /** Takes a token that ends an operand, e.g. `)`. What surrounds it may end right after. */
  matchEnd(kind: TokenKind, after: ReadonlySet<TokenKind>): Token {
    return this.match(kind, new Set([...after, ...this.#follow.at(-1)!]));
  }

  /**
   * Takes a token of this kind, dropping one before it or making it up where that mends the text.
   * `after`: what may follow it.
   */
  match(kind: TokenKind, after: ReadonlySet<TokenKind>): Token {
    const token = this.peek();
    if (token.kind === kind) return this.take();
    if (this.peek(1).kind === kind) {
      this.#report(token, `extraneous input ${quoteToken(token)} expecting ${showKinds([kind])}`);
      this.#at++;
      return this.take();
    }
    if (after.has(token.kind)) {
      this.#report(token, `missing ${showKinds([kind])} at ${quoteToken(token)}`);
      return { kind, text: `<missing ${kind}>`, at: token.at };
    }
    return this.mismatch([kind]);
  }

  /** Before a decision: the next token must be one of these, or be droppable in front of one. */
  sync(expected: readonly TokenKind[]): void {
    if (this.#recovering || expected.includes(this.peek().kind)) return;
    if (expected.includes(this.peek(1).kind) && !this.is("<EOF>")) {
      this.#report(
        this.peek(),
        `extraneous input ${quoteToken(this.peek())} expecting ${showKinds(expected)}`,
      );
      this.#at++;
      this.#recovering = false;
      return;
    }
    this.mismatch(expected);
  }

  /** In a repetition that has begun: reports what does not belong and skips to what does. */
  syncLoop(expected: readonly TokenKind[], operators: readonly TokenKind[]): void {
    if (this.#recovering || expected.includes(this.peek().kind)) return;
    this.#report(
      this.peek(),
      `extraneous input ${quoteToken(this.peek())} expecting ${showKinds(expected)}`,
    );
    this.#skipUntil([...expected, ...operators]);
  }

  mismatch(expected: readonly TokenKind[]): never {
    this.#report(
      this.peek(),
      `mismatched input ${quoteToken(this.peek())} expecting ${showKinds(expected)}`,
    );
    throw new RuleAbandoned();
  }

  /** No alternative fits the tokens from here to `ahead` further on. */
  noViable(ahead: number): never {
    const offending = this.peek(ahead);
    const end =
      offending.kind === "<EOF>"
        ? this.#source.length
        : offending.at + Array.from(offending.text).length;
    const text = this.#source.slice(this.peek().at, end);
    const reserved = /^.(true|false|null)$/.exec(text);
    this.#report(
      offending,
      reserved
        ? `mismatched input '${reserved[1]}' expecting IDENTIFIER`
        : `no viable alternative at input '${showText(text)}'`,
    );
    throw new RuleAbandoned();
  }

  /** After a rule was abandoned: skips to what may follow it. */
  recover(operators: readonly TokenKind[]): void {
    if (this.#lastErrorAt === this.#at) this.#at = Math.min(this.#at + 1, this.#tokens.length - 1);
    this.#lastErrorAt = this.#at;
    if (++this.#recoveries > maxRecoveries)
      throw new Error("error recovery attempt limit exceeded: 30");
    this.#skipUntil(operators);
  }

  issue(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  #skipUntil(kinds: readonly TokenKind[]): void {
    const stop = new Set<TokenKind>([...kinds, ...this.#follow.flat(), "<EOF>"]);
    while (!stop.has(this.peek().kind)) this.#at++;
  }

  #report(token: Token, message: string): void {
    if (this.#recovering) return;
    this.#recovering = true;
    this.issues.push({ at: token.at, message: `Syntax error: ${message}` });
  }
}

const quoteToken = (token: Token): string =>
  token.kind === "<EOF>" ? "'<EOF>'" : `'${showText(token.text)}'`;

/** `')'`, or `{'}', ','}` in the grammar's order. */
function showKinds(kinds: readonly TokenKind[]): string {
  const shown = [...new Set(kinds)]
    .sort((a, b) => order.get(a)! - order.get(b)!)
    .map((kind) => (/^[A-Z<]/.test(kind) && kind !== "<" && kind !== "<=" ? kind : `'${kind}'`));
  return shown.length === 1 ? shown[0]! : `{${shown.join(", ")}}`;
}
