// Start-up is a budget: what importing a public subpath loads besides our own files. Everything
// else is loaded when it is first needed, and a new name here has to be worth its milliseconds.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ApiServerOptions } from "@homeostat/apiserver";
import { readSources } from "../../tools/read-sources.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

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

/** Sources of a package that a start of the server loads. */
function loadedByStart(folder: string, options: ApiServerOptions): readonly string[] {
  const program = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ load(url, context, next) {
      const file = /packages\\/${folder}\\/src\\/(.*)/.exec(url)?.[1];
      if (file) seen.push(file);
      return next(url, context);
    } });
    const { startApiServer } = await import("@homeostat/apiserver");
    await (await startApiServer(${JSON.stringify(options)})).close();
    console.log(JSON.stringify(seen));`;
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

/** Folders and files of the server whose first use loads them. */
const late = [
  "admission/cel/",
  "admission/limit-ranger/",
  "admission/off-by-default.ts",
  "admission/pod-security/admit-",
  "admission/policy/policy-engine.ts",
  "admission/resource-quota/",
  "admission/webhook/mutating-dispatcher.ts",
  "admission/webhook/validating-dispatcher.ts",
  "aggregator/extension-servers.ts",
  "controller-manager/",
  "controllers/",
  "fake-nodes/",
  "faults/",
  "kinds/custom/",
  "openapi/",
  "protobuf/",
  "scheduler/",
  "schema/cel/",
  "schema/structural/",
  "storage/sqlite-journal.ts",
  "webhook-client/post-webhook.ts",
];

test("starting a server loads none of what only some requests need", () => {
  const seen = loadedByStart("apiserver", { controllers: "none" });
  assert.ok(seen.includes("server/control-plane.ts"));
  assert.deepEqual(
    seen.filter((file) => late.some((path) => file.startsWith(path))),
    [],
  );
  const sources = readSources(root, ["packages/apiserver/src"], [".ts"]).map(({ path }) => path);
  assert.deepEqual(
    late.filter((path) => !sources.some((file) => file.includes(`/src/${path}`))),
    [],
    "these paths do not exist",
  );
});

test("starting a server does not load the CEL engine", () => {
  assert.deepEqual(loadedByStart("cel", { protocol: "http" }).toSorted(), [
    "go/address.ts",
    "go/quote.ts",
    "net.ts",
  ]);
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
