// Committed files speak of the project only: no paths or hosts of a developer machine, no addresses
// in the lock file, no package that needs an install script, and the licence beside every published
// package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSources, type Source } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const places = ["packages", "examples", "test", "tools", "docs", "bench", ".ci"];
const endings = [
  ".ts",
  ".mjs",
  ".js",
  ".json",
  ".jsonl",
  ".md",
  ".yaml",
  ".go",
  ".mod",
  ".txt",
  ".sh",
  "run",
  "NOTICE",
  "LICENSE",
];
const top = [
  "README.md",
  "CONTRIBUTING.md",
  "NOTICE",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.base.json",
  ".npmrc",
  ".gitignore",
  ".oxlintrc.json",
  ".oxfmtrc.json",
];

/**
 * Absolute paths of a machine, and names of private hosts. A slash before the name would be part of
 * a longer path or URL.
 */
const forbidden: readonly RegExp[] = [
  /(?<![\w./-])\/(?:home\/(?!me\/|user\/)|Users\/(?!me\/|user\/)|root\/|work\/|workspace\/)[\w.-]+(?:\/[\w.-]+)*/,
  /(?<![\w.$-])\/tmp\/[\w.-]+/,
  /\b(?:registry|proxy|mirror)\.[a-z0-9-]+\.(?:internal|local|corp|lan)\b/,
];

function traces(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, i) =>
        forbidden
          .flatMap((pattern) => pattern.exec(line)?.[0] ?? [])
          .map((found) => `${path}:${i + 1}: ${found}`),
      ),
  );
}

test("no machine's paths or hosts", () => {
  const own = readSources(root, places, endings).filter(
    ({ path }) => path !== "test/architecture/hygiene.test.ts",
  );
  assert.deepEqual(
    traces([...own, ...top.map((path) => ({ path, text: readFileSync(root + path, "utf8") }))]),
    [],
  );
});

interface Locked {
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Why `npm ci --ignore-scripts` would not do everywhere, one line each. */
function lockFaults(packages: Readonly<Record<string, Locked>>): readonly string[] {
  return Object.entries(packages).flatMap(([path, entry]) => [
    ...(entry.resolved !== undefined && entry.link !== true ? [`${path} has an address`] : []),
    ...(entry.hasInstallScript === true ? [`${path} needs an install script`] : []),
    ...Object.keys(entry.optionalDependencies ?? {}).flatMap((name) =>
      `node_modules/${name}` in packages
        ? []
        : [`node_modules/${name} is missing: npm ci refuses a lock file without it`],
    ),
  ]);
}

test("the lock file names no addresses, nothing needs an install script, and every platform has its entry", () => {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  assert.deepEqual(lockFaults(packages), []);
});

test("planted faults of a lock file are found", () => {
  const packages = {
    "": { optionalDependencies: { b: "1" } },
    "node_modules/a": { resolved: "https://example.com/a.tgz", hasInstallScript: true },
    "node_modules/c": { resolved: "packages/c", link: true },
  };
  assert.deepEqual(lockFaults(packages), [
    "node_modules/b is missing: npm ci refuses a lock file without it",
    "node_modules/a has an address",
    "node_modules/a needs an install script",
  ]);
});

test("every published package carries the licence and the notice", () => {
  for (const name of ["cel", "homeostat", "apiserver", "testing", "cli", "create-homeostat"]) {
    for (const file of ["LICENSE", "NOTICE"])
      assert.equal(
        readFileSync(`${root}packages/${name}/${file}`, "utf8"),
        readFileSync(root + file, "utf8"),
        `packages/${name}/${file} is ./${file}`,
      );
  }
});

describe("planted traces are found", () => {
  for (const [text, found] of [
    ["see /home/anna/notes", ["docs/x.md:1: /home/anna/notes"]],
    ["log: '/tmp/out.log'", ["docs/x.md:1: /tmp/out.log"]],
    ["from registry.example.internal", ["docs/x.md:1: registry.example.internal"]],
    ["/home/me/.kube/config, https://example.com/home/anna and ./tmp/x and /apis/apps/v1", []],
  ] as const) {
    test(text, () => {
      using tree = plantTree({ "docs/x.md": text });
      assert.deepEqual(traces(readSources(tree.root, ["docs"], [".md"])), found);
    });
  }
});
