import assert from "node:assert/strict";
import { test } from "node:test";
import { nextStep, secondsOf } from "./ttl.ts";

/** What nodes are told while their number goes from one to another. */
function secondsAfter(...numbers: readonly number[]): readonly number[] {
  let [nodes, step] = [0, 0];
  return numbers.map((number) => {
    while (nodes !== number) {
      nodes += Math.sign(number - nodes);
      step = nextStep(step, nodes);
    }
    return secondsOf(step);
  });
}

test("the TTL grows with the number of nodes; small decreases keep it", () => {
  assert.deepEqual(secondsAfter(100, 101, 90, 89), [0, 15, 15, 0]);
  assert.deepEqual(secondsAfter(5000, 1800, 1799, 1), [300, 300, 60, 0]);
});
