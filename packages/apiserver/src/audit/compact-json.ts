// Writes a JSON text as Go's encoder copies it from what a value's own marshaller returns.
// Upstream: encoding/json (appendCompact with escapeHTML).

/** Without spaces between tokens, and with `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function compactJson(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"|\s+/gs, (token) => (token[0] === '"' ? token : ""))
    .replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
