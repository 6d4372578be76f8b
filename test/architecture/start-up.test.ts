// Start-up is a budget: what importing a public subpath loads besides our own files. Everything
// else is loaded when it is first needed, and a new name here has to be worth its milliseconds.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

const heavy = ["node:http", "node:http2", "node:https", "node:sqlite", "node:tls", "node:zlib"];
const expected: Readonly<Record<string, readonly string[]>> = {
  "@homeostat/cel": [],
  "@homeostat/cel/net": [],
  homeostat: ["zod"], // k builds zod schemas; programs that define resources load it anyway
  "homeostat/api": [],
  "homeostat/client": [],
  "homeostat/k8s/core/v1": [],
  "homeostat/runtime": [],
  "@homeostat/apiserver": [],
  "@homeostat/cli": ["commander"],
};

/** Packages and heavy Node modules that importing `specifier` loads. */
function loadedBy(specifier: string): readonly string[] {
  const program = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({ load(url, context, next) {
      const found = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? (${JSON.stringify(heavy)}.includes(url) ? url : undefined);
      if (found) seen.add(found);
      return next(url, context);
    } });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify([...seen].sort()));`;
  return outputOf(program);
}

/** The JSON list that a program prints. */
function outputOf(program: string): readonly string[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=homeostat-source", "--input-type=module", "--eval", program],
    { cwd: import.meta.dirname, encoding: "utf8" },
  );
  assert.ok(stdout, stderr);
  return JSON.parse(stdout) as readonly string[];
}

for (const [specifier, names] of Object.entries(expected)) {
  test(`importing ${specifier} loads ${names.join(", ") || "nothing else"}`, () =>
    assert.deepEqual(loadedBy(specifier), names));
}

test("starting a server does not load the CEL engine", () => {
  const program = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ load(url, context, next) {
      const file = /packages\\/cel\\/src\\/(.*)/.exec(url)?.[1];
      if (file) seen.push(file);
      return next(url, context);
    } });
    const { startApiServer } = await import("@homeostat/apiserver");
    await (await startApiServer({ protocol: "http" })).close();
    console.log(JSON.stringify(seen.sort()));`;
  assert.deepEqual(outputOf(program), ["go/address.ts", "go/quote.ts", "net.ts"]);
});

test("a heavy module is noticed", () =>
  assert.deepEqual(loadedBy("undici").includes("undici"), true));

test("starting a server does not load Node's fetch", () => {
  const program = `
    const { startApiServer } = await import("@homeostat/apiserver");
    await (await startApiServer({ controllers: "none" })).close();
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.includes("undici"))));`;
  assert.deepEqual(outputOf(program), []);
});
