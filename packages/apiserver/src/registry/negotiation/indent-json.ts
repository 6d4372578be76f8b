// Indents JSON text by two spaces, as Go's json.Indent does, without parsing: numbers and order
// stay as they are.

/**
 * Indented text without a final newline, as upstream sends it, e.g. `{\n  "a": 1\n}`; empty objects
 * and arrays stay closed.
 */
export function indentJson(text: string): string {
  let out = "";
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '"') {
      const end = endOfString(text, i);
      out += text.slice(i, end);
      i = end - 1;
    } else if (c === "{" || c === "[") {
      const close = text[i + 1];
      if (close === "}" || close === "]") out += c + close;
      else out += c + newline(++depth);
      if (close === "}" || close === "]") i++;
    } else if (c === "}" || c === "]") out += newline(--depth) + c;
    else if (c === ",") out += c + newline(depth);
    else if (c !== "\n") out += c === ":" ? ": " : c;
  }
  return out;
}

const newline = (depth: number): string => `\n${"  ".repeat(depth)}`;

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
  return i + 1;
}
