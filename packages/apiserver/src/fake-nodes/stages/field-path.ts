// Paths into objects, the subset of jq that selectors need: `.a.b`, `."a-b"`, `.a["b/c"]`,
// `.list[0]`, `.list[]`, and `.list[] | select(.type == "Ready") | .status`. Pure.
// Upstream: the paths of sigs.k8s.io/kwok's stages, which are jq (github.com/itchyny/gojq).

/** The values at a path, without null. */
export type FieldPath = (object: unknown) => readonly unknown[];

/** An invalid path. */
export class FieldPathError extends Error {}

/** Parses a path. @throws FieldPathError for invalid paths and unsupported jq. */
export function parseFieldPath(text: string): FieldPath {
  const steps = splitPipes(text).map((part) => parsePart(part.trim(), text));
  return (object) =>
    steps
      .reduce<readonly unknown[]>(
        (values, step) => values.flatMap((value) => step(value)),
        [object],
      )
      .filter((value) => value !== undefined && value !== null);
}

/** Splits at bars outside of quotes and brackets. */
function splitPipes(text: string): readonly string[] {
  const parts = [""];
  let [depth, quoted] = [0, false];
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    if (!quoted && "([".includes(char)) depth++;
    if (!quoted && ")]".includes(char)) depth--;
    if (char === "|" && !quoted && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts;
}

const selectPattern = /^select\(\s*(.+?)\s*(==|!=)\s*("(?:[^"\\]|\\.)*"|-?\d+|true|false)\s*\)$/;
const stepPattern =
  /^(?:\.?\[\s*"((?:[^"\\]|\\.)*)"\s*\]|\.?\[\s*(\d+)\s*\]|\.?\[\s*\]|\."((?:[^"\\]|\\.)*)"|\.([A-Za-z_][A-Za-z0-9_]*))/;

function parsePart(part: string, whole: string): FieldPath {
  const [, inner, operator, literal] = selectPattern.exec(part) ?? [];
  if (inner !== undefined && literal !== undefined) {
    const path = parseFieldPath(inner);
    const wanted = JSON.parse(literal) as unknown;
    return (object) => ((path(object)[0] === wanted) === (operator === "==") ? [object] : []);
  }
  if (!part.startsWith("."))
    throw new FieldPathError(
      `a path like .status.phase, .list[].name or .list[] | select(.type == "Ready") | .status was expected, got ${JSON.stringify(whole)}`,
    );
  return parseSteps(part === "." ? "" : part, whole);
}

function parseSteps(text: string, whole: string): FieldPath {
  const steps: FieldPath[] = [];
  let rest = text;
  while (rest !== "") {
    const match = stepPattern.exec(rest);
    if (!match)
      throw new FieldPathError(
        `a path like .status.phase was expected, got ${JSON.stringify(whole)}, invalid from ${JSON.stringify(rest)} on`,
      );
    const [found, bracketed, index, quoted, plain] = match;
    const name = bracketed ?? quoted ?? plain;
    rest = rest.slice(found.length).replace(/^\?/, "");
    if (name !== undefined) steps.push(field(name));
    else steps.push(index === undefined ? everyItem : item(Number(index)));
  }
  return (object) =>
    steps.reduce<readonly unknown[]>(
      (values, step) => values.flatMap((value) => step(value)),
      [object],
    );
}

const field =
  (name: string): FieldPath =>
  (object) => {
    const value =
      typeof object === "object" && object !== null && Object.hasOwn(object, name)
        ? (object as Record<string, unknown>)[name]
        : undefined;
    return value === undefined ? [] : [value];
  };

const item =
  (index: number): FieldPath =>
  (object) =>
    Array.isArray(object) && index < object.length ? [object[index]] : [];

const everyItem: FieldPath = (object) => {
  if (Array.isArray(object)) return object;
  return typeof object === "object" && object !== null ? Object.values(object) : [];
};
