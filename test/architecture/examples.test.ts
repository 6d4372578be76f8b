// Every example has an entry and a test that boots it. `npm start` runs the first of them.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSources } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What examples lack, one line each. */
function lacking(tree: string): readonly string[] {
  return readdirSync(`${tree}/examples`).flatMap((name) => [
    ...(existsSync(`${tree}/examples/${name}/main.ts`) ? [] : [`examples/${name} has no main.ts`]),
    ...(readSources(tree, [`examples/${name}`], [".test.ts"]).length > 0
      ? []
      : [`examples/${name} has no test`]),
  ]);
}

test("every example has an entry and a test", () => assert.deepEqual(lacking(root), []));

test("npm start runs one of them", () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  assert.ok(existsSync(root + scripts.start.split(" ").at(-1)!), scripts.start);
});

test("a planted example without a test is found", () => {
  using tree = plantTree({
    "examples/a/main.ts": "",
    "examples/a/a.test.ts": "",
    "examples/b/main.ts": "",
  });
  assert.deepEqual(lacking(tree.root), ["examples/b has no test"]);
});
