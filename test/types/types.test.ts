// The type test: the sketch compiles (with everything else, in `npm run check`), and every wrong
// program is refused on the line that is wrong, with the words recorded in
// testdata/wrong-programs.txt. `UPDATE_GOLDENS=1` records them anew.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = (name: string): string => fileURLToPath(new URL(`testdata/${name}`, import.meta.url));
const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

test("wrong programs do not compile, and the compiler names the mistake", () => {
  const { stdout } = spawnSync(
    process.execPath,
    [compiler, "--pretty", "false", "-p", here("tsconfig.json")],
    { encoding: "utf8" },
  );
  const found = stdout
    .split("\n")
    .flatMap(
      (line) =>
        /^.*wrong-programs\.ts\((\d+),\d+\): (error .*)$/.exec(line)?.slice(1, 3).join(": ") ?? [],
    )
    .map((line) => (line.length > 420 ? `${line.slice(0, 420)}…` : line));
  const planted = readFileSync(here("wrong-programs.ts"), "utf8")
    .split("\n")
    .flatMap((line, i) => (line.trimEnd().endsWith("// !") ? [String(i + 1)] : []));
  assert.deepEqual(
    found.map((line) => line.split(":")[0]),
    planted,
    "every line marked with ! is refused, and no other",
  );
  const text = `${found.join("\n")}\n`;
  if (process.env["UPDATE_GOLDENS"]) writeFileSync(here("wrong-programs.txt"), text);
  assert.equal(text, readFileSync(here("wrong-programs.txt"), "utf8"));
});
