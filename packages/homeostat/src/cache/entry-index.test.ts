// Indexes keep to the entries that are in them, with stored values and with values at hand.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CachedEntry, toEntry } from "./cached-entry.ts";
import { EntryIndex } from "./entry-index.ts";
import { entryShape } from "./entry-shape.suite.ts";
import { Indexer } from "./indexer.ts";

const thing = (name: string, tags: readonly string[], resourceVersion = "1"): CachedEntry =>
  toEntry(
    new TextEncoder().encode(
      JSON.stringify({ metadata: { name, uid: `uid-${name}`, resourceVersion }, spec: { tags } }),
    ),
    entryShape(),
  );
const tagsOf = (entry: CachedEntry): readonly string[] => entry.read().spec.tags;

for (const areAtHand of [true, false])
  describe(`an index whose values are ${areAtHand ? "at hand" : "stored"}`, () => {
    it("follows the values of an entry, and forgets them with it", () => {
      const index = new EntryIndex(tagsOf, { areAtHand });
      const keysOf = (...tags: readonly string[]) => tags.map((tag) => [...index.keys(tag)]);
      const first = thing("a", ["x", "y"]);
      const other = thing("b", ["y"]);
      index.put(first, undefined);
      index.put(other, undefined);
      assert.deepEqual(keysOf("x", "y", "z"), [["a"], ["a", "b"], []]);
      const reordered = thing("a", ["y", "x"], "2");
      index.put(reordered, first);
      assert.deepEqual(keysOf("x", "y"), [["a"], ["b", "a"]]);
      const moved = thing("a", ["y", "z"], "3");
      index.put(moved, reordered);
      assert.deepEqual(keysOf("x", "y", "z"), [[], ["b", "a"], ["a"]]);
      const none = thing("a", [], "4");
      index.put(none, moved);
      assert.deepEqual(keysOf("x", "y", "z"), [[], ["b"], []]);
      index.remove(other);
      index.remove(none);
      assert.deepEqual(keysOf("x", "y", "z"), [[], [], []]);
    });
  });

it("computes the values of an index function once for each revision", () => {
  const indexer = new Indexer();
  let calls = 0;
  indexer.addIndex(
    "tag",
    (object) => (calls++, object.spec.tags),
    (error) => assert.fail(String(error)),
  );
  indexer.set(thing("a", ["x"]));
  indexer.set(thing("a", ["y"], "2"));
  indexer.delete("a");
  assert.equal(calls, 2);
});
