// A part of the corpus, one bug of each kind: what a sweep finds, and what it leaves alone. The
// whole is `npm run proofs -- corpus`.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { corpus, missed } from "./corpus.ts";
import { find } from "./find.ts";
import { scenarioOf } from "./planted-bug.ts";

const tested = new Set([
  "names in memory",
  "created before it is recorded",
  "pruned on an old view",
  "finalizer removed first",
  "deletes what it does not own",
  "generation forgotten",
  "error swallowed in a loop",
  "update ignored",
]);

describe("a sweep", () => {
  for (const bug of corpus.filter(({ name }) => tested.has(name))) {
    it(`finds "${bug.name}", and nothing in its sound twin`, async () => {
      const planted = await find(bug, "planted");
      assert.ok(bug.oracles.includes(planted.oracle!), planted.message || "nothing found");
      assert.match(planted.plan, /\S/);
      assert.equal((await find(bug, "sound")).message, "");
    });
  }
});

describe("an oracle", () => {
  it("that a scenario leaves out does not judge it", async () => {
    const bug = corpus.find(({ name }) => name === "update ignored")!;
    const { text } = await scenarioOf(bug, "planted", ["follows-its-spec"]).sweep();
    assert.match(text, /all converge$/);
  });
});

describe("the corpus", () => {
  it("names each bug once, and those that are missed", () => {
    const names = corpus.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      [...tested, ...missed.keys()].filter((name) => !names.includes(name)),
      [],
    );
    assert.ok(missed.size <= names.length / 20);
  });
});
