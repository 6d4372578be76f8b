// Tokens with ANTLR's error recovery: drops an extra token, makes up a missing one, or abandons the
// rule and skips to a token that may follow it. Error texts depend on each of these steps.
// Upstream: ANTLR 4's DefaultErrorStrategy, as github.com/google/cel-go v0.26 parser/parser.go runs
// it.
import { showText, type Token, type TokenKind, tokenKinds } from "./lexer.ts";
import type { Issue, Source } from "../ast/source.ts";

/** A rule was abandoned; already reported. */
export class RuleAbandoned {}

const order = new Map<TokenKind, number>(tokenKinds.map((kind, i) => [kind, i]));
/** The parser gives up after so many abandoned rules. */
const maxRecoveries = 30;

/** Tokens, a position, the issues so far, and the tokens that may follow the current rules. */
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

  /** Takes the next token of any kind. */
  take(): Token {
    const token = this.peek();
    this.#recovering = false;
    if (token.kind !== "<EOF>") this.#at++;
    return token;
  }

  /** Runs a rule; `closers` end the rule around it. */
  within<T>(closers: readonly TokenKind[], rule: () => T): T {
    this.#follow.push(closers);
    try {
      return rule();
    } finally {
      this.#follow.pop();
    }
  }

  /** Takes a token that ends an operand, e.g. `)`; the rule around it may end there, too. */
  matchEnd(kind: TokenKind, after: ReadonlySet<TokenKind>): Token {
    return this.is(kind) ? this.take() : this.match(kind, after.union(this.#followSet()));
  }

  #followSet(): ReadonlySet<TokenKind> {
    return new Set(this.#follow.at(-1));
  }

  /**
   * Takes a token of this kind. Drops one token before it, or makes it up, when that repairs the
   * text; `after` holds the kinds that may follow.
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

  /** Requires one of these kinds next, perhaps after one extra token, which is dropped. */
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

  /** Inside a repetition: reports an unexpected token and skips to an expected one. */
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

  /** No alternative matches the tokens from here to `ahead` further on. */
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

  /** Skips to a token that may follow the abandoned rule. */
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
