// Commands, flags and controllers in documents and help texts are those that exist, and README
// names every one of them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ServerError, startApiServer } from "@homeostat/apiserver";
import { readSources, type Source } from "../../tools/read-sources.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");
const documents: readonly Source[] = [
  ...["README.md", "CONTRIBUTING.md"].map((path) => ({ path, text: read(path) })),
  ...readSources(root, ["docs", "packages/cli/templates"], [".md", ".md.tmpl"]),
];

const helps = new Map<string, string>();

/** The help of a command, e.g. `server envtest`; undefined if it does not exist. */
function helpOf(command: string): string | undefined {
  if (!helps.has(command)) {
    const { status, stdout } = spawnSync(
      process.execPath,
      [`${root}packages/cli/bin/homeostat.js`, "help", ...command.split(" ").filter(Boolean)],
      { encoding: "utf8", env: { ...process.env, COLUMNS: "1000" } },
    );
    helps.set(command, status === 0 ? stdout : "");
  }
  return helps.get(command) || undefined;
}

/** The commands that a help text lists. */
const commandsIn = (help: string): readonly string[] =>
  [...(help.split("\nCommands:\n")[1] ?? "").matchAll(/^ {2}([a-z-]+)/gm)]
    .map((match) => match[1]!)
    .filter((name) => name !== "help");

/** Each `homeostat …` of code spans and shell blocks, without what npx and comments add. */
const callsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^```sh\n[\s\S]*?^```$|`[^`\n]+`/gm)]
    .flatMap(([code]) => code.replaceAll("`", "").split("\n"))
    .flatMap((line) => /^(?:npx (?:--no-install )?)?homeostat (.*)$/.exec(line.trim())?.[1] ?? [])
    .map((call) => call.split(" #")[0]!.trim());

/** What a call names and the command lacks. */
function faultsOf(call: string): readonly string[] {
  const words = call.split(" ");
  const path: string[] = [];
  while (words[0] && commandsIn(helpOf(path.join(" ")) ?? "").includes(words[0]))
    path.push(words.shift()!);
  const help = helpOf(path.join(" "))!;
  const isUnknown =
    path.length === 0 || (commandsIn(help).length > 0 && /^[a-z]/.test(words[0] ?? ""));
  return [
    ...(isUnknown ? [`homeostat ${call}: there is no such command`] : []),
    ...[...call.matchAll(/--[a-z-]+/g)]
      .filter(([flag]) => !isUnknown && !help.includes(`${flag} `))
      .map(([flag]) => `homeostat ${call}: there is no flag ${flag}`),
  ];
}

/** Why the server refuses these controllers; undefined if it accepts them. */
async function refusalOf(controllers: readonly string[]): Promise<string | undefined> {
  // Nothing starts: the range is checked last.
  const error: unknown = await startApiServer({ controllers, serviceClusterIpRange: "x" }).catch(
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ServerError);
  return error.code === "ERR_SERVER_CONTROLLER" ? error.message : undefined;
}

async function controllerNames(): Promise<readonly string[]> {
  const message = await refusalOf(["unknown"]);
  return /any of (.*); a leading/.exec(message!)![1]!.split(", ");
}

const spansOf = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);

describe("commands", () => {
  test("in documents exist, with their flags", () =>
    assert.deepEqual(
      documents.flatMap(({ path, text }) =>
        callsIn(text).flatMap((call) => faultsOf(call).map((fault) => `${path}: ${fault}`)),
      ),
      [],
    ));

  test("are all in README", () => {
    const row = read("README.md")
      .split("\n")
      .find((line) => line.startsWith("| tools |"))!;
    const named = spansOf(row.split("|")[2]!).map((span) => span.replace(/^homeostat /, ""));
    assert.deepEqual(
      commandsIn(helpOf("")!).filter((name) => !named.includes(name)),
      [],
    );
  });

  test("that are planted and do not exist are found", () => {
    const text = "`homeostat fly`\n```sh\nnpx homeostat server --wings 2 # up\nhomeostat help\n```";
    assert.deepEqual(callsIn(text), ["fly", "server --wings 2", "help"]);
    assert.deepEqual(callsIn(text).slice(0, 2).flatMap(faultsOf), [
      "homeostat fly: there is no such command",
      "homeostat server --wings 2: there is no flag --wings",
    ]);
  });
});

describe("controllers", () => {
  const row = read("README.md")
    .split("\n")
    .find((line) => line.startsWith("| controllers |"))!;

  test("in README exist, and README or the page of fake nodes names each", async () => {
    const names = await controllerNames();
    const inReadme = spansOf(row.split("|")[2]!).filter((span) => !span.startsWith("--"));
    assert.deepEqual(
      inReadme.filter((name) => !names.includes(name)),
      [],
    );
    const documented = [...inReadme, ...spansOf(read("docs/reference/fake-nodes.md"))];
    assert.deepEqual(
      names.filter((name) => !documented.includes(name)),
      [],
    );
  });

  test("in commands of documents are accepted", async () => {
    for (const { path, text } of documents)
      for (const call of callsIn(text))
        for (const [, value] of call.matchAll(/--controllers (\S+)/g))
          assert.equal(await refusalOf(value!.split(",")), undefined, `${path}: ${call}`);
  });

  test("in the help are accepted", async () => {
    const text = helpOf("server")!.replaceAll(/\s+/g, " ");
    const help = /--controllers <names> (.*?) --/.exec(text)![1]!;
    for (const name of ["default", "all", "*", "none", "pod-lifecycle"]) {
      assert.ok(help.includes(name), help);
      assert.equal(await refusalOf([name]), undefined);
    }
  });
});
