// Every example is a workspace with an entry, a manifest, a lock entry and a test that boots it.
// `npm start` runs the first of them.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { readSources } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What examples lack, one line each. */
function lacking(tree: string): readonly string[] {
  const { packages: locked } = JSON.parse(
    readFileSync(`${tree}/package-lock.json`, "utf8"),
  ) as Lockfile;
  return readdirSync(`${tree}/examples`).flatMap((name) => [
    ...(existsSync(`${tree}/examples/${name}/main.ts`) ? [] : [`examples/${name} has no main.ts`]),
    ...(readSources(tree, [`examples/${name}`], [".test.ts"]).length > 0
      ? []
      : [`examples/${name} has no test`]),
    ...(existsSync(`${tree}/examples/${name}/package.json`)
      ? lockFaults(tree, `examples/${name}`, locked)
      : [`examples/${name} has no package.json`]),
  ]);
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Partial<Manifest>>>;
}

/** How the lock differs from the manifest of an example. */
function lockFaults(tree: string, folder: string, locked: Lockfile["packages"]): readonly string[] {
  const manifest = JSON.parse(readFileSync(`${tree}/${folder}/package.json`, "utf8")) as Manifest;
  const { name, dependencies } = locked[folder] ?? {};
  const isLocked = name === manifest.name && `node_modules/${name}` in locked;
  const isCurrent = isLocked && isDeepStrictEqual(dependencies ?? {}, manifest.dependencies ?? {});
  return isCurrent ? [] : [`${folder} has no current entry in package-lock.json`];
}

test("every example has an entry, a test, a manifest and a lock entry", () =>
  assert.deepEqual(lacking(root), []));

test("npm start runs one of them", () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
    readonly scripts: { readonly start: string };
  };
  assert.ok(existsSync(root + scripts.start.split(" ").at(-1)!), scripts.start);
});

test("planted examples that lack something are found", () => {
  const manifest = (name: string, dependencies = {}): string =>
    JSON.stringify({ name, dependencies });
  using tree = plantTree({
    "examples/a/main.ts": "",
    "examples/a/a.test.ts": "",
    "examples/a/package.json": manifest("a"),
    "examples/b/main.ts": "",
    "examples/b/package.json": manifest("b"),
    "examples/c/main.ts": "",
    "examples/c/c.test.ts": "",
    "examples/d/main.ts": "",
    "examples/d/d.test.ts": "",
    "examples/d/package.json": manifest("d", { zod: "4" }),
    "package-lock.json": JSON.stringify({
      packages: {
        "examples/a": { name: "a" },
        "node_modules/a": {},
        "examples/d": { name: "d", dependencies: { zod: "3" } },
        "node_modules/d": {},
      },
    }),
  });
  assert.deepEqual(lacking(tree.root), [
    "examples/b has no test",
    "examples/b has no current entry in package-lock.json",
    "examples/c has no package.json",
    "examples/d has no current entry in package-lock.json",
  ]);
});
