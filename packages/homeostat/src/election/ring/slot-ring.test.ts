// Slots, their text, and how few of them move.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ringSlots, slotOf, slotsFor } from "./slot-ring.ts";
import {
  allSlots,
  countSlots,
  formatSlots,
  listSlots,
  noSlots,
  parseSlots,
  toSlotSet,
  without,
} from "./slot-set.ts";

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 30 }), {
  minLength: 1,
  maxLength: 8,
});

describe("a set of slots", () => {
  it("is what was put in, also as text", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(63)), (slots) => {
        const sorted = slots.toSorted((a, b) => a - b);
        const set = toSlotSet(slots, 64);
        assert.deepEqual(listSlots(set), sorted);
        assert.equal(parseSlots(formatSlots(set, 64), 64), set);
      }),
    );
  });

  it("is not read from what another number of slots has, nor from what is no set", () => {
    for (const text of [undefined, "", "fff", "fffff", "xyza", "FFFF", "-fff"])
      assert.equal(parseSlots(text, 16), undefined, String(text));
    assert.equal(parseSlots("7ff", 10), undefined);
    assert.equal(parseSlots("3ff", 10), allSlots(10));
  });
});

describe("the ring", () => {
  it("gives each slot to exactly one member, in whatever order they are named", () => {
    fc.assert(
      fc.property(names, (members) => {
        let seen = noSlots;
        for (const member of members) {
          const slots = slotsFor(member, members.toReversed(), 64);
          assert.equal(seen & slots, noSlots);
          seen |= slots;
        }
        assert.equal(seen, allSlots(64));
      }),
    );
  });

  it("moves slots only to the one that joins, and only from the one that leaves", () => {
    fc.assert(
      fc.property(names, fc.string(), (members, joining) => {
        fc.pre(!members.includes(joining));
        for (const member of members) {
          const before = slotsFor(member, members, 64);
          const after = slotsFor(member, [...members, joining], 64);
          assert.equal(without(after, before), noSlots);
        }
      }),
    );
  });

  it("shares alike: with three replicas each has a third of the slots, and of 10,000 keys", () => {
    const keys = Array.from({ length: 10_000 }, (_, i) => `team-${i % 7}/order-${i}`);
    for (let ring = 0; ring < 20; ring++) {
      const members = ["a", "b", "c"].map((name) => `orders-${ring}-${name}_host`);
      for (const member of members) {
        const slots = slotsFor(member, members, ringSlots);
        const own = new Set(listSlots(slots));
        assertNear(countSlots(slots) / ringSlots);
        assertNear(keys.filter((key) => own.has(slotOf(key, ringSlots))).length / keys.length);
      }
    }
  });

  it("never changes: replicas of different versions share one", () => {
    const slots = slotsFor("a", ["a", "b", "c"], 64);
    assert.deepEqual(
      [slotOf("kitchen/soup", ringSlots), slotOf("", ringSlots), formatSlots(slots, 64)],
      [712, 11, "006c63441cb041c3"],
    );
  });
});

const assertNear = (share: number): void =>
  assert.ok(Math.abs(share - 1 / 3) <= 0.05, `a share of ${share}`);
