// docs/how-to-add.md keeps its promise: a row for each kind of addition, each says what to touch,
// what to copy and when it is done, and registries that it calls "one line" still list what lies
// beside them. (That its paths exist: documents.test.ts.)
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");
const rows = read("docs/how-to-add.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| add a"))
  .map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

test("there is a row for each kind of addition", () => {
  const promised = [
    "patch type",
    "admission plug-in",
    "built-in kind",
    "controller of the control plane",
    "error code",
    "metric",
    "example",
    "CLI command",
    "CEL library",
    "architecture rule",
  ];
  assert.deepEqual(
    promised.filter((kind) => !rows.some(([what]) => what?.startsWith(kind))),
    [],
  );
});

test("each row says what to touch, what to copy and when it is done", () => {
  assert.deepEqual(
    rows
      .filter((cells) => cells.length !== 4 || cells.some((cell) => cell.length < 5))
      .map(([what]) => what),
    [],
  );
});

/** Names of a folder's entries that the registry's text does not mention. */
function unlisted(
  tree: string,
  registry: string,
  folder: string,
  isMember: (name: string) => boolean,
): readonly string[] {
  const text = readFileSync(tree + registry, "utf8");
  return readdirSync(tree + folder).filter((name) => isMember(name) && !text.includes(`/${name}`));
}

const isFolder = (name: string): boolean => !name.includes(".");
const isSource = (name: string): boolean =>
  name.endsWith(".ts") && !/\.(test|suite)\.ts$/.test(name);

test("registries of one line list everything that lies beside them", () => {
  assert.deepEqual(
    unlisted(
      root,
      "packages/apiserver/src/controller-manager/start-controllers.ts",
      "packages/apiserver/src/controllers",
      isFolder,
    ),
    [],
  );
  assert.deepEqual(
    unlisted(root, "packages/cli/src/main.ts", "packages/cli/src/commands", isSource),
    [],
  );
});

test("a member that is planted and not listed is found", () => {
  using tree = plantTree({
    "main.ts": 'await import("./commands/a.ts")',
    "commands/a.ts": "",
    "commands/b.ts": "",
    "commands/b.test.ts": "",
  });
  assert.deepEqual(unlisted(`${tree.root}/`, "main.ts", "commands", isSource), ["b.ts"]);
});
