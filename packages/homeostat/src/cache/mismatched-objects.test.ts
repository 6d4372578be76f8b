// An object that does not match its definition: left out of reads, named once, counted until a
// matching revision comes.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import { defineResource } from "../api/resource/define-resource.ts";
import type { CachedEntry } from "./cached-entry.ts";
import { entryShape } from "./entry-shape.suite.ts";
import type { InformerScope } from "./informer.ts";
import { bookmark, event, home, play } from "./informer-play.suite.ts";
import { Indexer } from "./indexer.ts";
import { SkippedObjects } from "./skipped-objects.ts";

const things = (rest: Parameters<typeof entryShape>[0] = {}) => {
  const errors: string[] = [];
  const checked: unknown[] = [];
  const shape = entryShape({
    match(object) {
      checked.push(object);
      const { size } = (object as any).spec;
      return typeof size === "number" ? undefined : { message: `size is ${size}`, isInSpec: true };
    },
    ...rest,
  });
  const skipped = new SkippedObjects(shape, (error) => errors.push((error as Error).message));
  const take = (resourceVersion: string, size: unknown): CachedEntry => {
    const metadata = { name: "a", namespace: "n", resourceVersion };
    const bytes = new TextEncoder().encode(JSON.stringify({ metadata, spec: { size } }));
    return skipped.take(bytes).entry!;
  };
  return { shape, skipped, take, errors, checked };
};

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({ size: z.int() }),
});

/** Boxes that a server lists, of which one is wrong. */
async function listBoxes(scope: InformerScope) {
  const { cache, runtime, transport, faults } = await play();
  const { informer } = cache.acquire(Box, scope);
  await runtime.advance(0);
  const box = (name: string, size: unknown) => ({
    metadata: { name, namespace: "home", uid: name, resourceVersion: "3" },
    spec: { size },
  });
  transport.last
    .head()
    .lines(event("ADDED", box("a", 1)), event("ADDED", box("b", "s")), bookmark("5", true));
  return { informer, faults };
}

describe("boxes that do not match what defineResource says", () => {
  it("are left out of reads, and not of entries and unchecked reads", async () => {
    const { informer, faults } = await listBoxes({});
    const names = (objects: readonly any[]) => objects.map(({ metadata }) => metadata.name);
    assert.deepEqual(names(informer.list()), ["a"]);
    assert.deepEqual(names(informer.byIndex("namespace", "home")), ["a"]);
    assert.deepEqual([informer.get(home("b")), informer.get(home("a"))?.spec.size], [undefined, 1]);
    assert.deepEqual(names(informer.unchecked.list()), ["a", "b"]);
    assert.deepEqual(names(informer.unchecked.byIndex("namespace", "home")), ["a", "b"]);
    assert.equal(informer.unchecked.get(home("b")).spec.size, "s");
    assert.equal(informer.entries().length, 2);
    assert.equal(informer.stats().skipped, 1);
    assert.deepEqual(faults.map(String), [
      'HomeostatError: ERR_OBJECT_MISMATCH: Box home/b does not match its definition: spec.size: expected an integer, found the string "s"; it is not reconciled, and reads of other objects leave it out',
    ]);
  });

  it("are read where nothing but metadata is", async () => {
    const { informer, faults } = await listBoxes({ metadataOnly: true });
    assert.equal(informer.list().length, 2);
    assert.deepEqual(faults, []);
  });
});

describe("an object that does not match its definition", () => {
  it("is found when it is read, once for each revision", () => {
    const { skipped, take, errors, checked, shape } = things();
    const entry = take("1", "s");
    assert.deepEqual([entry.mismatch, checked.length, skipped.size], [undefined, 0, 0]);
    assert.equal(skipped.read(entry), undefined);
    assert.deepEqual((skipped.readAny(entry) as any).spec, { size: "s" });
    entry.dropParsed();
    assert.equal(shape.parsedObjects.size, 0);
    assert.equal(skipped.read(entry), undefined);
    assert.equal(checked.length, 1);
    assert.deepEqual(entry.mismatch, { message: "size is s", isInSpec: true });
    assert.deepEqual(skipped.all(), [{ key: "n/a", resourceVersion: "1", reason: "size is s" }]);
    assert.equal(errors.length, 1);
    assert.match(
      errors[0]!,
      /^ERR_OBJECT_MISMATCH: Thing n\/a does not match .*: size is s; it is/,
    );
  });

  it("is named again when it differs in another way, or anew, and not for other changes", () => {
    const { skipped, take, errors } = things();
    skipped.read(take("1", "s"));
    take("2", "s");
    assert.deepEqual([skipped.all()[0]?.resourceVersion, errors.length], ["2", 1]);
    take("3", "t");
    assert.deepEqual([skipped.all()[0]?.reason, errors.length], ["size is t", 2]);
    take("4", 1);
    assert.equal(skipped.size, 0, "its end is seen without a read");
    take("5", "t");
    assert.equal(errors.length, 2, "not read yet");
    skipped.read(take("6", "t"));
    assert.deepEqual([skipped.size, errors.length], [1, 3]);
    skipped.forget("n/a");
    assert.equal(skipped.size, 0);
  });

  it("stays counted over a list that delivers it, and no longer when it does not", () => {
    const { skipped, take, errors, shape } = things();
    skipped.read(take("1", "s"));
    skipped.listing();
    take("1", "s");
    skipped.listed();
    assert.deepEqual([skipped.size, errors.length], [1, 1]);
    assert.equal(shape.parsedObjects.size, 1, "what the list delivered is not kept parsed");
    skipped.listing();
    skipped.listed();
    assert.equal(skipped.size, 0);
    skipped.read(take("1", "s"));
    assert.equal(errors.length, 2);
  });

  it("stays counted, and is not named again, while lists begin and fail", () => {
    const { skipped, take, errors } = things();
    skipped.read(take("1", "s"));
    for (const _ of [1, 2]) {
      skipped.listing();
      assert.deepEqual([skipped.size, skipped.all().length], [1, 1]);
    }
    take("1", "s");
    assert.equal(skipped.size, 1);
    skipped.listed();
    assert.deepEqual([skipped.size, errors.length], [1, 1]);
    skipped.listing();
    take("2", 1);
    assert.equal(skipped.size, 0, "corrected meanwhile");
    skipped.listing();
    skipped.forget("n/a");
    skipped.listed();
    assert.equal(skipped.size, 0);
  });

  it("is not reported of a revision that the cache no longer holds", () => {
    const { skipped, take, errors } = things();
    const entry = take("1", "s");
    entry.retire();
    entry.read();
    assert.deepEqual([entry.mismatch?.message, skipped.size, errors.length], ["size is s", 0, 0]);
  });

  it("is not projected, and is kept whole", () => {
    const projected: unknown[] = [];
    const project = (object: any): unknown => {
      projected.push(object.spec.size);
      return { metadata: object.metadata };
    };
    const { skipped, take, errors } = things({ project });
    const entry = take("1", "s");
    assert.equal(errors.length, 1);
    assert.equal(skipped.read(entry), undefined);
    assert.deepEqual(entry.read().spec, { size: "s" });
    assert.equal((skipped.read(take("2", 1)) as any).spec, undefined);
    assert.deepEqual([projected, skipped.size], [[1], 0]);
  });

  it("has a place in an index only on request", () => {
    const { take } = things();
    const indexer = new Indexer();
    const fail = (error: unknown): never => assert.fail(String(error));
    indexer.addIndex("size", (object) => [String(object.spec.size)], fail);
    indexer.addIndex("name", (object) => [object.metadata.name], fail, {
      includesMismatched: true,
    });
    indexer.set(take("1", "s"));
    assert.equal(indexer.byIndex("size", "s").length, 0);
    assert.equal(indexer.byIndex("name", "a").length, 1);
    indexer.set(take("2", 1));
    assert.equal(indexer.byIndex("size", "1").length, 1);
  });
});
