// Lists, maps and messages: `[a, ?b]`, `{k: v}`, `a.b.C{field: value}`.
// Upstream: github.com/google/cel-go v0.26 parser/gen/CEL.g4 (listInit, mapInitializerList,
// fieldInitializerList).
import type { Expr, MapEntry, StructField } from "../ast/ast.ts";
import { afterMember, exprStart, startsExpr, startsField, startsItem } from "./grammar.ts";
import type { TokenKind } from "./lexer.ts";
import type { TokenStream } from "./token-stream.ts";

/** The tokens, and the rule for the expressions between them. */
export interface Rules {
  readonly tokens: TokenStream;
  readonly expr: () => Expr;
}

/** A list; the next token is its `[`. */
export function readList({ tokens, expr }: Rules): Expr {
  const { at } = tokens.take();
  const elements: Expr[] = [];
  const optional = new Set<number>();
  tokens.sync([...exprStart, "?", ",", "]"]);
  while (!tokens.is("]") && !tokens.is(",")) {
    tokens.sync([...exprStart, "?"]);
    if (takeQuestion(tokens)) optional.add(elements.length);
    elements.push(tokens.within([",", "]"], expr));
    if (!takeComma(tokens, startsItem)) break;
  }
  close(tokens, "]");
  return { kind: "list", at, elements, optional };
}

/** A map; the next token is its `{`. */
export function readMap({ tokens, expr }: Rules): Expr {
  const { at } = tokens.take();
  const entries: MapEntry[] = [];
  tokens.sync([...exprStart, "?", ",", "}"]);
  while (!tokens.is("}") && !tokens.is(",")) {
    tokens.sync([...exprStart, "?"]);
    const optional = takeQuestion(tokens);
    const key = tokens.within([":"], expr);
    const colon = tokens.match(":", startsExpr);
    const value = tokens.within([",", "}"], expr);
    entries.push({ at: colon.at, key, value, optional });
    if (!takeComma(tokens, startsItem)) break;
  }
  close(tokens, "}");
  return { kind: "map", at, entries };
}

/** A message of this name; the next token is its `{`. */
export function readMessage({ tokens, expr }: Rules, name: string): Expr {
  const { at } = tokens.take();
  const fields: StructField[] = [];
  tokens.sync(["IDENTIFIER", "ESC_IDENTIFIER", "?", ",", "}"]);
  while (!tokens.is("}") && !tokens.is(",")) {
    const optional = takeQuestion(tokens);
    tokens.sync(["IDENTIFIER", "ESC_IDENTIFIER"]);
    const field = tokens.take();
    if (field.kind === "ESC_IDENTIFIER") tokens.issue(field.at, "unsupported syntax: '`'");
    const colon = tokens.match(":", startsExpr);
    const value = tokens.within([",", "}"], expr);
    fields.push({ at: colon.at, name: field.text, value, optional });
    if (!takeComma(tokens, startsField)) break;
  }
  close(tokens, "}");
  return { kind: "struct", at, name, fields };
}

function takeQuestion(tokens: TokenStream): boolean {
  const found = tokens.is("?");
  if (found) tokens.take();
  return found;
}

/** Takes a comma that another item follows; a last comma stays. */
function takeComma(tokens: TokenStream, next: ReadonlySet<TokenKind>): boolean {
  const found = tokens.is(",") && next.has(tokens.peek(1).kind);
  if (found) tokens.take();
  return found;
}

function close(tokens: TokenStream, bracket: "]" | "}"): void {
  tokens.sync([",", bracket]);
  if (tokens.is(",")) tokens.take();
  tokens.matchEnd(bracket, afterMember);
}
