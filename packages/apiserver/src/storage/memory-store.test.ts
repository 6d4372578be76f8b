import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMemoryJournal } from "./memory-journal.ts";
import { createMemoryStore } from "./memory-store.ts";
import { describeJournal } from "./journal.suite.ts";
import type { Revision, Store } from "./store.ts";
import { describeStore, put, remove, said, saying } from "./store.suite.ts";

describeStore("store without a journal", async () => createMemoryStore());

describeJournal("memory journal", async () => {
  const journal = createMemoryJournal();
  return { open: async () => journal };
});

test("without a journal a commit is visible when commit returns", () => {
  const store = createMemoryStore();
  void store.commit("g/r//a", 0, saying("one"));
  assert.equal(said(store.latest("g/r//a")), "one@1");
});

/** A store whose journal fails for the first write, which is pending. */
function storeWithFailingWrite(): { store: Store; failing: Promise<Revision> } {
  const journal = createMemoryJournal();
  const store = createMemoryStore({ journal });
  journal.hold(Promise.reject(new Error("disk full")));
  const failing = put(store, "g/r//a", "one");
  journal.hold(undefined);
  return { store, failing };
}

test("a failing journal undoes the write, and the writes of other keys go through", async () => {
  const { store, failing } = storeWithFailingWrite();
  const other = put(store, "g/r//b", "two");
  await assert.rejects(failing, /disk full/);
  assert.equal((await other).revision, 2);
  assert.equal(store.latest("g/r//a"), undefined);
  assert.equal((await put(store, "g/r//a", "three")).type, "ADDED");
  await store.close();
});

test("a write queued behind a failed one is compared with the state before both", async () => {
  const { store, failing } = storeWithFailingWrite();
  const behind = store.commit("g/r//a", 0, saying("two"));
  await assert.rejects(failing, /disk full/);
  assert.equal(said(await (behind as Promise<Revision>)), "two@2");
  await store.close();
});

test("history is cut by itself, to the number of changes asked for", async () => {
  const store = createMemoryStore({ keepChanges: 10 });
  for (let i = 0; i < 19; i++) await put(store, "g/r//a", "x");
  assert.equal(store.compacted(), 0);
  await put(store, "g/r//a", "x");
  assert.equal(store.compacted(), 10);
  assert.equal(
    store.since("g/", 9, () => {}),
    "compacted",
  );
  assert.ok(typeof store.since("g/", 10, () => {}) !== "string");
});

test("history is cut to its limit in bytes", async () => {
  const store = createMemoryStore({ keepBytes: 100 });
  for (let i = 0; i < 10; i++) await put(store, "g/r//a", "ten bytes");
  assert.equal(
    store.compacted(),
    6,
    "11 bytes each: the tenth is too much, and what then stays weighs no more than 50",
  );
});

test("lists at every revision agree with a plain replay of the commits", async () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.boolean()), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const store = createMemoryStore();
      const model = new Map<string, string>();
      const states: (readonly string[])[] = [[]];
      for (const [name, deletes] of plan) {
        const key = `g/r//${name}`;
        if (deletes && !model.has(key)) continue;
        const { revision } = deletes ? await remove(store, key) : await put(store, key, key);
        if (deletes) model.delete(key);
        else model.set(key, `${key}@${revision}`);
        states.push([...model].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text));
      }
      for (const [at, expected] of states.entries()) {
        const listing = store.list("g/", { at });
        assert.ok(typeof listing !== "string" || at === 0);
        if (typeof listing === "string") continue;
        const items = [...listing.items];
        assert.deepEqual(items.map(said), expected);
        for (const [i, { key }] of items.entries())
          assert.equal(listing.countAfter(key), items.length - i - 1);
      }
    }),
    { numRuns: 50 },
  );
});

test("counts what stands behind a key, over thousands of keys and not beyond the prefix", async () => {
  const store = createMemoryStore();
  const names = Array.from({ length: 3000 }, (_, i) => String(i).padStart(4, "0"));
  for (const name of names) await put(store, `g/r//${name}`, name);
  for (const neighbour of ["g/q//0", "g/ra//0", "g/r/0"]) await put(store, neighbour, "");
  const at = store.revision();
  for (const name of names.filter((_, i) => i % 3 === 1)) await remove(store, `g/r//${name}`);
  const now = store.list("g/r//");
  const then = store.list("g/r//", { at });
  assert.ok(typeof now !== "string" && typeof then !== "string");
  for (const i of [0, 1, 510, 511, 512, 513, 1500, 2998, 2999]) {
    const key = `g/r//${names[i]}`;
    assert.equal(then.countAfter(key), 2999 - i);
    assert.equal(now.countAfter(key), names.filter((_, n) => n > i && n % 3 !== 1).length);
  }
});
