// What is committed speaks of the project only: no paths or hosts of somebody's machine, no addresses in the lock file, no
// package that needs an install script, and the licence beside everything that is published.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSources, type Source } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const places = ["packages", "examples", "test", "tools", "docs", "bench", ".ci"];
const endings = [".ts", ".mjs", ".js", ".json", ".jsonl", ".md", ".yaml", ".go", ".mod", ".txt", ".sh", "run", "NOTICE", "LICENSE"];
const top = ["README.md", "CONTRIBUTING.md", "NOTICE", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.base.json", ".npmrc", ".gitignore", ".oxlintrc.json", ".oxfmtrc.json"];

/** Absolute paths of a machine, and names of private hosts. A slash before the name would be part of a longer path or URL. */
const forbidden: readonly RegExp[] = [
  /(?<![\w./-])\/(?:home\/(?!me\/|user\/)|Users\/(?!me\/|user\/)|root\/|work\/|workspace\/)[\w.-]+(?:\/[\w.-]+)*/,
  /(?<![\w.$-])\/tmp\/[\w.-]+/,
  /\b(?:registry|proxy|mirror)\.[a-z0-9-]+\.(?:internal|local|corp|lan)\b/,
];

function traces(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ path, text }) => text.split("\n").flatMap((line, i) => forbidden.flatMap((pattern) => pattern.exec(line)?.[0] ?? []).map((found) => `${path}:${i + 1}: ${found}`)));
}

test("no machine's paths or hosts", () => {
  const own = readSources(root, places, endings).filter(({ path }) => path !== "test/architecture/hygiene.test.ts");
  assert.deepEqual(traces([...own, ...top.map((path) => ({ path, text: readFileSync(root + path, "utf8") }))]), []);
});

test("the lock file names no addresses, and nothing needs an install script", () => {
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly resolved?: string; readonly link?: boolean; readonly hasInstallScript?: boolean }>>;
  };
  const odd = Object.entries(packages).filter(([, entry]) => (entry.resolved !== undefined && entry.link !== true) || entry.hasInstallScript === true);
  assert.deepEqual(
    odd.map(([name]) => name),
    [],
  );
});

test("every published package carries the licence and the notice", () => {
  for (const name of ["homeostat", "apiserver", "testing", "cli", "create-homeostat"]) {
    for (const file of ["LICENSE", "NOTICE"]) assert.equal(readFileSync(`${root}packages/${name}/${file}`, "utf8"), readFileSync(root + file, "utf8"), `packages/${name}/${file} is ./${file}`);
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
