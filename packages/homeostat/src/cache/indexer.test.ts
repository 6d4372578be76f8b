// Indexes of the objects of one informer.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CachedEntry, toEntry } from "./cached-entry.ts";
import { entryShape } from "./entry-shape.suite.ts";
import { Indexer } from "./indexer.ts";

const thing = (name: string, tag: string, resourceVersion = "1"): CachedEntry =>
  toEntry(
    new TextEncoder().encode(
      JSON.stringify({
        metadata: {
          name,
          uid: `uid-${name}`,
          resourceVersion,
          ownerReferences: [{ uid: "uid-owner" }],
        },
        spec: { tag },
      }),
    ),
    entryShape(),
  );
const tagOf = (object: any): readonly string[] => [object.spec.tag];
const fail = (error: unknown): never => assert.fail(String(error));

describe("an index", () => {
  it("holds what was there before it, and drops what is deleted", () => {
    const indexer = new Indexer();
    indexer.set(thing("a", "x"));
    indexer.addIndex("tag", tagOf, fail);
    indexer.set(thing("b", "x"));
    const names = (index: string, value: string) =>
      indexer.byIndex(index, value).map((entry) => entry?.name);
    assert.deepEqual(names("tag", "x"), ["a", "b"]);
    assert.deepEqual(names("owner", "uid-owner"), ["a", "b"]);
    indexer.delete("a");
    assert.deepEqual(names("tag", "x"), ["b"]);
    assert.deepEqual(names("owner", "uid-owner"), ["b"]);
    assert.deepEqual(names("namespace", ""), ["b"]);
  });

  it("may be added again, and its name is not another's", () => {
    const indexer = new Indexer();
    indexer.addIndex("tag", tagOf, fail);
    indexer.addIndex("tag", tagOf, fail);
    assert.throws(() => indexer.addIndex("tag", () => [], fail), /ERR_CACHE_INDEX.*"tag"/);
    assert.throws(() => indexer.addIndex("owner", () => [], fail), /ERR_CACHE_INDEX/);
  });

  it("reports each object for which its function throws, and once that it returns no list", () => {
    const reportsOf = (index: (object: any) => any): readonly string[] => {
      const indexer = new Indexer();
      const reports: string[] = [];
      indexer.addIndex("tag", index, (error, key) => void reports.push(`${key}: ${String(error)}`));
      for (const name of ["a", "b"]) indexer.set(thing(name, "x"));
      assert.deepEqual(indexer.byIndex("tag", "x"), []);
      return reports;
    };
    const throwing = (): never => {
      throw new Error("no tag");
    };
    assert.deepEqual(reportsOf(throwing), ["a: Error: no tag", "b: Error: no tag"]);
    const text = reportsOf(() => "x");
    assert.equal(text.length, 1);
    assert.match(text[0]!, /^a: .*index "tag" returned .*expected a list of strings/);
    assert.equal(reportsOf(async () => ["x"]).length, 1);
  });
});

it("a list at the same revisions changes nothing, except after a restore", () => {
  const indexer = new Indexer();
  indexer.set(thing("a", "x"));
  const next = new Map([["a", thing("a", "y")]]);
  assert.deepEqual(indexer.replace(next), []);
  assert.equal(indexer.replace(next, { isRestored: true }).length, 1);
});
