// The table of libraries in the README is the environments': each row lists what its version added.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { kubernetesEnvironment } from "./kubernetes-environment.ts";

/** Before the first row that names a version. */
const first = 26;

/** Names of functions and receiver-style macros; operators and what macros call aside. */
function namesOf(minor: number): ReadonlySet<string> {
  const { functions, macros } = kubernetesEnvironment(minor);
  const names = [...functions.keys(), ...Array.from(macros.keys(), (key) => key.split("/")[0]!)];
  return new Set(names.filter((name) => !/^_|_$|@/.test(name)));
}

const rows = Array.from(
  readFileSync(new URL("../../README.md", import.meta.url), "utf8").matchAll(
    /^\| (the first|1\.\d+) \| (.*) \|$/gm,
  ),
  ([, since, cells]) => ({
    minor: since === "the first" ? first : Number(since!.slice("1.".length)),
    names: Array.from(cells!.matchAll(/`([.\w]+)`/g), ([, name]) => name!),
  }),
);

describe("the README's table of libraries", () => {
  for (const { minor, names } of rows) {
    it(`1.${minor}`, () => {
      const now = namesOf(minor);
      const before = minor === first ? new Set<string>() : namesOf(minor - 1);
      // The variable `authorizer` and macros that get a second variable are no new names.
      const known = names.filter((name) => !["authorizer", "all", "exists"].includes(name));
      assert.deepEqual(
        known.filter((name) => !now.has(name) || before.has(name)),
        [],
      );
      if (minor > first)
        assert.deepEqual(
          [...now].filter((name) => !before.has(name) && !known.includes(name)),
          [],
        );
    });
  }

  it("has every version that added something", () => {
    const changed = Array.from({ length: 20 }, (_, i) => first + 1 + i).filter(
      (minor) => namesOf(minor).size > namesOf(minor - 1).size,
    );
    assert.deepEqual(
      rows.map(({ minor }) => minor),
      [first, ...changed],
    );
  });
});
