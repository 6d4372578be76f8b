import assert from "node:assert/strict";
import { it } from "node:test";
import { withDeleted, withListed, withRemoved, withSeen } from "./other-members.ts";
import type { MemberRecord } from "./ring-state.ts";
import { noSlots, toSlotSet } from "./slot-set.ts";

const nobody = { others: new Map(), gone: new Set<string>() };
const dead: MemberRecord = {
  name: "dead",
  uid: "u",
  resourceVersion: "5",
  identity: "dead",
  durationMs: 15_000,
  renewTime: "2026-01-01T00:00:00.000000Z",
  claims: toSlotSet([1, 2], 8),
  isLeaving: false,
};

it("a member that was removed when it had expired does not come back with the event of that", () => {
  const seen = withSeen(nobody, dead, 1000);
  const removed = withRemoved(seen, "u");
  assert.equal(withDeleted(removed, { ...dead, resourceVersion: "6" }, 17_000).others.size, 0);
  assert.equal(withSeen(removed, { ...dead, resourceVersion: "4" }, 17_000).others.size, 0);
});

it("a member whose Lease another deletes keeps its slots until it would have expired", () => {
  const seen = withSeen(nobody, dead, 1000);
  const deleted = withDeleted(seen, { ...dead, resourceVersion: "6" }, 9000);
  const { changedAt, isDeleted, claims } = deleted.others.get("u")!;
  assert.deepEqual([changedAt, isDeleted, claims], [1000, true, dead.claims]);
  const again = withDeleted(deleted, { ...dead, resourceVersion: "6" }, 12_000);
  assert.equal(again.others.get("u")!.changedAt, 1000);
  const renewed = { ...dead, resourceVersion: "6", renewTime: "2026-01-01T00:00:02.000000Z" };
  assert.equal(withDeleted(seen, renewed, 9000).others.get("u")!.changedAt, 9000, "unseen renewal");
});

it("a member without slots is gone with its Lease, and stays gone until no list shows it", () => {
  const idle = { ...dead, claims: noSlots };
  const gone = withDeleted(withSeen(nobody, idle, 1000), idle, 2000);
  assert.equal(gone.others.size, 0);
  const older = withListed(gone, [idle], { at: 3000, resourceVersion: "5" });
  assert.equal(older.others.size, 0);
  assert.deepEqual([...older.gone], ["u"]);
  assert.equal(withListed(older, [], { at: 4000, resourceVersion: "9" }).gone.size, 0);
});
