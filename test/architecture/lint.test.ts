// Each lint rule that the design leans on fails on a breach of it, planted in a tree of its own
// under the project's own configuration; and what the rule is meant to leave alone, it leaves
// alone.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { plantTree } from "./plant-tree.ts";

const path = (relative: string): string =>
  fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const configuration = {
  ".oxlintrc.json": readFileSync(path(".oxlintrc.json"), "utf8"),
  "tools/lint/plugin.mjs": readFileSync(path("tools/lint/plugin.mjs"), "utf8"),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      strict: true,
      target: "es2024",
      module: "nodenext",
      noEmit: true,
      allowImportingTsExtensions: true,
      types: ["node"],
    },
    include: ["packages"],
  }),
};

/** Rules that fired, as `path rule`, sorted. */
function lint(files: Readonly<Record<string, string>>): readonly string[] {
  using tree = plantTree({ ...configuration, ...files });
  symlinkSync(path("node_modules"), join(tree.root, "node_modules"), "junction");
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [path("node_modules/oxlint/bin/oxlint"), "--type-aware", "--format=json", "packages"],
    { cwd: tree.root, encoding: "utf8" },
  );
  assert.ok(stdout.startsWith("{"), `${stdout}${stderr}`);
  const report = JSON.parse(stdout) as {
    readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
  };
  return report.diagnostics.map(({ code, filename }) => `${filename} ${code}`).sort();
}

const api = "packages/homeostat/src/api/x.ts";
const machine = "packages/homeostat/src/queue/x.machine.ts";
const core = "packages/apiserver/src/registry/store/x.ts";
const driver = "packages/homeostat/src/client/x.ts";

const planted: readonly { readonly rule: string; readonly at: string; readonly text: string }[] = [
  {
    rule: "typescript(no-floating-promises)",
    at: driver,
    text: "const later = async () => 1;\nexport function f() { later(); }",
  },
  {
    rule: "typescript(no-floating-promises)",
    at: "packages/homeostat/src/client/x.test.ts",
    text: "const later = async () => 1;\nexport function f() { later(); }",
  },
  {
    rule: "typescript(no-misused-promises)",
    at: driver,
    text: "export const f = (list: number[]) => list.filter(async (n) => n > 1);",
  },
  {
    rule: "typescript(await-thenable)",
    at: driver,
    text: "export async function f(n: number) { await n; }",
  },
  {
    rule: "typescript(switch-exhaustiveness-check)",
    at: driver,
    text: 'export function f(n: "a" | "b") { switch (n) { case "a": return 1; } return 2; }',
  },
  { rule: "import(no-default-export)", at: driver, text: "export default 1;" },
  { rule: "homeostat(line-length)", at: driver, text: `// ${"word ".repeat(25)}` },
  {
    rule: "homeostat(line-length)",
    at: driver,
    text: `export const ${"x".repeat(90)} = 1 + 1 + 1;`,
  },
  {
    rule: "eslint(no-nested-ternary)",
    at: driver,
    text: "export const f = (n: number) => (n < 0 ? -1 : n > 0 ? 1 : 0);",
  },
  {
    rule: "eslint(max-params)",
    at: driver,
    text: "export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => a + b + c + d + e;",
  },
  { rule: "eslint(max-lines)", at: driver, text: `${"// x\n".repeat(350)}export const n = 1;` },
  {
    rule: "eslint(max-lines-per-function)",
    at: driver,
    text: `export function f() {\n${"  f();\n".repeat(50)}}`,
  },
  {
    rule: "homeostat(no-module-state)",
    at: driver,
    text: "let count = 0;\nexport const next = () => ++count;",
  },
  {
    rule: "homeostat(no-module-state)",
    at: driver,
    text: "export let count = 0;\nexport const next = () => ++count;",
  },
  {
    rule: "homeostat(no-module-state)",
    at: driver,
    text: "const seen = new Map<string, number>();\nexport const f = () => seen;",
  },
  { rule: "homeostat(no-ambient-clock)", at: driver, text: "export const now = () => Date.now();" },
  { rule: "homeostat(no-ambient-clock)", at: driver, text: "export const now = () => new Date();" },
  {
    rule: "eslint(no-restricted-properties)",
    at: driver,
    text: "export const r = () => Math.random();",
  },
  {
    rule: "eslint(no-restricted-imports)",
    at: driver,
    text: 'import { randomUUID } from "node:crypto";\nexport const r = () => randomUUID();',
  },
  {
    rule: "eslint(no-restricted-imports)",
    at: driver,
    text: 'import { setTimeout } from "node:timers/promises";\nexport const r = () => setTimeout(1);',
  },
  ...["setTimeout", "setInterval", "setImmediate", "performance", "fetch"].map((name) => ({
    rule: "eslint(no-restricted-globals)",
    at: driver,
    text: `export const f = ${name};`,
  })),
  ...[api, machine, core].flatMap((at) => [
    {
      rule: "import(no-nodejs-modules)",
      at,
      text: 'import { readFileSync } from "node:fs";\nexport const f = () => readFileSync("x");',
    },
    { rule: "eslint(no-restricted-globals)", at, text: "export const f = () => process.env;" },
    {
      rule: "eslint(no-restricted-globals)",
      at,
      text: "export const f = () => setTimeout(() => {}, 1);",
    },
    { rule: "eslint(no-restricted-globals)", at, text: 'export const f = () => fetch("x");' },
    {
      rule: "eslint(no-restricted-globals)",
      at,
      text: "export const f = () => performance.now();",
    },
    { rule: "homeostat(no-ambient-clock)", at, text: "export const f = () => Date.now();" },
    { rule: "eslint(no-restricted-properties)", at, text: "export const f = () => Math.random();" },
    { rule: "eslint(no-console)", at, text: 'export const f = () => console.log("x");' },
  ]),
];

describe("the plug-in's own rules", async () => {
  const { default: plugin } = (await import(
    new URL("../../tools/lint/plugin.mjs", import.meta.url).href
  )) as {
    readonly default: {
      readonly meta: { readonly name: string };
      readonly rules: Readonly<Record<string, unknown>>;
    };
  };
  const rules = Object.keys(plugin.rules);

  /** Rules that no part of a configuration turns on. */
  const unconfigured = (text: string): readonly string[] =>
    rules.filter((rule) => !text.includes(`"${plugin.meta.name}/${rule}": "error"`));

  test("are configured", () => {
    assert.deepEqual(unconfigured(configuration[".oxlintrc.json"]), []);
    assert.deepEqual(unconfigured("{}"), rules);
  });

  test("have a planted breach", () =>
    assert.deepEqual(
      rules.filter((rule) => planted.every((each) => each.rule !== `${plugin.meta.name}(${rule})`)),
      [],
    ));

  test("are those that the configuration names", () => {
    const named = [...configuration[".oxlintrc.json"].matchAll(/"homeostat\/([^"]+)"/g)];
    assert.deepEqual([...new Set(named.map(([, rule]) => rule))].sort(), rules.toSorted());
  });
});

describe("planted breaches are found", () => {
  const places = planted.map(({ at }, i) => at.replace("/x.", `/x${i}.`));
  const found = lint(Object.fromEntries(planted.map(({ text }, i) => [places[i]!, text])));
  for (const [i, { rule, text }] of planted.entries()) {
    test(`${rule} at ${places[i]}: ${text.trimEnd().split("\n").at(-1)}`, () =>
      assert.ok(
        found.includes(`${places[i]} ${rule}`),
        found.filter((line) => line.startsWith(places[i]!)).join("\n"),
      ));
  }

  test("import(no-cycle)", () => {
    const found = lint({
      [api]: 'import { y } from "./y.ts";\nexport const x = () => y;',
      "packages/homeostat/src/api/y.ts": 'import { x } from "./x.ts";\nexport const y = () => x;',
    });
    assert.deepEqual(found, [
      `${api} import(no-cycle)`,
      "packages/homeostat/src/api/y.ts import(no-cycle)",
    ]);
  });
});

test("what the rules allow", () => {
  const found = lint({
    [api]:
      'const table = new Map([["a", 1]]);\nexport const at = (text: string) =>\n  new Date(text).getTime() + Date.parse(text) + table.size;\nexport const half = Math.floor(1.5);',
    "packages/homeostat/src/runtime/system-runtime.ts":
      "export const now = () => Date.now();\nexport const later = (run: () => void) => setTimeout(run, 1);",
    "packages/homeostat/src/api/x.test.ts":
      'import { test } from "node:test";\nlet count = 0;\ntest("x", () => { count += Date.now(); });',
    [driver]:
      'import { request } from "node:http";\nexport const f = () => request({ signal: AbortSignal.abort() });',
    // A string that crosses the limit stays whole, and so does a comment without a space.
    "packages/homeostat/src/client/long.ts": `export const text = "${"word ".repeat(25)}";\n// ${"x".repeat(120)}`,
  });
  assert.deepEqual(found, []);
});
