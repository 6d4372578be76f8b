// Programs in documents compile: every `ts` fence that begins with an import is a program, and is
// checked against the sources under the project's own strictness. Each is a file of its own; one
// that is named (```ts src/site.ts) can be imported by other named ones of its document.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSources } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const compilerOptions = {
  ...(
    JSON.parse(readFileSync(`${root}tsconfig.base.json`, "utf8")) as {
      readonly compilerOptions: object;
    }
  ).compilerOptions,
  composite: false,
  declaration: false,
  emitDeclarationOnly: false,
  noEmit: true,
  rewriteRelativeImportExtensions: false,
  allowImportingTsExtensions: true,
};

/**
 * Programs of the documents by where they stand: `README.md-2.ts`, or by their name:
 * `docs-guide.md/src/site.ts`.
 */
function programs(): Readonly<Record<string, string>> {
  const documents = [
    { path: "README.md", text: readFileSync(`${root}README.md`, "utf8") },
    ...readSources(root, ["docs", "packages"], [".md"]).filter(
      ({ path }) => !path.includes("/templates/"),
    ),
  ];
  const fences = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/^```ts(?: (\S+\.ts))?\n([\s\S]*?)^```$/gm)].map(
      ([, name, program], i) =>
        [
          `${path.replaceAll("/", "-")}${name === undefined ? `-${i + 1}.ts` : `/${name}`}`,
          program!,
        ] as const,
    ),
  );
  return Object.fromEntries(fences.filter(([, text]) => text.startsWith("import ")));
}

function compile(files: Readonly<Record<string, string>>): string {
  using tree = plantTree({
    ...files,
    "package.json": '{"type":"module"}',
    "tsconfig.json": JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  });
  symlinkSync(join(root, "node_modules"), join(tree.root, "node_modules"), "junction");
  symlinkSync(join(root, "packages"), join(tree.root, "packages"), "junction");
  return spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "--pretty", "false", "-p", "."],
    { cwd: tree.root, encoding: "utf8" },
  ).stdout;
}

test("programs in documents compile", () => {
  const files = programs();
  assert.ok("README.md-1.ts" in files, "the README shows one");
  const complaints = compile(files).split("\n").filter(Boolean);
  assert.deepEqual(complaints, []);
});

test("a planted mistake is found", () => {
  assert.match(
    compile({
      "README.md-1.ts":
        'import { defineResource } from "homeostat";\nexport const x: number = defineResource;\n',
    }),
    /^README\.md-1\.ts\(2,\d+\): error TS2322/m,
  );
});
