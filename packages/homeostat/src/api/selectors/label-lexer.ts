// Splits a label selector into tokens. It does not distinguish keys from values, so `in` can also
// be a value.
// Upstream: k8s.io/apimachinery/pkg/labels/selector.go (Lexer).

/** The kind of a token; "identifier" is any text that is neither operator nor keyword. */
export type TokenKind =
  | ")"
  | ","
  | "!"
  | "=="
  | "="
  | ">"
  | "in"
  | "<"
  | "!="
  | "notin"
  | "("
  | "identifier"
  | "end"
  | "error";

/** A token and its text; the end has no text. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const signs = new Set(["=", "!", "(", ")", ",", ">", "<"]);
const signTokens = new Set<string>([")", ",", "!", "==", "=", ">", "<", "!=", "("]);
const keywords = new Set<string>(["in", "notin"]);
const spaces = new Set([" ", "\t", "\r", "\n"]);

/** All tokens of a selector, the last being "end". */
export function lexLabelSelector(selector: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < selector.length) {
    const c = selector[at]!;
    if (spaces.has(c)) {
      at++;
      continue;
    }
    const token = signs.has(c) ? readSign(selector, at) : readWord(selector, at);
    tokens.push(token);
    at += token.text.length || 1;
  }
  tokens.push({ kind: "end", text: "" });
  return tokens;
}

/** The longest operator at `at`. */
function readSign(selector: string, at: number): Token {
  const two = selector.slice(at, at + 2);
  const text = signTokens.has(two) ? two : selector[at]!;
  return { kind: text as TokenKind, text };
}

function readWord(selector: string, at: number): Token {
  let end = at;
  while (end < selector.length && !signs.has(selector[end]!) && !spaces.has(selector[end]!)) end++;
  const text = selector.slice(at, end);
  return { kind: keywords.has(text) ? (text as TokenKind) : "identifier", text };
}
