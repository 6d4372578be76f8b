// Documents are correct as far as a test can tell: links resolve, paths in code spans exist, and
// the commands that they show are scripts of the workspace.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSources, type Source } from "../../tools/read-sources.ts";
import { plantTree } from "./plant-tree.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const places = ["packages", "examples", "test", "tools", "docs", "bench", ".ci"];

function documents(tree: string): readonly Source[] {
  const top = ["README.md", "CONTRIBUTING.md"]
    .filter((name) => existsSync(join(tree, name)))
    .map((path) => ({ path, text: readFileSync(join(tree, path), "utf8") }));
  return [
    ...top,
    ...readSources(tree, places, [".md"]).filter(({ path }) => !path.includes("/testdata/")),
  ];
}

/** One line for each thing that a document names and the tree lacks. */
function faults(tree: string): readonly string[] {
  const scripts = new Set([
    ...scriptsOf(join(tree, "package.json")),
    ...scriptsOf(join(tree, "packages/cli/templates/operator/package.json.tmpl")),
    "ci",
    "install",
    "create",
    "exec",
    "pack",
    "init",
    "run",
  ]);
  return documents(tree).flatMap((document) => [
    ...brokenLinks(tree, document),
    ...missingPaths(tree, document),
    ...[...codeOf(document.text).matchAll(/\bnpm (?:run )?([a-z][a-z:-]*)/g)]
      .map((match) => match[1]!)
      .filter((name) => !scripts.has(name))
      .map((name) => `${document.path}: there is no script ${name}`),
  ]);
}

/** Those of the workspace, or of the projects that the command makes. */
function scriptsOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { readonly scripts?: object };
  return Object.keys(manifest.scripts ?? {});
}

/** What stands in code spans and fences. */
const codeOf = (text: string): string =>
  [...text.matchAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm)].map((match) => match[0]).join("\n");

function brokenLinks(tree: string, { path, text }: Source): readonly string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((target) => !/^(https?:|mailto:)/.test(target));
  return targets
    .filter((target) => !resolves(tree, path, target))
    .map((target) => `${path}: link to ${target} leads nowhere`);
}

function resolves(tree: string, from: string, target: string): boolean {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? join(tree, from) : join(tree, dirname(from), file);
  if (!existsSync(path)) return false;
  return anchor === undefined || headings(readFileSync(path, "utf8")).includes(anchor);
}

/** Anchors as GitHub makes them: lower case, punctuation dropped, spaces to dashes. */
const headings = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

/**
 * Code spans that look like paths of this tree; `<name>`, `*`, `…` and `X.Y` stand for whatever one
 * adds.
 */
function missingPaths(tree: string, { path, text }: Source): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  const spans = [...prose.matchAll(/`([^`\s]+)`/g)]
    .map((match) => match[1]!)
    .filter(
      (span) =>
        places.some((place) => span.startsWith(`${place}/`)) &&
        !/[<>*{}…]|X\.Y|\/\.cache\//.test(span),
    );
  return spans
    .filter((span) => !existsSync(join(tree, span.replace(/[,.:]$/, ""))))
    .map((span) => `${path}: ${span} does not exist`);
}

test("links, paths and commands in documents are true", () => {
  assert.deepEqual(faults(root), []);
});

describe("planted untruths are found", () => {
  for (const [what, text, found] of [
    ["a dead link", "[x](docs/nowhere.md)", ["README.md: link to docs/nowhere.md leads nowhere"]],
    [
      "a dead anchor",
      "[x](docs/there.md#gone)",
      ["README.md: link to docs/there.md#gone leads nowhere"],
    ],
    ["a path that is not there", "See `docs/gone.ts`.", ["README.md: docs/gone.ts does not exist"]],
    ["a script that is not there", "Run `npm run fly`.", ["README.md: there is no script fly"]],
    [
      "nothing wrong",
      "[x](docs/there.md#two-words) `docs/there.md` `docs/<name>.md` `npm test`, `npm ci`, npm does, https://example.com",
      [],
    ],
  ] as const) {
    test(what, () => {
      using tree = plantTree({
        "package.json": '{"scripts":{"test":"x"}}',
        "README.md": text,
        "docs/there.md": "# Two words\n",
      });
      assert.deepEqual(faults(tree.root), found);
    });
  }
});
