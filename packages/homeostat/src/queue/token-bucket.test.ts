// The rate of retries: the bucket alone, and with the back-off of each key.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TokenBucket } from "./token-bucket.ts";
import { WorkQueueMachine } from "./workqueue.machine.ts";

const limits = { firstMs: 5, maxMs: 1_000_000, causesKept: 3, idleKept: 4 };

describe("TokenBucket", () => {
  it("gives a burst at once, then one after another, and refills while it rests", () => {
    const bucket = new TokenBucket({ qps: 10, burst: 3 });
    const at = (now: number): number => Math.round(bucket.reserve(now));
    assert.deepEqual([at(0), at(0), at(0), at(0), at(0)], [0, 0, 0, 100, 200]);
    assert.equal(at(200), 100, "the debt is paid first");
    assert.deepEqual(
      [at(5000), at(5000), at(5000), at(5000)],
      [0, 0, 0, 100],
      "no more than burst",
    );
  });

  it("never allows more than the burst and what the time since then yields", () => {
    fc.assert(
      fc.property(
        fc.record({ qps: fc.integer({ min: 1, max: 50 }), burst: fc.integer({ min: 1, max: 20 }) }),
        fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 100 }),
        (rate, pauses) => {
          const bucket = new TokenBucket(rate);
          let now = 0;
          const allowed = pauses.map((ms) => (now += ms) + bucket.reserve(now));
          for (let from = 0; from < allowed.length; from++)
            for (let to = from; to < allowed.length; to++) {
              const most = rate.burst + ((allowed[to]! - allowed[from]!) / 1000) * rate.qps;
              assert.ok(to - from + 1 <= most + 1e-6, `${to - from + 1} of ${most}`);
            }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("WorkQueueMachine with a retry rate", () => {
  const create = () => new WorkQueueMachine({ ...limits, retryRate: { qps: 10, burst: 2 } });

  it("retries after the longer of back-off and rate", () => {
    const queue = create();
    const delays = ["a", "b", "c", "d"].map((key) => queue.addRateLimited(key, 0, 0));
    assert.deepEqual(delays.map(Math.round), [5, 5, 100, 200]);
    const again = Array.from({ length: 8 }, () => queue.addRateLimited("a", 10_000, 0));
    assert.deepEqual(again.map(Math.round), [10, 20, 100, 200, 300, 400, 640, 1280]);
  });

  it("an earlier turn of a retry keeps to the rate, and a change does not", () => {
    const queue = create();
    for (const key of ["a", "b", "c"]) queue.addRateLimited(key, 0, 0);
    for (let i = 0; i < 20; i++) queue.addRateLimited("b", 0, 0);
    queue.add("c", 1, 1, { isRetry: true });
    assert.equal(queue.explain("c", 1, 1)?.state, "delayed");
    queue.tick(100);
    const keys = [queue.take(100)?.key, queue.take(100)?.key, queue.take(100)?.key];
    assert.deepEqual(keys, ["a", "b", "c"]);
    for (const key of ["a", "b", "c"]) queue.done(key, 100);
    queue.addRateLimited("c", 100, 100);
    queue.add("c", 100, 100);
    assert.equal(queue.take(100)?.key, "c");
  });

  it("brings a retry forward to the moment of its rate", () => {
    const queue = create();
    for (let i = 0; i < 6; i++) queue.addRateLimited("slow", i * 1000, 0);
    const backoff = queue.explain("slow", 5000, 5000)?.dueAt;
    assert.equal(backoff, 5, "the earliest of several moments");
    queue.tick(5000);
    queue.take(5000);
    queue.done("slow", 5000);
    assert.equal(Math.round(queue.addRateLimited("slow", 5000, 0)), 320);
    queue.add("slow", 5000, 5000, { isRetry: true });
    assert.equal(queue.take(5000)?.key, "slow");
  });

  it("a delay of its own counts no failure, and takes a token", () => {
    const queue = create();
    const conflict = (): number => Math.round(queue.addRateLimited("a", 0, 0, { backoffMs: 0 }));
    assert.deepEqual([conflict(), conflict(), conflict()], [0, 0, 100]);
    assert.equal(queue.explain("a", 0, 0)?.failures, 0);
  });
});
