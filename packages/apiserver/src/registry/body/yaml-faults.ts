// Translates faults of the YAML library to go-yaml's messages. go-yaml counts lines from zero in
// its parser and from one in its scanner, and leaves line zero out.
// Upstream: sigs.k8s.io/yaml/goyaml.v2 (decode.go fail, parserc.go, scannerc.go).

/** A fault as the library reports it. */
export interface YamlFault {
  readonly code: string;
  readonly message: string;
  /** The offset in the text. */
  readonly offset: number;
}

/** Faults that the library does not report, e.g. control characters. */
export function findPlainFault(text: string): string | undefined {
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text))
    return "yaml: control characters are not allowed";
  if (/^%YAML\s+(?!1\.1\s)/.test(text)) return "yaml: found incompatible YAML document";
  return undefined;
}

/** `yaml: line 2: did not find expected key`. */
export function formatYamlFault({ code, message, offset }: YamlFault, text: string): string {
  const line = lineAt(text, offset);
  switch (code) {
    case "TAB_AS_INDENT":
      return scanner(
        line,
        endsInPlainText(linesOf(text)[line - 1] ?? "")
          ? "found a tab character that violates indentation"
          : "found character that cannot start any token",
      );
    case "BAD_SCALAR_START":
      return scanner(line, "found character that cannot start any token");
    case "BAD_DQ_ESCAPE":
      return scanner(line, "found unknown escape character");
    case "BAD_ALIAS":
      return scanner(line, "did not find expected alphabetic or numeric character");
    case "BLOCK_AS_IMPLICIT_KEY":
      return scanner(line, "mapping values are not allowed in this context");
    case "MULTILINE_IMPLICIT_KEY":
      return text[offset] === "-"
        ? parser(line, "did not find expected key")
        : scanner(
            lineAt(text, colonAfter(text, offset)),
            "mapping values are not allowed in this context",
          );
    default:
      return formatStructure(message, line, text, offset);
  }
}

/** Faults of brackets, quotes and indentation. */
function formatStructure(message: string, line: number, text: string, offset: number): string {
  const flow = /^Flow (map|sequence)/.exec(message);
  if (flow && /[{[,:]\s*$/.test(text.slice(0, offset)))
    return parser(endLine(text, offset, line), "did not find expected node content");
  if (flow)
    return parser(
      endLine(text, offset, line),
      `did not find expected ',' or '${flow[1] === "map" ? "}" : "]"}'`,
    );
  if (/quote$/.test(message)) return scanner(line, "found unexpected end of stream");
  if (/flow-(?:map|seq)-end/.test(message))
    return parser(line, "did not find expected node content");
  return parser(
    line,
    isInSequence(text, line) ? "did not find expected '-' indicator" : "did not find expected key",
  );
}

const scanner = (line: number, problem: string): string =>
  line ? `yaml: line ${line + 1}: ${problem}` : `yaml: ${problem}`;
const parser = (line: number, problem: string): string =>
  line ? `yaml: line ${line}: ${problem}` : `yaml: ${problem}`;

/** The end of the text counts as a line. */
const endLine = (text: string, offset: number, line: number): number =>
  offset >= text.length && !text.endsWith("\n") ? line + 1 : line;

/** Lines count from zero. */
const lineAt = (text: string, offset: number): number =>
  text.slice(0, offset).split("\n").length - 1;
const linesOf = (text: string): readonly string[] => text.split("\n");
const indentOf = (line: string): number => line.length - line.trimStart().length;

function colonAfter(text: string, offset: number): number {
  const found = text.slice(offset).search(/:(?:\s|$)/);
  return found < 0 ? offset : offset + found;
}

/** A scalar without quotes, which the next line might have continued. */
const endsInPlainText = (line: string): boolean => /[^\s:"'}\]>|]\s*$/.test(line);

/** True when the lines before this one, at its indentation, are items of a list. */
function isInSequence(text: string, line: number): boolean {
  const lines = linesOf(text);
  const indent = indentOf(lines[line] ?? "");
  const sibling = lines
    .slice(0, line)
    .findLast((each) => each.trim() !== "" && indentOf(each) <= indent);
  return sibling !== undefined && indentOf(sibling) === indent && /^\s*-(?:\s|$)/.test(sibling);
}
