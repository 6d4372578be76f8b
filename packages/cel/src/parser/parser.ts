// Parses expressions by recursive descent along upstream's grammar. Macros expand as their calls
// are read.
// Upstream: github.com/google/cel-go v0.26 parser/gen/CEL.g4, parser/parser.go, parser/helper.go
// (balancing of && and ||).
import type { Call, Expr } from "../ast/ast.ts";
import { callTo } from "../ast/build-expr.ts";
import { type Issue, Source } from "../ast/source.ts";
import { readList, readMap, readMessage, type Rules } from "./aggregates.ts";
import {
  afterMember,
  binaryOperators,
  exprStart,
  memberStart,
  products,
  relations,
  reservedNames,
  startsExpr,
  sums,
} from "./grammar.ts";
import { type TokenKind, tokenize } from "./lexer.ts";
import { readLiteral } from "./literals.ts";
import { expandMacro, type MacroTable } from "./macros.ts";
import { Nesting } from "./nesting.ts";
import { RuleAbandoned, TokenStream } from "./token-stream.ts";

const maxPoints = 100_000;
const maxDepth = 250;

/** A tree, or the issues that prevent one. */
export interface ParseResult {
  readonly source: Source;
  readonly expr: Expr;
  readonly issues: readonly Issue[];
}

/** Parses one expression. With issues, the tree is meaningless. */
export function parseExpression(text: string, macros: MacroTable): ParseResult {
  const source = new Source(text);
  const issues: Issue[] = [];
  if (source.length > maxPoints)
    issues.push({
      at: -1,
      message: `expression code point size exceeds limit: size: ${source.length}, limit ${maxPoints}`,
    });
  const expr =
    issues.length > 0
      ? missing(0)
      : new Parser(new TokenStream(source, tokenize(source, issues), issues), macros).start();
  return { source, expr, issues };
}

/** Stands where an error has already been reported. */
const missing = (at: number): Expr => ({ kind: "ident", at, name: "" });

class Parser {
  readonly #tokens: TokenStream;
  readonly #macros: MacroTable;
  readonly #rules: Rules;
  readonly #nesting = new Nesting();
  #depth = 0;

  constructor(tokens: TokenStream, macros: MacroTable) {
    this.#tokens = tokens;
    this.#rules = { tokens, expr: () => this.#expr() };
    this.#macros = macros;
  }

  start(): Expr {
    try {
      const expr = this.#expr();
      this.#tokens.match("<EOF>", new Set());
      if (this.#nesting.of(expr) > maxDepth) throw new Error("max recursion depth exceeded");
      return expr;
    } catch (error) {
      if (error instanceof RuleAbandoned) return missing(0);
      if (!(error instanceof Error)) throw error;
      this.#tokens.issue(-1, error.message);
      return missing(0);
    }
  }

  #expr(): Expr {
    if (++this.#depth > maxDepth)
      throw new Error(`expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#or();
    this.#depth--;
    if (!this.#tokens.is("?")) return condition;
    const { at } = this.#tokens.take();
    const then = this.#tokens.within([":"], () => this.#or());
    this.#abandonable(binaryOperators, () => this.#tokens.match(":", startsExpr));
    const otherwise = this.#expr();
    return callTo(at, "_?_:_", condition, then, otherwise);
  }

  #or(): Expr {
    return this.#logic("||", "_||_", () => this.#and());
  }

  #and(): Expr {
    return this.#logic("&&", "_&&_", () => this.#relation());
  }

  /** A chain of one logical operator, balanced, so that long chains stay shallow. */
  #logic(operator: TokenKind, name: string, operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    while (this.#tokens.is(operator)) {
      places.push(this.#tokens.take().at);
      terms.push(operand());
    }
    return terms.length === 1 ? terms[0]! : balance(name, terms, places);
  }

  #relation(): Expr {
    return this.#chain(relations, () =>
      this.#chain(sums, () => this.#chain(products, () => this.#unary())),
    );
  }

  #chain(operators: ReadonlySet<TokenKind>, operand: () => Expr): Expr {
    let left = operand();
    while (operators.has(this.#tokens.peek().kind)) {
      const { kind, at } = this.#tokens.take();
      left = callTo(at, kind === "in" ? "@in" : `_${kind}_`, left, operand());
      this.#nesting.of(left);
    }
    return left;
  }

  #unary(): Expr {
    return this.#abandonable(binaryOperators, () => {
      this.#tokens.sync(exprStart);
      const first = this.#tokens.peek();
      if (first.kind === "!") return this.#prefixed("!", "!_", [...memberStart, "!"]);
      if (first.kind === "-" && !this.#signedLiteral()) return this.#negated();
      return this.#member();
    });
  }

  #signedLiteral(): boolean {
    const next = this.#tokens.peek(1).kind;
    return next === "NUM_INT" || next === "NUM_FLOAT";
  }

  #negated(): Expr {
    const next = this.#tokens.peek(1).kind;
    if (!memberStart.includes(next)) this.#tokens.noViable(1);
    return this.#prefixed("-", "-_", memberStart);
  }

  #prefixed(operator: TokenKind, name: string, expected: readonly TokenKind[]): Expr {
    const { at } = this.#tokens.peek();
    let count = 0;
    while (this.#tokens.is(operator)) {
      this.#tokens.take();
      count++;
      this.#tokens.syncLoop(expected, binaryOperators);
    }
    const operand = this.#member();
    return count % 2 === 0 ? operand : callTo(at, name, operand);
  }

  #member(): Expr {
    let expr = this.#abandonable([...afterMember], () => this.#primary());
    try {
      for (;;) {
        if (this.#tokens.is(".")) expr = this.#dotted(expr);
        else if (this.#tokens.is("[")) expr = this.#indexed(expr);
        else return expr;
        this.#nesting.of(expr);
      }
    } catch (error) {
      this.#caught(error, binaryOperators);
      return expr;
    }
  }

  #dotted(operand: Expr): Expr {
    const next = this.#tokens.peek(1).kind;
    if (next !== "?" && next !== "IDENTIFIER" && next !== "ESC_IDENTIFIER")
      this.#tokens.noViable(1);
    const { at } = this.#tokens.take();
    const optional = this.#tokens.is("?");
    if (optional) this.#tokens.take();
    if (optional && !this.#tokens.is("IDENTIFIER") && !this.#tokens.is("ESC_IDENTIFIER")) {
      this.#tokens.issue(this.#tokens.peek().at, "unsupported ident kind");
      this.#tokens.mismatch(["IDENTIFIER", "ESC_IDENTIFIER"]);
    }
    const name = this.#tokens.take();
    if (optional)
      return callTo(at, "_?._", operand, { kind: "literal", at: name.at, value: name.text });
    if (name.kind === "IDENTIFIER" && this.#tokens.is("(")) {
      const open = this.#tokens.take();
      return this.#call(open.at, name.text, operand, this.#arguments());
    }
    if (name.kind === "ESC_IDENTIFIER") this.#tokens.issue(name.at, "unsupported syntax: '`'");
    return { kind: "select", at, operand, field: name.text, testOnly: false };
  }

  #indexed(operand: Expr): Expr {
    const { at } = this.#tokens.take();
    this.#tokens.sync([...exprStart, "?"]);
    const optional = this.#tokens.is("?");
    if (optional) this.#tokens.take();
    const index = this.#tokens.within(["]"], () => this.#expr());
    this.#tokens.matchEnd("]", afterMember);
    return this.#call(at, optional ? "_[?_]" : "_[_]", undefined, [operand, index]);
  }

  #arguments(): Expr[] {
    this.#tokens.sync([...exprStart, ")"]);
    const args: Expr[] = [];
    if (!this.#tokens.is(")")) {
      this.#tokens.within([",", ")"], () => {
        args.push(this.#expr());
        while (this.#tokens.is(",")) {
          this.#tokens.take();
          args.push(this.#expr());
        }
      });
    }
    this.#tokens.matchEnd(")", afterMember);
    return args;
  }

  #primary(): Expr {
    const token = this.#tokens.peek();
    switch (token.kind) {
      case "(":
        return this.#nested();
      case "[":
        return readList(this.#rules);
      case "{":
        return readMap(this.#rules);
      case "IDENTIFIER":
      case ".":
        return this.#named();
      case "-":
      case "true":
      case "false":
      case "null":
      case "NUM_FLOAT":
      case "NUM_INT":
      case "NUM_UINT":
      case "STRING":
      case "BYTES":
        return this.#literal();
      default:
        return this.#tokens.noViable(0);
    }
  }

  #nested(): Expr {
    this.#tokens.take();
    const inner = this.#tokens.within([")"], () => this.#expr());
    this.#tokens.matchEnd(")", afterMember);
    return inner;
  }

  /** A variable, a function call or a message literal, each possibly with a leading dot. */
  #named(): Expr {
    const dot = this.#tokens.is(".");
    if (dot && this.#tokens.peek(1).kind !== "IDENTIFIER") this.#tokens.noViable(1);
    const messageName = this.#messageName(dot ? 1 : 0);
    if (messageName !== undefined) return this.#message((dot ? "." : "") + messageName);
    if (dot) this.#tokens.take();
    const token = this.#tokens.take();
    const name = (dot ? "." : "") + token.text;
    const isReserved = reservedNames.has(token.text);
    const at = dot ? token.at - 1 : token.at;
    if (!this.#tokens.is("(")) {
      if (isReserved) this.#tokens.issue(at, `reserved identifier: ${token.text}`);
      return isReserved ? missing(token.at) : { kind: "ident", at: token.at, name };
    }
    const open = this.#tokens.take();
    const args = this.#arguments();
    if (isReserved) this.#tokens.issue(at, `reserved identifier: ${token.text}`);
    return this.#call(open.at, name, undefined, args);
  }

  /** `a.b.C` when the tokens ahead are such a name followed by `{`. */
  #messageName(from: number): string | undefined {
    let name = this.#tokens.peek(from).text;
    let i = from + 1;
    while (this.#tokens.peek(i).kind === "." && this.#tokens.peek(i + 1).kind === "IDENTIFIER") {
      name += `.${this.#tokens.peek(i + 1).text}`;
      i += 2;
    }
    return this.#tokens.peek(i).kind === "{" ? name : undefined;
  }

  #message(name: string): Expr {
    while (!this.#tokens.is("{")) this.#tokens.take();
    return readMessage(this.#rules, name);
  }

  #literal(): Expr {
    const sign = this.#tokens.is("-") ? this.#tokens.take() : undefined;
    const token = this.#tokens.take();
    const at = sign?.at ?? token.at;
    const read = readLiteral(token, (sign ? "-" : "") + token.text);
    if ("value" in read) return { kind: "literal", at, value: read.value };
    this.#tokens.issue(at, read.error);
    return missing(at);
  }

  #call(at: number, name: string, target: Expr | undefined, args: readonly Expr[]): Expr {
    const written: Call = { kind: "call", at, function: name, target, args };
    const expanded = expandMacro(this.#macros, written);
    if (expanded === undefined) return written;
    if ("message" in expanded) {
      this.#tokens.issue(expanded.at, expanded.message);
      return missing(at);
    }
    return this.#nesting.expanded(written, expanded);
  }

  #abandonable<T>(operators: readonly TokenKind[], rule: () => T): T | Expr {
    const { at } = this.#tokens.peek();
    try {
      return rule();
    } catch (error) {
      this.#caught(error, operators);
      return missing(at);
    }
  }

  #caught(error: unknown, operators: readonly TokenKind[]): void {
    if (!(error instanceof RuleAbandoned)) throw error;
    this.#tokens.recover(operators);
  }
}

/** A chain of one operator as a balanced tree; `places` are those of the operators. */
function balance(name: string, terms: readonly Expr[], places: readonly number[]): Expr {
  const build = (low: number, high: number): Expr => {
    const middle = (low + high + 1) >> 1;
    const left = middle === low ? terms[middle]! : build(low, middle - 1);
    const right = middle === high ? terms[middle + 1]! : build(middle + 1, high);
    return callTo(places[middle]!, name, left, right);
  };
  return build(0, places.length - 1);
}
