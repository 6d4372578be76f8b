// docs/glossary.md has a line for every folder that tools/layers.ts orders, and names only folders
// that exist.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { layers } from "../../tools/layers.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sections = [
  { heading: "## The API server, by folder", place: "apiserver" },
  { heading: "## The framework, by folder", place: "homeostat" },
  { heading: "## The CEL engine, by folder", place: "cel" },
] as const;

/** First cells of the table below a heading, without code marks. */
function foldersBelow(text: string, heading: string): readonly string[] {
  const section = text.split(/^(?=## )/m).find((each) => each.startsWith(heading)) ?? "";
  return [...section.matchAll(/^\| `([^`]+)` \| .+ \| .+ \|$/gm)].map((match) => match[1]!);
}

/** Folders of a place and of the places inside it, e.g. `registry` and `registry/body`. */
function orderedFolders(place: string): readonly string[] {
  return Object.entries(layers).flatMap(([each, levels]) => {
    if (each !== place && !each.startsWith(`${place}/`)) return [];
    const inner = each === place ? "" : `${each.slice(place.length + 1)}/`;
    return levels.flat().flatMap((folder) => (folder === "." ? [] : [`${inner}${folder}`]));
  });
}

const missing = (named: readonly string[], wanted: readonly string[]): readonly string[] =>
  wanted.filter((folder) => !named.includes(folder));

for (const { heading, place } of sections) {
  test(`the glossary names the folders of packages/${place}`, () => {
    const named = foldersBelow(readFileSync(`${root}docs/glossary.md`, "utf8"), heading);
    assert.deepEqual(missing(named, orderedFolders(place)), [], "folders without a line");
    const gone = named.filter((folder) => !existsSync(`${root}packages/${place}/src/${folder}`));
    assert.deepEqual(gone, [], "lines without a folder");
  });
}

test("a folder without a line is found, and only lines with all three cells count", () => {
  const text = "## X\n\n| `a` | meaning | upstream |\n| `b` | meaning |\n\n## Y\n| `c` | d | e |\n";
  assert.deepEqual(foldersBelow(text, "## X"), ["a"]);
  assert.deepEqual(missing(foldersBelow(text, "## X"), ["a", "b"]), ["b"]);
});
