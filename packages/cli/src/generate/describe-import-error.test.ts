import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { describeImportError } from "./describe-import-error.ts";

test("the user's file and line are named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-import-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  writeFileSync(path("one.ts"), "export const one = 1;\n");
  const cases: readonly (readonly [string, string])[] = [
    ["const a = 1;\nexport const b = ;\n", `Expression expected (${path("0.ts")}:2)`],
    [
      "\n\nenum A { B }\n",
      `TypeScript enum is not supported in strip-only mode (${path("1.ts")}:3)`,
    ],
    ['import "./0.ts";\n', `Expression expected (${path("0.ts")}:2)`],
    [
      '\nimport { two } from "./one.ts";\nexport const three = two;\n',
      `The requested module './one.ts' does not provide an export named 'two' (${path("3.ts")}:2)`,
    ],
    [
      'import "./gone.ts";\n',
      `Cannot find module '${path("gone.ts")}' imported from ${path("4.ts")}`,
    ],
    ["\nthrow new Error('not yet\\nnever');\n", `not yet (${path("5.ts")}:2:7)`],
    ["throw 'text';\n", "text"],
  ];
  for (const [i, [text, expected]] of cases.entries()) {
    writeFileSync(path(`${i}.ts`), text);
    const error: unknown = await import(pathToFileURL(path(`${i}.ts`)).href).catch(
      (thrown: unknown) => thrown,
    );
    assert.equal(describeImportError(error), expected);
  }
});

test("code of packages is named only where there is none of the user's", () => {
  const error = new Error("wrong");
  const library = "    at define (file:///app/node_modules/lib/index.js:1:2)";
  error.stack = `Error: wrong\n${library}\n    at file:///app/src/operator.ts:3:4`;
  assert.equal(describeImportError(error), "wrong (/app/src/operator.ts:3:4)");
  error.stack = `Error: wrong\n${library}`;
  assert.equal(describeImportError(error), "wrong (/app/node_modules/lib/index.js:1:2)");
});
