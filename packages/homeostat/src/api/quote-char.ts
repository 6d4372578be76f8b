// Characters in the error messages of Go's encoding/json, e.g. `invalid character '\x00'`.
// Upstream: encoding/json/scanner.go (quoteChar).

/** Quotes a character as encoding/json does in errors. */
export function quoteChar(c: string): string {
  if (c === "'") return "'\\''";
  if (c === '"') return "'\"'";
  const named: Readonly<Record<string, string>> = {
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
    "\u000b": "\\v",
    "\u0007": "\\a",
    "\\": "\\\\",
  };
  if (c in named) return `'${named[c]}'`;
  if (c >= "\u0080" && c < "\u00a1") return `'\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}'`;
  return c < " " || c === "\u007f"
    ? `'\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}'`
    : `'${c}'`;
}
