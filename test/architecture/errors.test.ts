// Every error code of ours has a row in docs/reference/errors.md, and every row a code. Retired
// codes stay in the document's last section and are never used again.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { isTest, readSources, type Source } from "../../tools/read-sources.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Codes that stand in the sources as string literals. What Node and undici throw is theirs to
 * document.
 */
function codesOf(sources: readonly Source[]): ReadonlySet<string> {
  const own = sources
    .filter(({ path }) => !isTest(path))
    .flatMap(({ text }) =>
      [...text.matchAll(/["'`](ERR_[A-Z0-9]+(?:_[A-Z0-9]+)*)(?=["'`:])/g)].map(
        (match) => match[1]!,
      ),
    );
  return new Set(
    own.filter(
      (code) =>
        !/^ERR_(HTTP2|TLS|SSL|STREAM|SOCKET|INVALID|MODULE|SQLITE|UNHANDLED|HTTP|OSSL|CRYPTO|SYSTEM|PARSE)_/.test(
          code,
        ),
    ),
  );
}

interface Documented {
  readonly live: readonly string[];
  readonly retired: readonly string[];
}

/** Codes in the first column of the document's tables: `| ERR_X | … |`. */
function codesIn(document: string): Documented {
  const [live = "", retired = ""] = document.split(/^## Retired$/m);
  const rows = (text: string): readonly string[] =>
    [...text.matchAll(/^\| `(ERR_[A-Z0-9_]+)` \|/gm)].map((match) => match[1]!);
  return { live: rows(live), retired: rows(retired) };
}

/** One line for each disagreement. */
function disagreements(
  codes: ReadonlySet<string>,
  { live, retired }: Documented,
): readonly string[] {
  return [
    ...[...codes]
      .filter((code) => !live.includes(code))
      .map((code) =>
        retired.includes(code)
          ? `${code} is retired and must not be used again`
          : `${code} has no row`,
      ),
    ...live
      .filter((code) => !codes.has(code))
      .map((code) => `${code} has a row and is nowhere used`),
    ...live.filter((code, i) => live.indexOf(code) !== i).map((code) => `${code} has two rows`),
  ].sort();
}

test("codes and document agree", () => {
  const sources = readSources(root, ["packages"], [".ts", ".js"]);
  assert.deepEqual(
    disagreements(
      codesOf(sources),
      codesIn(readFileSync(`${root}docs/reference/errors.md`, "utf8")),
    ),
    [],
  );
});

test("every row says what it means and what to do", () => {
  const rows = readFileSync(`${root}docs/reference/errors.md`, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `ERR_"));
  assert.deepEqual(
    rows.filter((row) => row.split("|").filter((cell) => cell.trim().length > 3).length < 3),
    [],
  );
});

describe("planted disagreements are found", () => {
  const source = (text: string): ReadonlySet<string> =>
    codesOf([{ path: "packages/homeostat/src/api/x.ts", text }]);
  const document = codesIn(
    "| `ERR_A_B` | means | do |\n\n## Retired\n\n| `ERR_OLD_ONE` | means | do |\n",
  );
  for (const [what, text, found] of [
    ["agreement", 'throw fail("ERR_A_B")', []],
    ["a code without a row", '"ERR_A_B" "ERR_NEW_ONE"', ["ERR_NEW_ONE has no row"]],
    [
      "a sentence that begins with a code",
      '"ERR_A_B" "ERR_NEW_ONE: do this"',
      ["ERR_NEW_ONE has no row"],
    ],
    ["a row without a code", "", ["ERR_A_B has a row and is nowhere used"]],
    [
      "a retired code",
      '"ERR_A_B" "ERR_OLD_ONE"',
      ["ERR_OLD_ONE is retired and must not be used again"],
    ],
  ] as const) {
    test(what, () => assert.deepEqual(disagreements(source(text), document), found));
  }
});
