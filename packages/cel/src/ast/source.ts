// The text of an expression: positions in code points, and errors as CEL shows them.
// Upstream: github.com/google/cel-go v0.26 common/source.go, common/error.go, common/errors.go.

/** An error. `at` is a code point offset, -1 for errors without a position. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Further issues are only counted. */
const maxIssues = 100;
/** Longer lines are not shown under an error. */
const maxSnippet = 16_384;

/** An expression's text, indexable by code point. */
export class Source {
  readonly text: string;
  /** Single UTF-16 units where the text has no surrogates, code points otherwise. */
  readonly points: string | readonly string[];
  #lineStarts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
    this.points = /[\ud800-\udfff]/.test(text) ? Array.from(text) : text;
  }

  get length(): number {
    return this.points.length;
  }

  slice(from: number, to: number): string {
    return typeof this.points === "string"
      ? this.points.slice(from, to)
      : this.points.slice(from, to).join("");
  }

  /** One-based line and zero-based column. */
  locate(at: number): { readonly line: number; readonly column: number } {
    if (at < 0) return { line: -1, column: -1 };
    const starts = this.lineStarts();
    let line = starts.length;
    while (line > 1 && starts[line - 1]! > at) line--;
    return { line, column: at - starts[line - 1]! };
  }

  /** The text of a line; undefined past the end. */
  snippet(line: number): string | undefined {
    const starts = this.lineStarts();
    if (line < 1 || line > starts.length || this.length === 0) return undefined;
    const end = line < starts.length ? starts[line]! - 1 : this.length;
    return this.slice(starts[line - 1]!, end);
  }

  private lineStarts(): readonly number[] {
    if (!this.#lineStarts) {
      this.#lineStarts = [0];
      for (let i = 0; i < this.points.length; i++)
        if (this.points[i] === "\n") this.#lineStarts.push(i + 1);
    }
    return this.#lineStarts;
  }
}

/**
 * All issues in order of position, e.g. `ERROR: <input>:1:5: undefined field 'x'\n | self.x\n |
 * ....^`.
 */
export function formatIssues(source: Source, issues: readonly Issue[]): string {
  const placed = issues.slice(0, maxIssues).map((issue) => ({ issue, ...source.locate(issue.at) }));
  placed.sort((a, b) => a.line - b.line || a.column - b.column);
  const shown = placed.map(({ issue, line, column }) =>
    formatIssue(source, issue.message, line, column),
  );
  if (issues.length > maxIssues)
    shown.push(`${issues.length - maxIssues} more errors were truncated`);
  return shown.join("\n");
}

function formatIssue(source: Source, message: string, line: number, column: number): string {
  // Upstream counts the column of an error at the end of an empty text from -1.
  const shownColumn = source.length === 0 ? 0 : column + 1;
  const head = `ERROR: <input>:${line}:${shownColumn}: ${message}`;
  const snippet = source.snippet(line)?.replaceAll("\t", " ");
  if (snippet === undefined || snippet.length > maxSnippet) return head;
  const points = Array.from(snippet);
  let pointer = "";
  for (let i = 0; i < column && i < points.length; i++)
    pointer += isWide(points[i]) ? "\uff0e" : ".";
  return `${head}\n | ${snippet}\n | ${pointer}${isWide(points[column]) ? "\uff3e" : "^"}`;
}

const isWide = (point: string | undefined): boolean =>
  point !== undefined && point.charCodeAt(0) > 0x7f;
