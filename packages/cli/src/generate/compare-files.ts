// What differs between the generated files and those of a folder.
import type { GeneratedFile } from "./manifests.ts";

/** A file that is not as it would be generated. */
export interface FileDifference {
  readonly name: string;
  /** What differs, for a person. */
  readonly what: string;
}

/** @param read the text of a file of the folder; undefined when it does not exist */
export function compareFiles(
  files: readonly GeneratedFile[],
  read: (name: string) => string | undefined,
): readonly FileDifference[] {
  return files.flatMap(({ name, text }) => {
    const found = read(name);
    if (found === undefined) return [{ name, what: "is missing" }];
    return found === text ? [] : [{ name, what: firstDifference(text, found) }];
  });
}

function firstDifference(expected: string, found: string): string {
  const wanted = expected.split("\n");
  const lines = found.split("\n");
  const at = wanted.findIndex((line, i) => line !== lines[i]);
  const line = at === -1 ? wanted.length : at;
  return `differs in line ${line + 1}: expected ${quote(wanted[line])}, found ${quote(lines[line])}`;
}

const quote = (line: string | undefined): string =>
  line === undefined ? "the end of the file" : JSON.stringify(line);
