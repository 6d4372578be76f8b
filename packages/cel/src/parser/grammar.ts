// Which tokens may start, join and follow the parts of an expression. Error texts list them.
// Upstream: github.com/google/cel-go v0.26 parser/gen/CEL.g4; parser/parser.go (reservedIds).
import { literalTokens, type TokenKind } from "./lexer.ts";

const relationOperators: readonly TokenKind[] = ["==", "!=", "in", "<", "<=", ">=", ">"];

export const memberStart: readonly TokenKind[] = [
  "[",
  "{",
  "(",
  ".",
  "-",
  ...literalTokens,
  "IDENTIFIER",
];
export const exprStart: readonly TokenKind[] = [...memberStart, "!"];
/** Operators with an operand on each side. */
export const binaryOperators: readonly TokenKind[] = [
  ...relationOperators,
  "&&",
  "||",
  "?",
  "+",
  "-",
  "*",
  "/",
  "%",
];

const kinds = (...each: readonly TokenKind[]): ReadonlySet<TokenKind> => new Set(each);

export const relations = kinds(...relationOperators);
export const sums = kinds("+", "-");
export const products = kinds("*", "/", "%");
export const afterMember = kinds(...binaryOperators, ".", "[");
export const startsExpr = kinds(...exprStart);
export const startsItem = kinds(...exprStart, "?");
export const startsField = kinds("IDENTIFIER", "ESC_IDENTIFIER", "?");

/**
 * Names that no variable and no function may have; `true`, `false`, `null` and `in` are tokens of
 * their own.
 */
export const reservedNames: ReadonlySet<string> = new Set([
  "as",
  "break",
  "const",
  "continue",
  "else",
  "for",
  "function",
  "if",
  "import",
  "let",
  "loop",
  "package",
  "namespace",
  "return",
  "var",
  "void",
  "while",
]);
