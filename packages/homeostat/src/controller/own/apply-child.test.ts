// The requests that bring one child to its desired state.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isConflict, isForbidden } from "../../api/status.ts";
import { applyChild } from "./apply-child.ts";
import { arrangeSet, manager, mine, partOf, refused } from "./arrange-set.suite.ts";
import type { Intent } from "./child-intent.ts";
import { isApplied, learnStored } from "./is-applied.ts";

const wanted = (of: string, metadata: object = {}): Intent => ({
  apiVersion: "x/v1",
  kind: "Part",
  metadata: { name: "p", namespace: "n", ...metadata },
  ...{ spec: { of } },
});
const options = { force: true, fieldManager: manager };
const createOnly = ["apply n/p", wanted("x", { resourceVersion: "1" }), options];
const updated = ["apply n/p", wanted("x", { uid: "uid-p" }), options];

describe("applying a child", () => {
  it("creates what is not cached, by a request that changes nothing that exists", async () => {
    const { set, requests } = arrangeSet();
    const made = await applyChild(set, wanted("x"));
    assert.equal(made.metadata.uid, "made");
    assert.deepEqual(requests, [createOnly]);
  });

  it("sends nothing when the object is as desired, or is being deleted", async () => {
    for (const known of [mine("p", { of: "x" }), mine("p", { of: "y", isDeleted: true })]) {
      const { set, requests } = arrangeSet([known]);
      assert.equal(await applyChild(set, wanted("x")), known);
      assert.deepEqual(requests, []);
    }
  });

  it("changes the object of this uid only, and refuses one of another owner", async () => {
    const { set, requests } = arrangeSet([mine("p", { of: "y" })]);
    await applyChild(set, wanted("x"));
    assert.deepEqual(requests, [updated]);
    const foreign = arrangeSet([partOf("p", { controller: "other" })]);
    await assert.rejects(applyChild(foreign.set, wanted("x")), { code: "ERR_OWN_FOREIGN" });
    assert.deepEqual(foreign.requests, []);
  });

  it("creates what the cache has although a 404 has proved it gone", async () => {
    const { set, requests } = arrangeSet([mine("p", { of: "x" })]);
    set.memory.gone("uid-p");
    assert.equal((await applyChild(set, wanted("x"))).metadata.uid, "made");
    assert.deepEqual(requests, [createOnly]);
  });

  it("looks at the object that exists although the cache has none", async () => {
    const conflict = refused(409, "Conflict");
    const once = () => {
      const errors = [conflict];
      return { refuse: () => errors.shift() };
    };
    const live = [mine("p", { of: "y" })];
    const { set, requests, overtaken } = arrangeSet([], { ...once(), live });
    await applyChild(set, wanted("x"));
    assert.deepEqual(requests, [createOnly, updated]);
    assert.deepEqual(overtaken, []);
    const gone = arrangeSet([], { ...once(), live: [] });
    await assert.rejects(applyChild(gone.set, wanted("x")), isConflict);
    assert.deepEqual(gone.overtaken, [conflict]);
  });

  it("is overtaken by a conflict; other errors are its own", async () => {
    for (const [error, isOvertaken] of [
      [refused(409, "Conflict"), true],
      [refused(403, "Forbidden"), false],
    ] as const) {
      const { set, overtaken } = arrangeSet([mine("p", { of: "y" })], { refuse: () => error });
      await assert.rejects(applyChild(set, wanted("x")), (thrown) => thrown === error);
      assert.deepEqual(overtaken, isOvertaken ? [error] : []);
    }
    const refusing = arrangeSet([], { refuse: () => refused(403, "Forbidden") });
    await assert.rejects(applyChild(refusing.set, wanted("x")), isForbidden);
  });

  it("begins no request once the run has ended", async () => {
    const assertRunning = () => {
      throw new Error("ended");
    };
    const { set, requests } = arrangeSet([], { assertRunning });
    await assert.rejects(applyChild(set, wanted("x")), /ended/);
    assert.deepEqual(requests, []);
  });
});

describe("whether an apply would change something", () => {
  const { set } = arrangeSet();

  it("compares what this manager owns, without what identifies the object and without nothing", () => {
    assert.equal(isApplied(set, mine("p", { of: "x" }), wanted("x")), true);
    assert.equal(isApplied(set, mine("p", { of: "x" }), wanted("y")), false);
    assert.equal(isApplied(set, mine("p", { of: "x", applied: ["another"] }), wanted("x")), false);
    const empty = { ...wanted("x"), status: {}, list: [], nothing: null, spec: { of: "x", a: {} } };
    assert.equal(isApplied(set, mine("p", { of: "x" }), empty), true);
    assert.equal(isApplied(set, mine("p", { of: "x" }), { ...wanted("x"), ...{ more: 1 } }), false);
  });

  it("learns how the server stores an intent, for this object and this intent", () => {
    const lower = mine("p", { of: "x" });
    assert.equal(isApplied(set, lower, wanted("X")), false);
    learnStored(set, lower, wanted("X"));
    assert.equal(isApplied(set, lower, wanted("X")), true);
    assert.equal(isApplied(set, lower, wanted("Y")), false);
    assert.equal(isApplied(set, mine("q", { of: "x" }), wanted("X")), false);
    assert.equal(isApplied(set, mine("p", { of: "changed" }), wanted("X")), false);
    learnStored(set, mine("r", { of: "x", applied: [] }), wanted("X"));
    assert.equal(isApplied(set, mine("r", { of: "x" }), wanted("X")), false);
  });
});
