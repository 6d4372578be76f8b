// What every Journal does, as tests: each implementation's own test calls this with a way to open
// and reopen one.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createMemoryStore } from "./memory-store.ts";
import type { Journal, Revision, Store } from "./store.ts";
import { describeStore, put, remove, said } from "./store.suite.ts";

/** A place that a journal can be opened at, more than once. */
export interface JournalPlace {
  open(): Promise<Journal>;
}

const loaded = async (place: JournalPlace): Promise<readonly string[]> => {
  const journal = await place.open();
  const seen: Revision[] = [];
  journal.load((revision) => seen.push(revision));
  await journal.close();
  return seen.map((revision) => `${revision.key} ${revision.type} ${said(revision)}`);
};

const openStore = async (place: JournalPlace): Promise<Store> =>
  createMemoryStore({ journal: await place.open() });

/** Describes a Journal found at the places that `createPlace` makes. */
export function describeJournal(name: string, createPlace: () => Promise<JournalPlace>): void {
  describeStore(`store on ${name}`, async () => openStore(await createPlace()));
  describe(name, () => {
    test("a reopened journal replays acknowledged writes, oldest first", async () => {
      const place = await createPlace();
      const store = await openStore(place);
      await Promise.all([put(store, "g/r//b", "one"), put(store, "g/r//a", "two")]);
      await put(store, "g/r//b", "three");
      await remove(store, "g/r//a");
      await store.close();
      assert.deepEqual(await loaded(place), [
        "g/r//b ADDED one@1",
        "g/r//a ADDED two@2",
        "g/r//b MODIFIED three@3",
        "g/r//a DELETED last@4",
      ]);
    });

    test("attributes, creation revision and epoch round-trip", async () => {
      const place = await createPlace();
      const store = await openStore(place);
      const attributes = {
        uid: "ü",
        generation: 3,
        labels: { a: "b" },
        fields: { "spec.x": "" },
        owners: [{ uid: "o" }],
        finalizers: ["f"],
        deleting: true,
      };
      await store.commit("g/r//a", 0, () => ({
        bytes: new Uint8Array([0, 255]),
        attributes,
        schemaEpoch: 7,
      }));
      await store.close();
      const reopened = await openStore(place);
      const {
        key: _,
        revision,
        created,
        schemaEpoch,
        bytes,
        attributes: found,
      } = reopened.latest("g/r//a")!;
      assert.deepEqual(
        { revision, created, schemaEpoch, bytes: [...bytes], found },
        { revision: 1, created: 1, schemaEpoch: 7, bytes: [0, 255], found: attributes },
      );
      await reopened.close();
    });

    test("a reopened store continues its revisions, and keeps its history", async () => {
      const place = await createPlace();
      const store = await openStore(place);
      await put(store, "g/r//a", "one");
      await put(store, "g/r//a", "two");
      await remove(store, "g/r//a");
      await store.close();
      const reopened = await openStore(place);
      const seen: (string | undefined)[] = [];
      reopened.since("g/", 1, (change) =>
        seen.push(`${change.type} ${said(change)} after ${said(change.previous)}`),
      );
      assert.equal((await put(reopened, "g/r//a", "four")).revision, 4);
      assert.deepEqual(seen, [
        "MODIFIED two@2 after one@1",
        "DELETED last@3 after two@2",
        "ADDED four@4 after undefined",
      ]);
      await reopened.close();
    });

    test("compaction persists, and so does the revision when no object is left", async () => {
      const place = await createPlace();
      const store = await openStore(place);
      await put(store, "g/r//a", "one");
      await remove(store, "g/r//a");
      store.compact(2);
      await store.close();
      assert.deepEqual(await loaded(place), []);
      const reopened = await openStore(place);
      assert.deepEqual(
        [reopened.revision(), reopened.compacted(), reopened.since("g/", 1, () => {})],
        [2, 2, "compacted"],
      );
      assert.equal((await put(reopened, "g/r//a", "three")).revision, 3);
      await reopened.close();
    });

    test("a write that has not been acknowledged is not seen, and the next of that key waits for it", async () => {
      const store = await openStore(await createPlace());
      await put(store, "g/r//a", "one");
      const second = put(store, "g/r//a", "two");
      assert.deepEqual([store.revision(), said(store.latest("g/r//a"))], [1, "one@1"]);
      const behind = store.commit("g/r//a", 1, () => assert.fail("not encoded"));
      assert.notEqual(behind, "conflict");
      await assert.rejects(async () => await behind, { code: "ERR_STORE_CONFLICT" });
      assert.equal((await second).revision, 2);
      assert.equal(said(store.latest("g/r//a")), "two@2");
      await store.close();
    });

    test("closing keeps committed writes", async () => {
      const place = await createPlace();
      const store = await openStore(place);
      const writes = ["a", "b", "c"].map((name) => put(store, `g/r//${name}`, name));
      await store.close();
      await Promise.all(writes);
      assert.equal((await loaded(place)).length, 3);
    });
  });
}
