// Lays compact JSON text out in lines, one space a level, and leaves its values as they are
// written.
// Upstream: Go's package encoding/json (MarshalIndent).

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g;

/** `{"a":[]}` as `{\n "a": []\n}`. */
export function indentJson(compact: string): string {
  let depth = 0;
  let before = "";
  let out = "";
  const newline = (): string => `\n${" ".repeat(depth)}`;
  for (const [text] of compact.matchAll(token)) {
    const opened = before === "{" || before === "[";
    if (text === "}" || text === "]") {
      depth--;
      out += opened ? text : `${newline()}${text}`;
    } else {
      if (opened || before === ",") out += newline();
      out += text === ":" ? ": " : text;
    }
    if (text === "{" || text === "[") depth++;
    before = text;
  }
  return out;
}
