// The tree keeps the order of tools/layers.ts. The check fails on each kind of breach, planted in a
// separate tree.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findImportBreaches, importsOf, unitOf } from "../../tools/find-import-breaches.ts";
import { layers, type Levels } from "../../tools/layers.ts";
import { isTest, readSources } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("imports point down, neighbours are strangers, packages are entered by their public doors", () => {
  assert.deepEqual(findImportBreaches(root), []);
});

test("every folder of a layered place stands on exactly one level", () => {
  for (const [place, levels] of Object.entries(layers)) {
    assert.deepEqual(levelFaults(levels, foldersOf(place)), [], place);
  }
});

test("a folder that is named twice, in part, or not at all is found", () => {
  const faults = levelFaults([["a", "b/c"], ["a"], ["gone"]], ["a", "b", "."]);
  assert.deepEqual(faults, [
    "a is named twice",
    "b/c is no whole folder",
    "gone does not exist",
    "b has no level",
    ". has no level",
  ]);
});

/** The folders and "." of a place that hold sources. */
function foldersOf(place: string): readonly string[] {
  const [own, ...inner] = place.split("/");
  const base = ["packages", own, "src", ...inner].join("/");
  const files = readSources(root, [base]).map(({ path }) => path);
  return [
    ...new Set(
      files
        .filter((path) => !isTest(path) && !path.includes("/testdata/"))
        .map((path) => unitOf(base, path)),
    ),
  ];
}

function levelFaults(levels: Levels, folders: readonly string[]): readonly string[] {
  const named = levels.flat();
  const twice = named.filter((name, i) => named.indexOf(name) < i);
  const unknown = [...new Set(named)].filter((name) => !folders.includes(name));
  return [
    ...twice.map((name) => `${name} is named twice`),
    ...unknown.map((name) =>
      name.includes("/") ? `${name} is no whole folder` : `${name} does not exist`,
    ),
    ...folders.filter((name) => !named.includes(name)).map((name) => `${name} has no level`),
  ];
}

test("all forms of import are seen", () => {
  const text = [
    'import a from "a";',
    'import type { B } from "b";',
    'import {\n  c,\n  type C,\n} from "c";',
    'import "d";',
    'export * from "e";',
    'export type { F } from "f";',
    'const g = await import("g");',
    '// import from "no"',
  ].join("\n");
  assert.deepEqual(importsOf(text), ["a", "b", "c", "d", "e", "f", "g"]);
});

const homeostat = JSON.stringify({
  name: "homeostat",
  exports: { ".": {}, "./api": {}, "./runtime": {}, "./client": {}, "./k8s/core/v1": {} },
  dependencies: { yaml: "1" },
});
const apiserver = JSON.stringify({
  name: "@homeostat/apiserver",
  exports: { ".": {} },
  dependencies: { homeostat: "1" },
});
const manifests = {
  "package.json": JSON.stringify({ name: "w", devDependencies: { "fast-check": "1" } }),
  "packages/homeostat/package.json": homeostat,
  "packages/apiserver/package.json": apiserver,
};

const planted: readonly {
  readonly breach: string;
  readonly path: string;
  readonly text: string;
  readonly says: RegExp;
}[] = [
  {
    breach: "upwards",
    path: "packages/homeostat/src/api/x.ts",
    text: 'import { y } from "../client/y.ts";',
    says: /client is above api/,
  },
  {
    breach: "upwards, types only",
    path: "packages/homeostat/src/api/x.ts",
    text: 'import type { Y } from "../manager/y.ts";',
    says: /manager is above api/,
  },
  {
    breach: "upwards, lazily",
    path: "packages/homeostat/src/cache/x.ts",
    text: 'const y = import("../controller/y.ts");',
    says: /controller is above cache/,
  },
  {
    breach: "upwards, re-exported",
    path: "packages/apiserver/src/storage/x.ts",
    text: 'export { y } from "../registry/y.ts";',
    says: /registry is above storage/,
  },
  {
    breach: "sideways",
    path: "packages/homeostat/src/client/x.ts",
    text: 'import { y } from "../queue/y.ts";',
    says: /strangers/,
  },
  {
    breach: "kinds and registry",
    path: "packages/apiserver/src/kinds/core/x.ts",
    text: 'import { y } from "../../registry/store/y.ts";',
    says: /strangers/,
  },
  {
    breach: "a folder without a level",
    path: "packages/homeostat/src/misc/x.ts",
    text: 'import { y } from "../api/y.ts";',
    says: /no place/,
  },
  {
    breach: "out of the package",
    path: "packages/apiserver/src/http/x.ts",
    text: 'import { y } from "../../../homeostat/src/api/y.ts";',
    says: /must not leave/,
  },
  {
    breach: "a later package",
    path: "packages/homeostat/src/api/x.ts",
    text: 'import { y } from "@homeostat/apiserver";',
    says: /does not name|comes after/,
  },
  {
    breach: "itself by name",
    path: "packages/homeostat/src/api/x.ts",
    text: 'import { y } from "homeostat/api";',
    says: /relative paths/,
  },
  {
    breach: "the server as a client",
    path: "packages/apiserver/src/registry/x.ts",
    text: 'import { y } from "homeostat/client";',
    says: /only component-helpers, controllers/,
  },
  {
    breach: "a closed subpath",
    path: "packages/apiserver/src/controllers/x.ts",
    text: 'import { y } from "homeostat/src/queue/y.ts";',
    says: /not a public subpath/,
  },
  {
    breach: "an undeclared dependency",
    path: "packages/homeostat/src/api/x.ts",
    text: 'import { y } from "lodash";',
    says: /does not name lodash/,
  },
  {
    breach: "a development dependency outside tests",
    path: "packages/homeostat/src/api/x.ts",
    text: 'import { y } from "fast-check";',
    says: /does not name fast-check/,
  },
];

describe("planted breaches are found", () => {
  for (const { breach, path, text, says } of planted) {
    test(breach, () => {
      using tree = plantTree({ ...manifests, [path]: text });
      const found = findImportBreaches(tree.root);
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, says);
      assert.ok(found[0]!.startsWith(path));
    });
  }

  test("and what is allowed is left alone", () => {
    using tree = plantTree({
      ...manifests,
      "packages/homeostat/src/client/x.ts":
        'import { a } from "../api/a.ts";\nimport { b } from "./b.ts";\nimport { parse } from "yaml";\nimport { readFileSync } from "node:fs";',
      "packages/homeostat/src/client/x.test.ts":
        'import fc from "fast-check";\nimport { q } from "../queue/q.ts";',
      "packages/apiserver/src/controllers/gc/x.ts": 'import { c } from "homeostat/client";',
      "packages/apiserver/src/registry/x.ts":
        'import type { FieldError } from "./field-error.ts";\nimport { json } from "homeostat/api";',
      "packages/apiserver/src/schema/x.ts": 'import type { Pod } from "homeostat/k8s/core/v1";',
      "packages/apiserver/src/kinds/core/x.ts":
        'import type { FieldError } from "../../apimachinery/errors/field-error.ts";',
    });
    assert.deepEqual(findImportBreaches(tree.root), []);
  });
});
