// Quotes texts as Go's `%q` does.
// Upstream: Go's strconv.Quote.

/** Characters with a short escape. */
export const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** E.g. `"a\tb"`. */
export function quoteGoText(text: string): string {
  let out = "";
  for (const c of text)
    out += shortEscapes[c] ?? (printable.test(c) ? c : escape(c.codePointAt(0)!));
  return `"${out}"`;
}

function escape(code: number): string {
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
