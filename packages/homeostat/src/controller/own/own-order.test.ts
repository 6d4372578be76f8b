// The order between sets, without requests: what waits for what.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { arrangeSet, manager, mine, Part } from "./arrange-set.suite.ts";
import { OwnOrder, unreadyOf } from "./own-order.ts";

const disorder = (message: RegExp, hint: RegExp) => (error: unknown) =>
  isHomeostatError(error, "ERR_OWN_ORDER") && message.test(error.message) && hint.test(error.hint);

/** A set with its own manager over `cached` members. */
function setOf(name: string, ...cached: readonly string[]) {
  const own = `${manager}/${name}`;
  const objects = cached.map((one) => mine(one, { applied: [own] }));
  return arrangeSet(objects, { manager: own });
}

describe("the order of sets", () => {
  it("holds a set while one before it is not ready, not one of the same order", () => {
    const order = new OwnOrder({ isFinal: false });
    const { set } = setOf("a");
    const desired = new Set<string>();
    assert.equal(order.admits(set, 1), true);
    order.add({ set, order: 1, desired, isHeld: false, unready: ["Part p to be ready"] });
    assert.equal(order.admits(set, 1), true);
    assert.equal(order.waiting(), undefined);
    assert.equal(order.admits(set, 2), false);
    assert.equal(order.waiting(), "Part p to be ready");
    assert.equal(order.admits(set, 3), false);
    assert.equal(order.waiting(), "Part p to be ready", "each is named once");
  });

  it("is refused when calls come in another order, or without a number", () => {
    const { set } = setOf("a");
    const order = new OwnOrder({ isFinal: false });
    order.admits(set, 2);
    assert.throws(
      () => order.admits(set, 1),
      disorder(/1 comes after order 2; the objects/, /lowest/),
    );
    const last = new OwnOrder({ isFinal: true });
    assert.equal(last.admits(set, 1), true);
    assert.throws(
      () => last.admits(set, 2),
      disorder(/2 comes after order 1; in finalize/, /highest/),
    );
    for (const wrong of [NaN, Infinity])
      assert.throws(
        () => new OwnOrder({ isFinal: false }).admits(set, wrong),
        disorder(/expected a number/, /finite/),
      );
  });

  it("in finalize nothing waits for readiness", () => {
    const { set } = setOf("a");
    const order = new OwnOrder({ isFinal: true });
    order.admits(set, 2);
    order.add({ set, order: 0, desired: new Set(), isHeld: false, unready: ["Part p"] });
    assert.equal(order.admits(set, 1), true);
    assert.equal(order.waiting(), undefined);
  });

  it("deletes the last set first, and an earlier one when the later ones are gone and ready", async () => {
    const first = setOf("first", "a");
    const second = setOf("second", "b");
    const none = new Set<string>();
    const pruned = async (unready: readonly string[]) => {
      const order = new OwnOrder({ isFinal: false });
      order.add({ set: first.set, order: 1, desired: none, isHeld: false, unready: [] });
      order.add({ set: second.set, order: 2, desired: none, isHeld: false, unready });
      await order.prune();
      const requests = [...first.requests.splice(0), ...second.requests.splice(0)];
      return { waiting: order.waiting(), requests: requests.map((one) => (one as string[])[0]) };
    };
    assert.deepEqual(await pruned(["Part c to be ready"]), {
      waiting: "Part c to be ready",
      requests: ["delete n/b"],
    });
    assert.deepEqual(await pruned([]), { waiting: undefined, requests: ["delete n/a"] });
  });

  it("an earlier set waits for the leftovers of a later one to be gone", async () => {
    const first = setOf("first", "a");
    const own = `${manager}/second`;
    const second = arrangeSet([mine("b", { applied: [own], isDeleted: true })], { manager: own });
    const order = new OwnOrder({ isFinal: false });
    const none = new Set<string>();
    order.add({ set: first.set, order: 1, desired: none, isHeld: false, unready: [] });
    order.add({ set: second.set, order: 2, desired: none, isHeld: false, unready: [] });
    await order.prune();
    assert.equal(order.waiting(), "Part b to be gone");
    assert.deepEqual([first.requests, second.requests], [[], []]);
  });

  it("a set that is held deletes nothing, and keeps what it desires from the others", async () => {
    const { set, requests } = setOf("first", "a");
    const order = new OwnOrder({ isFinal: false });
    order.add({ set, order: 2, desired: new Set(["n/moves"]), isHeld: true, unready: [] });
    await order.prune();
    assert.deepEqual(requests, []);
    assert.equal(order.isHeldBack(set, mine("moves")), true);
    assert.equal(order.isHeldBack(set, mine("other")), false);
    const otherKind = { ...set, kind: { ...Part, kind: "Other" } };
    assert.equal(order.isHeldBack(otherKind, mine("moves")), false);
    const applied = new OwnOrder({ isFinal: false });
    const desired = new Set(["n/moves"]);
    applied.add({ set, order: 1, desired, isHeld: false, unready: [] });
    assert.equal(applied.isHeldBack(set, mine("moves")), false);
  });

  it("names the objects that are not ready", () => {
    const { set } = setOf("a");
    const isReady = ({ metadata }: KubeObject): boolean => metadata.name === "a";
    assert.deepEqual(unreadyOf(set, [mine("a"), mine("b")], isReady), ["Part b to be ready"]);
  });
});
