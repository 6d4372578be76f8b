import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WritePace } from "./write-pace.ts";

/** Another writer undoes each write at once; returns the pauses. */
function contest(pace: WritePace, rounds: number, at: number): number[] {
  let now = at;
  return Array.from({ length: rounds }, () => {
    const waitMs = pace.waitMs("ours", now);
    now += waitMs;
    assert.equal(pace.waitMs("ours", now), 0, "asked twice, it counts once");
    pace.wrote("ours", now);
    return waitMs;
  });
}

describe("the pace of writes that are undone", () => {
  it("is free for the first, the second, and another text, and then slows down to 30 s", () => {
    const pace = new WritePace();
    const pauses = contest(pace, 9, 0);
    assert.deepEqual(pauses, [0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert.equal(pace.waitMs("another", 91_001), 0);
    assert.equal(pace.waitMs("ours", 91_001), 29_999);
  });

  it("is free again once a write has stood for 5 s", () => {
    const pace = new WritePace();
    contest(pace, 2, 0);
    assert.equal(pace.isContested, false);
    assert.equal(pace.restMs(1), Infinity);
    contest(pace, 1, 10);
    assert.equal(pace.isContested, true);
    assert.equal(pace.restMs(2000), 4000);
    assert.equal(pace.waitMs("ours", 2000), 1000);
    assert.equal(pace.restMs(2000), Infinity, "it was undone");
    pace.wrote("ours", 3000);
    assert.equal(pace.restMs(8000), Infinity);
    assert.equal(pace.isContested, false);
    assert.deepEqual(contest(pace, 2, 20_000), [0, 1000]);
  });

  it("does not count what changes late", () => {
    const pace = new WritePace();
    contest(pace, 1, 0);
    for (const at of [5000, 10_000, 15_000]) assert.deepEqual(contest(pace, 1, at), [0]);
    assert.equal(pace.isContested, false);
  });
});
