// The clauses of a format text: `%s`, `%.2f` and so on, one after the other.
// Upstream: github.com/google/cel-go v0.26 ext/formatting.go (parseFormatString).

/** One clause. `precision` is undefined where none is written. */
export interface FormatClause {
  readonly verb: "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";
  readonly precision: number | undefined;
}

const verbs = new Set(["s", "d", "f", "e", "b", "x", "X", "o"]);

/**
 * Walks a format text. `render` returns the text of a clause for the argument with that index, and
 * may throw. `fail` throws.
 */
export function walkFormat(
  text: string,
  size: number,
  render: (clause: FormatClause, index: number) => string,
  fail: (message: string) => never,
): string {
  let out = "";
  let index = 0;
  for (let i = 0; i < text.length;) {
    if (text[i] !== "%") {
      out += text[i++];
      continue;
    }
    if (text[i + 1] === "%") {
      out += "%";
      i += 2;
      continue;
    }
    if (index >= size) fail(`index ${index} out of range`);
    if (i + 1 >= text.length) fail("unexpected end of string");
    const { clause, length } = readClause(text.slice(i + 1), fail);
    out += render(clause, index++);
    i += 1 + length;
  }
  return out;
}

function readClause(
  rest: string,
  fail: (message: string) => never,
): { readonly clause: FormatClause; readonly length: number } {
  let precision: number | undefined;
  let at = 0;
  if (rest.startsWith(".")) {
    const digits = /^\d*/.exec(rest.slice(1))![0];
    at = 1 + digits.length;
    const head = "could not parse formatting clause: error while parsing precision:";
    if (at >= rest.length) fail(`${head} could not find end of precision specifier`);
    if (digits === "")
      fail(
        `${head} error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`,
      );
    precision = Number(digits);
  }
  const verb = rest[at]!;
  if (!verbs.has(verb))
    fail(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  return { clause: { verb: verb as FormatClause["verb"], precision }, length: at + 1 };
}

const allowed = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
  d: "decimal clause can only be used on integers",
  f: "fixed-point clause can only be used on doubles",
  e: "scientific clause can only be used on doubles",
  b: "only integers and bools can be formatted as binary",
  x: "only integers, byte buffers, and strings can be formatted as hex",
  X: "only integers, byte buffers, and strings can be formatted as hex",
  o: "octal clause can only be used on integers",
} as const;

/** The error for an argument whose type a clause does not take. */
export const clauseMismatch = (verb: FormatClause["verb"], typeName: string): string =>
  `error during formatting: ${allowed[verb]}, was given ${typeName}`;
