// What every Store does, as tests: each implementation's own test calls this with a way to make
// one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Encoded, ObjectAttributes, Revision, Store } from "./store.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const noAttributes: ObjectAttributes = {
  uid: "u",
  generation: 1,
  labels: {},
  fields: {},
  owners: [],
  finalizers: [],
  deleting: false,
};

/** A state whose bytes are `text@revision`. */
export const saying =
  (text: string): ((revision: number) => Encoded) =>
  (revision) => ({ bytes: encoder.encode(`${text}@${revision}`), attributes: noAttributes });

/** The text of a revision's bytes. */
export const said = (revision: Revision | undefined): string | undefined =>
  revision && decoder.decode(revision.bytes);

/** Commits and insists that it went through. */
export async function put(store: Store, key: string, text: string): Promise<Revision> {
  const outcome = store.commit(key, store.latest(key)?.revision ?? 0, saying(text));
  assert.notEqual(outcome, "conflict");
  return await (outcome as Promise<Revision>);
}

/** Deletes and insists that it went through. */
export async function remove(store: Store, key: string): Promise<Revision> {
  const outcome = store.commit(key, store.latest(key)?.revision ?? 0, () => null, saying("last"));
  assert.notEqual(outcome, "conflict");
  return await (outcome as Promise<Revision>);
}

const listed = (
  store: Store,
  prefix: string,
  options?: Parameters<Store["list"]>[1],
): readonly (string | undefined)[] | string => {
  const listing = store.list(prefix, options);
  return typeof listing === "string" ? listing : [...listing.items].map(said);
};

/** Describes a Store made by `create`. */
export function describeStore(name: string, create: () => Promise<Store>): void {
  describe(name, () => {
    describeWrites(create);
    describeReads(create);
    describeChanges(create);
  });
}

function describeWrites(create: () => Promise<Store>): void {
  test("one counter numbers all commits from 1", async () => {
    const store = await create();
    assert.equal(store.revision(), 0);
    assert.equal((await put(store, "a/x//1", "one")).revision, 1);
    assert.equal((await put(store, "b/y//1", "two")).revision, 2);
    assert.equal(store.revision(), 2);
    await store.close();
  });

  test("a commit has its type, creation revision and previous state", async () => {
    const store = await create();
    await put(store, "g/r//a", "one");
    const second = await put(store, "g/r//a", "two");
    assert.deepEqual(
      [second.type, second.created, said(second.previous)],
      ["MODIFIED", 1, "one@1"],
    );
    const gone = await remove(store, "g/r//a");
    assert.deepEqual(
      [gone.type, gone.revision, said(gone), said(gone.previous)],
      ["DELETED", 3, "last@3", "two@2"],
    );
    const again = await put(store, "g/r//a", "new");
    assert.deepEqual([again.type, again.created, again.previous], ["ADDED", 4, undefined]);
    await store.close();
  });

  test("a delete without a last state carries the state before", async () => {
    const store = await create();
    await put(store, "g/r//a", "one");
    const gone = await (store.commit("g/r//a", 1, () => null) as Promise<Revision>);
    assert.equal(said(gone), "one@1");
    assert.equal(store.latest("g/r//a"), undefined);
    await store.close();
  });

  test("a commit that expects another revision conflicts and changes nothing", async () => {
    const store = await create();
    await put(store, "g/r//a", "one");
    await put(store, "g/r//a", "two");
    assert.equal(store.commit("g/r//a", 1, saying("late")), "conflict");
    assert.equal(store.commit("g/r//a", 0, saying("late")), "conflict");
    assert.equal(store.commit("g/r//b", 7, saying("late")), "conflict");
    assert.deepEqual([store.revision(), said(store.latest("g/r//a"))], [2, "two@2"]);
    await store.close();
  });

  test("an encoder that throws uses up no revision", async () => {
    const store = await create();
    assert.throws(
      () =>
        store.commit("g/r//a", 0, () => {
          throw new Error("no bytes");
        }),
      /no bytes/,
    );
    assert.equal((await put(store, "g/r//a", "one")).revision, 1);
    await store.close();
  });

  test("a closed store refuses commits", async () => {
    const store = await create();
    await store.close();
    await assert.rejects(async () => await store.commit("g/r//a", 0, saying("one")), {
      code: "ERR_STORE_CLOSED",
    });
  });
}

function describeReads(create: () => Promise<Store>): void {
  test("lists are in key order, by prefix, from a start key on", async () => {
    const store = await create();
    for (const key of [
      "g/r/b/2",
      "g/r/a/1",
      "g/rr/a/1",
      "g/r/b/1",
      "g/r/b/\u{1f600}",
      "g/r/b/\uffee",
    ])
      await put(store, key, key);
    assert.deepEqual(listed(store, "g/r/"), [
      "g/r/a/1@2",
      "g/r/b/1@4",
      "g/r/b/2@1",
      "g/r/b/\uffee@6",
      "g/r/b/\u{1f600}@5",
    ]);
    assert.deepEqual(listed(store, "g/r/b/", { startKey: "g/r/b/1\0" }), [
      "g/r/b/2@1",
      "g/r/b/\uffee@6",
      "g/r/b/\u{1f600}@5",
    ]);
    assert.deepEqual(listed(store, "g/r/", { startKey: "a" }).length, 5);
    assert.deepEqual(listed(store, "none/"), []);
    await store.close();
  });

  test("a list at an old revision has the objects of that time", async () => {
    const store = await create();
    await put(store, "g/r//a", "one");
    await put(store, "g/r//b", "two");
    await put(store, "g/r//a", "three");
    await remove(store, "g/r//b");
    await put(store, "g/r//b", "five");
    assert.deepEqual(listed(store, "g/r/", { at: 1 }), ["one@1"]);
    assert.deepEqual(listed(store, "g/r/", { at: 2 }), ["one@1", "two@2"]);
    assert.deepEqual(listed(store, "g/r/", { at: 4 }), ["three@3"]);
    assert.deepEqual(listed(store, "g/r/"), ["three@3", "five@5"]);
    assert.equal(listed(store, "g/r/", { at: 6 }), "future");
    await store.close();
  });

  test("compaction forgets the past and keeps the present", async () => {
    const store = await create();
    await put(store, "g/r//a", "one");
    await put(store, "g/r//b", "two");
    await remove(store, "g/r//b");
    const fourth = await put(store, "g/r//a", "four");
    await put(store, "g/r//c", "five");
    store.compact(3);
    assert.equal(store.compacted(), 3);
    assert.equal(listed(store, "g/r/", { at: 3 }), "compacted");
    assert.deepEqual(listed(store, "g/r/", { at: 4 }), ["four@4"]);
    assert.equal(
      said(fourth.previous),
      "one@1",
      "a change within history still knows the state before",
    );
    store.compact(99);
    assert.equal(store.compacted(), 5);
    assert.deepEqual(listed(store, "g/r/"), ["four@4", "five@5"]);
    assert.deepEqual(
      listed(store, "g/r/", { at: 5 }),
      ["four@4", "five@5"],
      "the present is no past",
    );
    assert.equal((await put(store, "g/r//b", "six")).type, "ADDED");
    await store.close();
  });

  test("the newest changes may stay for watches when reads have been given up", async () => {
    const store = await create();
    for (const text of ["one", "two", "three"]) await put(store, "g/r//a", text);
    await remove(store, "g/r//a");
    store.compact(3, { watchable: 2 });
    assert.deepEqual([listed(store, "g/r/", { at: 3 }), store.compacted()], ["compacted", 2]);
    const seen: string[] = [];
    store.since("g/", 2, (change) =>
      seen.push(`${change.type} ${said(change)} after ${said(change.previous)}`),
    );
    assert.deepEqual(seen, ["MODIFIED three@3 after two@2", "DELETED last@4 after three@3"]);
    assert.equal(
      store.since("g/", 1, () => {}),
      "compacted",
    );
    await store.close();
  });

  test("a walk tolerates concurrent writes", async () => {
    const store = await create();
    for (let i = 100; i < 700; i++) await put(store, `g/r//${i}`, "x");
    const listing = store.list("g/r/");
    assert.ok(typeof listing !== "string");
    const seen: string[] = [];
    for (const { key } of listing.items) {
      seen.push(key);
      if (seen.length % 100 === 0) await put(store, `${key}-more`, "y");
    }
    assert.equal(seen.length, 600);
    assert.equal(new Set(seen).size, 600);
    await store.close();
  });
}

function describeChanges(create: () => Promise<Store>): void {
  test("a watch gets history first and then new events, of its prefix only", async () => {
    const store = await create();
    const seen: string[] = [];
    await put(store, "g/r/n/a", "one");
    await put(store, "g/r/n/b", "two");
    await put(store, "g/s/n/a", "three");
    const watch = store.since("g/r/n/", 1, (change) => seen.push(`${change.type} ${said(change)}`));
    assert.ok(typeof watch !== "string");
    await put(store, "g/r/n/a", "four");
    await put(store, "g/r/m/a", "five");
    await remove(store, "g/r/n/b");
    watch.stop();
    await put(store, "g/r/n/a", "seven");
    assert.deepEqual(seen, ["ADDED two@2", "MODIFIED four@4", "DELETED last@6"]);
    await store.close();
  });

  test("watches of all, of a resource, of a namespace and of one object see the same change", async () => {
    const store = await create();
    const seen: string[] = [];
    for (const prefix of ["", "g/", "g/r/", "g/r/n/", "g/r/n/a", "g/r/n/ab", "g/r/m/"])
      store.since(prefix, 0, () => seen.push(prefix));
    await put(store, "g/r/n/a", "one");
    assert.deepEqual(seen.toSorted(), ["", "g/", "g/r/", "g/r/n/", "g/r/n/a"]);
    await store.close();
  });

  test("a watch from a forgotten or future revision is refused", async () => {
    const store = await create();
    for (const text of ["one", "two", "three"]) await put(store, "g/r//a", text);
    store.compact(2);
    const seen: (string | undefined)[] = [];
    assert.equal(
      store.since("g/", 1, () => {}),
      "compacted",
    );
    assert.equal(
      store.since("g/", 4, () => {}),
      "future",
    );
    assert.ok(typeof store.since("g/", 2, (change) => seen.push(said(change))) !== "string");
    assert.deepEqual(seen, ["three@3"]);
    await store.close();
  });

  test("watchers that write and watch inside a callback all see one order, without gaps or duplicates", async () => {
    const store = await create();
    const first: number[] = [];
    const late: number[] = [];
    const writes: Promise<unknown>[] = [];
    store.since("g/", 0, ({ revision }) => {
      first.push(revision);
      if (revision === 1) writes.push(put(store, "g/r//b", "x"), put(store, "g/r//c", "x"));
      if (revision === 2) store.since("g/", 1, (change) => late.push(change.revision));
    });
    await put(store, "g/r//a", "x");
    await Promise.all(writes);
    assert.deepEqual(first, [1, 2, 3]);
    assert.deepEqual(late, [2, 3]);
    await store.close();
  });
}
