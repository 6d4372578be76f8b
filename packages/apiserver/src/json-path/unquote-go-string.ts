// Unquotes Go string literals in double or single quotes, both of any length.
// Upstream: k8s.io/client-go/util/jsonpath/parser.go (UnquoteExtend), Go's strconv.UnquoteChar.
import { goEscapes } from "../apimachinery/values/go-syntax.ts";

const numeric = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/;

/** The content of a literal with escapes resolved; undefined when malformed. */
export function unquoteGoString(quoted: string): string | undefined {
  const quote = quoted[0];
  if (quoted.length < 2 || (quote !== '"' && quote !== "'") || quoted.at(-1) !== quote)
    return undefined;
  const body = quoted.slice(1, -1);
  if (!body.includes("\\") && !body.includes(quote)) return body;
  let out = "";
  for (let i = 0; i < body.length;) {
    const c = body[i]!;
    if (c === quote) return undefined;
    if (c !== "\\") {
      out += c;
      i++;
      continue;
    }
    const [text, length] = readEscape(body.slice(i + 1), quote) ?? [];
    if (text === undefined) return undefined;
    out += text;
    i += 1 + length!;
  }
  return out;
}

function readEscape(
  rest: string,
  quote: string,
): readonly [text: string, length: number] | undefined {
  const c = rest[0] ?? "";
  if (Object.hasOwn(goEscapes, c)) return [goEscapes[c]!, 1];
  if (c === quote) return [quote, 1];
  const match = numeric.exec(rest);
  if (!match) return undefined;
  const code =
    match[4] === undefined
      ? Number.parseInt(match[1] ?? match[2] ?? match[3]!, 16)
      : Number.parseInt(match[4], 8);
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
    ? undefined
    : [String.fromCodePoint(code), match[0].length];
}
