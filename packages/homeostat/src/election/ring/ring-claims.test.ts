// The decisions of one member of a ring, step by step: what ends a claim, and what does not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultTimings } from "../election-timings.ts";
import { ringDue, stepRing } from "./ring.machine.ts";
import {
  initialRing,
  type MemberRecord,
  ownedSlots,
  type RingEffect,
  type RingInput,
  type RingLimits,
  type RingState,
} from "./ring-state.ts";
import { slotsFor } from "./slot-ring.ts";
import { allSlots, noSlots, type SlotSet } from "./slot-set.ts";

const limits: RingLimits = { ...defaultTimings, name: "lease-me", identity: "me", slots: 16 };
const every = allSlots(16);
const ours = slotsFor("me", ["me", "you"], 16);
const theirs = slotsFor("you", ["me", "you"], 16);

/** A member, and what it asked for. */
class Member {
  state: RingState = initialRing;
  at = 0;
  chance = 0;

  take(input: RingInput): readonly RingEffect[] {
    const now = { at: this.at, wall: 1e12 + this.at, chance: this.chance };
    const { state, effects } = stepRing(this.state, input, now, limits);
    this.state = state;
    return effects;
  }

  tick(at: number): readonly string[] {
    this.at = at;
    return this.names({ type: "tick" });
  }

  names(input: RingInput): readonly string[] {
    return this.take(input).map(nameOf);
  }

  listed(records: readonly MemberRecord[], version: number): readonly string[] {
    return this.names({ type: "listed", records, resourceVersion: String(version) });
  }

  wrote(version: number): readonly string[] {
    return this.names({ type: "wrote", own: { uid: "me", resourceVersion: String(version) } });
  }

  get due(): number {
    return ringDue(this.state, limits);
  }

  get owned(): SlotSet {
    return ownedSlots(this.state);
  }
}

function nameOf(effect: RingEffect): string {
  if (effect.do === "lost") return `lost: ${effect.why}`;
  if (effect.do === "remove") return `remove ${effect.other.name}@${effect.other.resourceVersion}`;
  return effect.do;
}

function you(claims: SlotSet, version: number, more: Partial<MemberRecord> = {}): MemberRecord {
  const about = { name: "lease-you", uid: "you", identity: "you", durationMs: 15_000 };
  const renewTime = String(version);
  return {
    ...about,
    resourceVersion: String(version),
    claims,
    isLeaving: false,
    renewTime,
    ...more,
  };
}

const me = (claims: SlotSet, version: number): MemberRecord =>
  you(claims, version, { name: "lease-me", uid: "me", identity: "me" });

/** Alone with all slots, at 0, at version 10. */
function alone(): Member {
  const member = new Member();
  assert.deepEqual(member.tick(0), ["list"]);
  assert.deepEqual(member.listed([], 5), ["write"]);
  assert.deepEqual(member.wrote(10), ["joined", "list"]);
  assert.deepEqual(member.listed([me(every, 10)], 11), ["gain"]);
  assert.equal(member.owned, every);
  return member;
}

/** With its half, while the other has its own, at 0. */
function half(): Member {
  const member = new Member();
  member.tick(0);
  member.listed([you(theirs, 4)], 5);
  member.wrote(10);
  member.listed([me(ours, 10), you(theirs, 4)], 11);
  assert.equal(member.owned, ours);
  return member;
}

describe("a member", () => {
  it("claims, lists, and holds what no other claims", () => {
    const member = new Member();
    member.tick(0);
    const [write] = member.take({ type: "listed", records: [you(every, 4)], resourceVersion: "5" });
    assert.deepEqual(write, { do: "write", claims: ours, isLeaving: false, over: undefined });
    member.wrote(10);
    assert.deepEqual(member.listed([me(ours, 10), you(every, 4)], 11), []);
    assert.equal(member.owned, noSlots);
    assert.deepEqual(member.names({ type: "saw", record: you(theirs, 12) }), ["gain"]);
    assert.equal(member.owned, ours);
  });

  it("holds nothing by a list that was sent before its claim was at the server", () => {
    const member = alone();
    member.names({ type: "saw", record: you(every, 12) });
    member.take({ type: "drained", slots: theirs });
    member.wrote(13);
    // The other one is gone, and with it what it has claimed.
    member.at = 100;
    member.state = { ...member.state, mustList: true };
    assert.deepEqual(member.tick(100), ["list"]);
    assert.deepEqual(member.names({ type: "deleted", record: you(noSlots, 14) }), ["write"]);
    member.wrote(15);
    assert.deepEqual(member.listed([me(every, 13)], 14), ["list"]);
    assert.equal(member.owned, ours);
    assert.deepEqual(member.listed([me(every, 15)], 15), ["gain"]);
  });

  it("withdraws a claim when nothing is reconciled there any more, and asks anew afterwards", () => {
    const member = alone();
    const effects = member.take({ type: "saw", record: you(theirs, 12) });
    assert.deepEqual(effects, [{ do: "lose", slots: theirs }]);
    assert.equal(member.owned, ours);
    const [write] = member.take({ type: "drained", slots: theirs });
    assert.ok(write?.do === "write" && write.claims === ours);
    // From the sending on others may hold them, whether it is answered or not.
    assert.deepEqual(member.names({ type: "deleted", record: you(noSlots, 13) }), []);
    assert.equal(member.owned, ours);
    member.take({ type: "writeFailed", fault: "failed", error: "no answer" });
    member.at = 2000;
    const [again] = member.take({ type: "tick" });
    assert.ok(again?.do === "write" && again.claims === every);
    member.wrote(14);
    // The first list was sent before the write.
    assert.deepEqual(member.listed([me(every, 14)], 14), ["list"]);
    assert.equal(member.owned, ours);
    assert.deepEqual(member.listed([me(every, 14)], 14), ["gain"]);
  });

  it("does not hold what it left out and claims again, by the list in between", () => {
    const member = alone();
    assert.deepEqual(member.tick(5000), ["write", "list"]);
    member.wrote(20);
    member.names({ type: "saw", record: you(theirs, 21) });
    assert.deepEqual(member.names({ type: "drained", slots: theirs }), ["write"]);
    member.wrote(22);
    assert.deepEqual(member.names({ type: "deleted", record: you(noSlots, 23) }), ["write"]);
    member.wrote(24);
    member.listed([me(every, 20)], 20);
    assert.equal(member.owned, ours);
  });

  it("takes back what it has not withdrawn yet", () => {
    const member = alone();
    member.names({ type: "saw", record: you(theirs, 12) });
    assert.deepEqual(member.names({ type: "deleted", record: you(noSlots, 13) }), ["gain"]);
    assert.equal(member.owned, every);
  });

  it("respects what it has not understood as a claim to all", () => {
    const member = new Member();
    member.tick(0);
    member.listed([you(every, 4)], 5);
    member.wrote(10);
    member.listed([me(ours, 10), you(every, 6)], 11);
    assert.equal(member.owned, noSlots);
  });
});

describe("another member's claims", () => {
  it("end when its Lease has expired here and is deleted as it was seen", () => {
    const member = half();
    member.at = 4000;
    member.names({ type: "saw", record: you(theirs, 12) });
    keepAlive(member, 18_999);
    assert.ok(member.tick(19_000).includes("remove lease-you@12"));
    assert.equal(member.owned, ours);
    member.names({ type: "removed" });
    claimAll(member, 19_100, 19_100);
    assert.equal(member.owned, every);
  });

  it("stay when it has renewed its Lease before the deletion", () => {
    const member = half();
    expire(member);
    assert.deepEqual(member.names({ type: "askFailed", fault: "changed", error: "409" }), ["list"]);
    member.listed([me(ours, 14_000), you(theirs, 14_500)], 14_501);
    assert.equal(member.owned, ours);
    assert.equal(member.tick(29_000).includes("remove lease-you@14500"), false);
  });

  it("stay until it would have expired when a stranger deletes its Lease", () => {
    const member = half();
    member.at = 3000;
    member.names({ type: "saw", record: you(theirs, 12) });
    assert.equal(
      member
        .names({ type: "deleted", record: you(theirs, 13, { renewTime: "12" }) })
        .includes("gain"),
      false,
    );
    claimAll(member, 3500, 20);
    assert.equal(member.owned, ours);
    keepAlive(member, 17_999);
    assert.equal(member.owned, ours);
    assert.ok(member.tick(18_000).includes("gain"));
    assert.equal(member.owned, every);
  });

  it("stay so also when only a list shows that it is gone", () => {
    const member = half();
    member.state = { ...member.state, mustList: true };
    member.tick(1000);
    member.listed([me(ours, 10)], 15);
    claimAll(member, 1500, 20);
    assert.equal(member.owned, ours);
    keepAlive(member, 14_999);
    assert.ok(member.tick(15_000).includes("gain"));
  });

  it("count from now on when its last renewal was not seen", () => {
    const member = half();
    member.at = 14_000;
    member.state = { ...member.state, renewed: { at: 14_000, wall: 1e12 + 14_000 } };
    member.names({ type: "deleted", record: you(theirs, 13, { renewTime: "12" }) });
    claimAll(member, 14_000, 20);
    keepAlive(member, 28_999);
    assert.equal(member.owned, ours);
    assert.ok(member.tick(29_000).includes("gain"));
  });

  it("are those of the newest version that was seen", () => {
    const member = alone();
    member.names({ type: "saw", record: you(noSlots, 14) });
    member.names({ type: "saw", record: you(every, 13) });
    const known = member.state.others.get("you");
    assert.equal(known?.claims, noSlots);
  });

  it("do not come back by an event that is older than its end", () => {
    const member = alone();
    member.names({ type: "saw", record: you(noSlots, 12) });
    member.names({ type: "deleted", record: you(noSlots, 14) });
    member.names({ type: "saw", record: you(every, 13) });
    assert.equal(member.state.others.size, 0);
  });

  it("stay when a list is older than its Lease", () => {
    const member = alone();
    member.state = { ...member.state, mustList: true };
    member.tick(100);
    member.names({ type: "saw", record: you(theirs, 20) });
    member.listed([me(every, 10)], 15);
    assert.equal(member.state.others.size, 1);
  });
});

describe("a member's right to write", () => {
  it("ends at the deadline after the sending of its last renewal, whenever it was answered", () => {
    const member = alone();
    assert.ok(member.tick(2000).includes("write"));
    member.at = 9000;
    member.wrote(20);
    assert.equal(member.state.renewed?.at, 2000);
    member.tick(9000);
    member.names({ type: "writeFailed", fault: "failed", error: "no answer" });
    member.tick(11_999);
    assert.equal(member.owned, every);
    assert.match(
      member.tick(12_000).join(),
      /lost: its Lease was not renewed within 10 s: no answer/,
    );
    assert.equal(member.owned, noSlots);
    assert.equal(member.due, Infinity);
    assert.deepEqual(member.names({ type: "saw", record: me(every, 30) }), [], "it has ended");
  });

  it("does not begin by an answer that comes too late", () => {
    const member = new Member();
    member.tick(0);
    member.listed([], 5);
    member.at = 10_000;
    assert.deepEqual(member.wrote(10), ["write"]);
    member.at = 10_100;
    assert.deepEqual(member.wrote(11), ["joined", "list"]);
  });

  it("ends when its Lease is deleted, or was changed by another", () => {
    const deleted = { type: "deleted", record: me(every, 12) } as const;
    assert.deepEqual(alone().names(deleted), ["lost: its Lease was deleted"]);
    const changed = { type: "saw", record: me(noSlots, 12) } as const;
    assert.deepEqual(alone().names(changed), ["lost: another client has changed its Lease"]);
    const gone = alone();
    gone.tick(2000);
    const failed = { type: "writeFailed", fault: "gone", error: "404" } as const;
    assert.deepEqual(gone.names(failed), ["lost: its Lease was deleted"]);
    const missing = alone();
    missing.state = { ...missing.state, mustList: true };
    missing.tick(100);
    assert.deepEqual(missing.listed([], 15), ["lost: its Lease was deleted"]);
  });

  it("does not end by what an older version of its Lease says, or another Lease of its name", () => {
    const member = alone();
    assert.deepEqual(member.names({ type: "saw", record: me(noSlots, 9) }), []);
    const other = { ...me(noSlots, 12), uid: "old" };
    assert.deepEqual(member.names({ type: "deleted", record: other }), []);
    assert.equal(member.owned, every);
  });

  it("ends when its Lease was made again by another", () => {
    const record = { ...me(every, 12), uid: "other" };
    assert.deepEqual(alone().names({ type: "saw", record }), ["lost: its Lease was deleted"]);
  });

  it("is not longer for one that leaves", () => {
    const member = alone();
    member.tick(9000);
    member.names({ type: "leave" });
    assert.match(member.tick(10_000).join(), /lost: its Lease was not renewed within 10 s$/);
  });

  it("outlasts a write that met another version, and one that failed", () => {
    const member = alone();
    assert.ok(member.tick(2000).includes("write"));
    const changed = { type: "writeFailed", fault: "changed", error: "409" } as const;
    assert.deepEqual(member.names(changed), []);
    member.listed([me(every, 12)], 12);
    assert.deepEqual(member.tick(2049), []);
    assert.deepEqual(member.tick(2050), ["write"]);
    member.at = 2500;
    member.names({ type: "writeFailed", fault: "failed", error: "no answer" });
    assert.equal(member.tick(4049).includes("write"), false);
    assert.ok(member.tick(4050).includes("write"), "a period after it was sent");
    assert.equal(member.state.phase, "member");
  });

  it("ends at once for one that leaves before it has a Lease", () => {
    const member = new Member();
    member.tick(0);
    assert.deepEqual(member.names({ type: "leave" }), ["ended"]);
  });

  it("is given up by one that leaves while it makes its Lease, if it gets it", () => {
    const leaving = (): Member => {
      const member = new Member();
      member.tick(0);
      member.listed([], 5);
      assert.deepEqual(member.names({ type: "leave" }), []);
      return member;
    };
    const member = leaving();
    assert.deepEqual(member.wrote(10), ["write"]);
    assert.deepEqual(member.wrote(11), ["delete"]);
    assert.deepEqual(member.wrote(11), ["ended"]);
    const failed = { type: "writeFailed", fault: "failed", error: "no answer" } as const;
    assert.deepEqual(leaving().names(failed), ["ended"]);
  });

  it("ends with its Lease: first its claims, then itself", () => {
    const member = alone();
    const [lose, write] = member.take({ type: "leave" });
    assert.deepEqual(lose, { do: "lose", slots: every });
    assert.ok(write?.do === "write" && write.isLeaving && write.claims === every);
    member.wrote(20);
    const [empty] = member.take({ type: "drained", slots: every });
    assert.ok(empty?.do === "write" && empty.claims === noSlots);
    assert.deepEqual(member.wrote(21), ["delete"]);
    const { state } = member;
    assert.deepEqual(member.names({ type: "deleted", record: me(noSlots, 22) }), []);
    assert.deepEqual(member.wrote(21), ["ended"]);
    member.state = state;
    const failed = { type: "writeFailed", fault: "failed", error: "no answer" } as const;
    assert.deepEqual(member.names(failed), ["ended"]);
  });
});

describe("a member asks", () => {
  it("when its Lease is to be renewed, and rarely beside a watch that runs", () => {
    const member = alone();
    assert.equal(member.due, 2000);
    member.names({ type: "watching", is: true });
    assert.equal(member.state.pollAt, 5000);
    assert.equal(member.due, 2000);
    member.at = 1000;
    member.names({ type: "watching", is: false });
    assert.equal(member.state.pollAt, 3000, "a watch that breaks is news");
    member.at = 2500;
    member.names({ type: "watching", is: false });
    assert.equal(member.state.pollAt, 3000, "one that cannot be opened is none");
  });

  it("when a deleted Lease of another would have expired", () => {
    const member = half();
    member.at = 14_900;
    const now = { at: 14_900, wall: 1e12 + 14_900 };
    member.state = { ...member.state, renewed: now, pollAt: 19_000 };
    member.names({ type: "deleted", record: you(theirs, 13, { renewTime: "4" }) });
    for (const version of [20, 21, 22]) answer(member, version);
    assert.equal(member.due, 15_000);
  });

  it("again after a fault, with jitter", () => {
    const member = new Member();
    member.chance = 0.5;
    member.tick(0);
    member.names({ type: "askFailed", fault: "failed", error: "no answer" });
    assert.equal(member.due, 3200);
  });
});

/** The other one is silent until it has expired, while this one lives. */
function expire(member: Member): void {
  keepAlive(member, 14_999);
  assert.deepEqual(member.tick(15_000).filter((one) => one.startsWith("remove")).length, 1);
}

/** Renews, and lists whenever it is asked for. */
function keepAlive(member: Member, until: number): void {
  for (let at = member.at; at <= until; at = Math.min(at + 1000, until + (at === until ? 1 : 0))) {
    member.tick(at);
    answer(member, 100 + at);
    if (at === until) return;
  }
}

function answer(member: Member, version: number): void {
  const { writing, asking, others } = member.state;
  if (writing) member.wrote(version);
  const present = [...others.values()].filter(({ isDeleted }) => !isDeleted);
  if (asking?.what === "list")
    member.listed([me(member.state.claimed, version), ...present], version);
}

/** It claims all slots, which the server confirms. */
function claimAll(member: Member, at: number, version: number): void {
  member.tick(at);
  for (let i = 0; i < 4; i++) answer(member, version + i);
  assert.equal(member.state.confirmed, every);
}
