// Quotes a text as Go's time package does in its errors, e.g. `"\xc3\xa9"` for an é.
// Upstream: Go's time/format.go (quote).

/** The text in quotes, with the bytes of what is neither printable nor ASCII in hexadecimal. */
export function quoteBytes(text: string): string {
  const inner = text.replace(/["\\]|[^\x20-\x7f]/gu, (c) =>
    c === '"' || c === "\\"
      ? `\\${c}`
      : [...Buffer.from(c)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
  );
  return `"${inner}"`;
}
