// The level diagrams of docs/architecture.md match tools/layers.ts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { layers } from "../../tools/layers.ts";

const page = readFileSync(
  fileURLToPath(new URL("../../docs/architecture.md", import.meta.url)),
  "utf8",
);

/** The levels of the picture below "`packages/<place>/src`, highest first:", lowest first. */
function drawnLevels(text: string, place: string): readonly (readonly string[])[] {
  const [, after = ""] = text.split(`\`packages/${place}/src\`, highest first:`);
  const [, picture = ""] = after.split("```");
  return picture
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => line.split(/ {2,}/)[0]!.trim().split(" "))
    .map((folders) => folders.map((folder) => folder.replace(/\/$/, "")).sort())
    .reverse();
}

for (const place of ["apiserver", "homeostat", "cel"]) {
  test(`docs/architecture.md draws the levels of packages/${place}`, () => {
    const levels = layers[place]!.map((folders) => [...folders].sort());
    assert.deepEqual(drawnLevels(page, place), levels);
  });
}

test("a picture is read from below, one level a line", () => {
  const text = "`packages/x/src`, highest first:\n\n```\nb/ a/      two\n.          facade\n```\n";
  assert.deepEqual(drawnLevels(text, "x"), [["."], ["a", "b"]]);
});
