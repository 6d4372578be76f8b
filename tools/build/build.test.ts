// The plug-ins of the build, each on a small package. test/package runs what the build makes.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { bundlePackage } from "./bundle-package.ts";

/** A package of these files below `src`, bundled; removed with the returned value. */
async function bundled(
  files: Readonly<Record<string, string>>,
  groups: Readonly<Record<string, readonly string[]>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-build-"));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(`src/${path}`, text);
  const exports = {
    ".": { "homeostat-source": "./src/index.ts" },
    "./package.json": "./package.json",
  };
  write("package.json", JSON.stringify({ name: "small", type: "module", exports }));
  write("dist/stale.js", "");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  await bundlePackage(join(folder, "/"), groups).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    text: (path: string) => readFileSync(join(folder, "dist", path), "utf8"),
    run: async () =>
      (await import(pathToFileURL(join(folder, "dist/index.js")).href)) as Readonly<
        Record<string, unknown>
      >,
    write,
    [Symbol.dispose]: remove,
  };
}

test("a late module is a file of its own, where its importer asks for it", async () => {
  using small = await bundled({
    "index.ts": 'export { late } from "./rooms/first.ts";',
    "load-late.ts":
      'import { createRequire } from "node:module";\nexport const loadLate = (from: string, path: string) => createRequire(from)(`${path}${from.slice(from.lastIndexOf("."))}`);',
    "rooms/first.ts":
      'import { loadLate } from "../load-late.ts";\nexport const late = () => (loadLate(import.meta.url, "./inner/second") as typeof import("./inner/second.ts")).name;',
    "rooms/inner/second.ts": 'export const name: string = "second";',
  });
  assert.ok(!small.text("index.js").includes('"second"'));
  assert.match(small.text("rooms/inner/second.js"), /"second"/);
  const { late } = (await small.run()) as { readonly late: () => string };
  assert.equal(late(), "second");
});

test("a file beside the sources stays where a module says, in any file of the output", async () => {
  using small = await bundled(
    {
      "index.ts": 'export { data } from "./rooms/data.ts";',
      "rooms/data.ts":
        'import { readFileSync } from "node:fs";\nexport const data = readFileSync(new URL(`../../data/${"facts"}.txt`, import.meta.url), "utf8");',
    },
    { together: ["rooms/data.ts"] },
  );
  small.write("data/facts.txt", "kept");
  assert.match(small.text("chunks/together.js"), /facts/);
  assert.equal((await small.run())["data"], "kept");
});

test("Node's modules are not imported by statements", async () => {
  using small = await bundled({
    "index.ts":
      'import { join as joined, sep } from "node:path";\nimport * as os from "node:os";\nimport util from "node:util";\nexport const all = async () => [joined("a", "b"), sep, typeof os.EOL, typeof util.inspect, typeof (await import("node:zlib")).gzip];',
  });
  assert.doesNotMatch(small.text("index.js"), /\bfrom "node:|\bimport\(/);
  const { all } = (await small.run()) as { readonly all: () => Promise<readonly string[]> };
  assert.deepEqual((await all()).slice(2), ["string", "function", "function"]);
});

test("output is ASCII, and means the same", async () => {
  using small = await bundled({
    "index.ts": 'export const all = ["\\ufeff", "μs", `é→`, { μs: 1 }, /[→𝒳]/u.test("𝒳")];'.replace(
      "\\ufeff",
      "\ufeff",
    ),
  });
  assert.doesNotMatch(small.text("index.js"), /[^\u0000-\u007f]/);
  assert.deepEqual((await small.run())["all"], ["\ufeff", "μs", "é→", { μs: 1 }, true]);
});

test("a group of a file that does not exist is refused", () =>
  assert.rejects(
    bundled({ "index.ts": "export const one = 1;" }, { together: ["gone.ts"] }),
    /^Error: bundle .*: no file src\/gone\.ts$/,
  ));

test("what only helpers of tests load late is left out", async () => {
  const helper = 'loadLate(import.meta.url, "./stage");';
  using small = await bundled({
    "index.ts": "export const one = 1;",
    "rooms/play.suite.ts": helper,
    "rooms/play.test.ts": helper,
    "rooms/stage.ts": "export const stage = 1;",
  });
  assert.throws(() => small.text("rooms/stage.js"), { code: "ENOENT" });
});

test("files of an earlier build are removed", async () => {
  using small = await bundled({ "index.ts": "export const one = 1;" });
  assert.throws(() => small.text("stale.js"), { code: "ENOENT" });
});
