// Which revisions are made, renumbered and deleted; the rest is tested on servers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { revisionHash, revisionName } from "../../api/revision-hash.ts";
import { ApiStatusError, isForbidden } from "../../api/status.ts";
import { keepRevisions, type RevisionContext } from "./keep-revisions.ts";

const owner = {
  apiVersion: "x/v1",
  kind: "Box",
  metadata: { name: "b", namespace: "n", uid: "u" },
} as unknown as RevisionContext["object"];
const byOwner = { apiVersion: "x/v1", kind: "Box", name: "b", uid: "u", controller: true };

interface Stored {
  readonly revision: number;
  readonly data: unknown;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: object;
    readonly ownerReferences?: readonly object[];
    readonly creationTimestamp?: string;
  };
}

const revisionOf = (name: string, revision: number, more: object = {}): Stored => ({
  revision,
  data: name,
  metadata: { name, uid: `uid-${name}`, ownerReferences: [byOwner], ...more },
});

/** Revisions in the cache and on the server, and what is written. */
function contextOf(cached: readonly Stored[], live: readonly Stored[] = []) {
  const writes: unknown[] = [];
  const created: unknown[] = [];
  const client = {
    async create(_kind: unknown, made: Stored) {
      writes.push(["create", made.metadata.name, made.revision]);
      created.push(made.metadata);
      if (live.some(({ metadata }) => metadata.name === made.metadata.name)) throw exists;
      return made;
    },
    async update(_kind: unknown, { metadata, revision }: Stored) {
      writes.push(["update", metadata.name, revision]);
      return revisionOf(metadata.name, revision);
    },
    async delete(_kind: unknown, { name }: Stored["metadata"], options: object) {
      writes.push(["delete", name, options]);
    },
    get: async (_kind: unknown, name: string) =>
      live.find(({ metadata }) => metadata.name === name),
  };
  const context = { object: owner, client, cache: { list: () => cached } };
  return { context: context as unknown as RevisionContext, writes, created };
}

const status = { kind: "Status", apiVersion: "v1", code: 409, reason: "AlreadyExists" };
const exists = new ApiStatusError(status as never);
const nameOf = (data: string, collisions = 0): string =>
  revisionName("b", revisionHash(data, collisions));
const numbers = (all: readonly { readonly number: number }[]): readonly number[] =>
  all.map(({ number }) => number);

describe("keepRevisions", () => {
  const four = ["d", "b", "c", "a"].map((name) => revisionOf(name, name.charCodeAt(0) - 96));

  it("deletes the oldest above the limit, but none in use", async () => {
    const { context, writes } = contextOf(four);
    const kept = await keepRevisions(context, "d", { limit: 1, inUse: ["a"] });
    assert.deepEqual(writes, [["delete", "b", { uid: "uid-b" }]]);
    assert.deepEqual(numbers(kept.all), [1, 3, 4]);
    assert.deepEqual(kept.current, { number: 4, name: "d", data: "d" });
  });

  it("keeps ten beside the current one by default", async () => {
    const many = Array.from({ length: 12 }, (_, index) => revisionOf(`r${index}`, index + 1));
    const { context, writes } = contextOf(many);
    await keepRevisions(context, "r11");
    assert.deepEqual(writes, [["delete", "r0", { uid: "uid-r0" }]]);
  });

  it("creates a new state with the next number, a label and an owner", async () => {
    const { context, writes } = contextOf(four);
    const { current, all } = await keepRevisions(context, "new");
    assert.deepEqual(writes, [["create", nameOf("new"), 5]]);
    assert.deepEqual(current, { number: 5, name: nameOf("new"), data: "new" });
    assert.deepEqual(numbers(all), [1, 2, 3, 4, 5]);
    const first = contextOf([]);
    await keepRevisions(first.context, "new", { labels: { of: "this" } });
    const reference = { ...byOwner, blockOwnerDeletion: true };
    assert.deepEqual(first.created, [
      {
        name: nameOf("new"),
        namespace: "n",
        labels: { of: "this", "controller.kubernetes.io/hash": revisionHash("new", 0) },
        ownerReferences: [reference],
      },
    ]);
    const { namespace: _, ...unplaced } = owner.metadata;
    const clusterScoped = { ...first.context, object: { ...owner, metadata: unplaced } };
    await keepRevisions(clusterScoped as RevisionContext, "new");
    assert.equal("namespace" in (first.created[1] as object), false);
    assert.equal((await keepRevisions(first.context, "new")).current.number, 1);
  });

  it("gives a state that comes back the highest number", async () => {
    const { context, writes } = contextOf(four);
    const { current, all } = await keepRevisions(context, "b");
    assert.deepEqual(writes, [["update", "b", 5]]);
    assert.equal(current.number, 5);
    assert.deepEqual(numbers(all), [1, 3, 4, 5]);
  });

  it("sees the revisions of its object with its labels only", async () => {
    const others = [
      revisionOf("foreign", 7, { ownerReferences: [{ ...byOwner, uid: "another" }] }),
      revisionOf("of-another-history", 8, { labels: { of: "another" } }),
      revisionOf("unlabelled", 9),
      revisionOf("mine", 3, { labels: { of: "this", more: "yes" } }),
    ];
    const { context, writes } = contextOf(others);
    const { all } = await keepRevisions(context, "mine", { limit: 0, labels: { of: "this" } });
    assert.deepEqual(writes, []);
    assert.deepEqual(numbers(all), [3]);
  });

  it("of revisions with one number, the younger is later, then the one named later", async () => {
    const at = (creationTimestamp: string) => ({ creationTimestamp });
    const same = [
      revisionOf("a", 1, at("2026-01-02T00:00:00Z")),
      revisionOf("c", 1, at("2026-01-01T00:00:00Z")),
      revisionOf("b", 1, at("2026-01-01T00:00:00Z")),
    ];
    const { context, writes } = contextOf(same);
    const { all } = await keepRevisions(context, "a");
    assert.deepEqual(writes, []);
    assert.deepEqual(
      all.map(({ name }) => name),
      ["b", "c", "a"],
    );
  });

  it("takes an existing revision of its object with the data, not another's", async () => {
    const taken = (name: string, more: object = {}): Stored => ({
      ...revisionOf(name, 1, more),
      data: "new",
    });
    const own = contextOf([], [taken(nameOf("new"))]);
    await keepRevisions(own.context, "new");
    assert.deepEqual(own.writes, [["create", nameOf("new"), 1]]);
    const foreign = contextOf([], [taken(nameOf("new"), { ownerReferences: [] })]);
    assert.equal((await keepRevisions(foreign.context, "new")).current.name, nameOf("new", 1));
    const gone = contextOf([], []);
    let refusals = 1;
    const { create } = gone.context.client as any;
    (gone.context.client as any).create = async (...given: unknown[]) => {
      if (refusals-- > 0) throw exists;
      return create(...given);
    };
    assert.equal((await keepRevisions(gone.context, "new")).current.name, nameOf("new", 1));
  });

  it("fails when a revision cannot be created", async () => {
    const { context } = contextOf([]);
    (context.client as any).create = async () => {
      throw new ApiStatusError({ ...status, code: 403, reason: "Forbidden" } as never);
    };
    await assert.rejects(keepRevisions(context, "new"), isForbidden);
  });
});
