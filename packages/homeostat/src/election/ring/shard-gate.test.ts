// A slot is drained when the last reconcile in it has ended, and not before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ShardGate } from "./shard-gate.ts";
import { listSlots, toSlotSet } from "./slot-set.ts";

const slots = 16;
const some = (...wanted: readonly number[]) => toSlotSet(wanted, slots);

function arrange() {
  const drained: (readonly number[])[] = [];
  const gate = new ShardGate(slots, (set) => void drained.push(listSlots(set)));
  return { gate, drained: () => drained.splice(0) };
}

test("reconciles begin in slots that are held, and in no others", () => {
  const { gate } = arrange();
  assert.equal(gate.begin(3), false);
  gate.gain(some(3, 15));
  assert.deepEqual([gate.begin(3), gate.begin(15), gate.begin(4)], [true, true, false]);
  gate.lose(some(3));
  assert.deepEqual([gate.begin(3), gate.begin(15)], [false, true]);
});

test("a slot that is lost is drained once the last of its reconciles has ended", () => {
  const { gate, drained } = arrange();
  gate.gain(some(1, 2, 3));
  gate.begin(1);
  gate.begin(1);
  gate.begin(2);
  gate.end(2);
  assert.deepEqual(drained(), [], "it is still held");
  gate.lose(some(1, 2));
  assert.deepEqual(drained(), [[2]]);
  assert.deepEqual(listSlots(gate.draining()), [1]);
  gate.end(1);
  assert.deepEqual(drained(), [], "another one still runs there");
  assert.deepEqual(listSlots(gate.draining()), [1]);
  gate.end(1);
  assert.deepEqual([drained(), listSlots(gate.draining())], [[[1]], []]);
});

test("a slot that is held again before it was drained is not given up", () => {
  const { gate, drained } = arrange();
  gate.gain(some(1));
  gate.begin(1);
  gate.lose(some(1));
  gate.gain(some(1));
  gate.end(1);
  assert.deepEqual([drained(), gate.begin(1)], [[], true]);
});

test("at the end all that is held is lost, and nothing else is", () => {
  const { gate, drained } = arrange();
  gate.gain(some(0, 5, 15));
  gate.begin(5);
  const lost: number[] = [];
  const gained: number[] = [];
  const all = Array.from({ length: slots }, (_, slot) => slot);
  const follower = gate.follow({
    gained: (isGained) => void gained.push(...all.filter(isGained)),
    lost: (isLost) => void lost.push(...all.filter(isLost)),
  });
  gate.gain(some(7));
  gate.close();
  assert.deepEqual([gained, lost, drained()], [[7], [0, 5, 7, 15], [[0, 7, 15]]]);
  follower.remove();
  gate.gain(some(9));
  assert.deepEqual(gained, [7]);
});
