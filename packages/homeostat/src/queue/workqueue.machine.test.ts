// Laws of the queue machine, for any order of calls: see the head of workqueue.machine.ts.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ageingPeriod } from "./ready-rings.ts";
import { type QueueLimits, WorkQueueMachine } from "./workqueue.machine.ts";

const limits: QueueLimits = { firstMs: 5, maxMs: 1_000_000, causesKept: 3, idleKept: 4 };
const create = (): WorkQueueMachine => new WorkQueueMachine(limits);

describe("WorkQueueMachine", () => {
  it("hands out a key once however often it was added", () => {
    const queue = create();
    queue.add("a", 0, 0);
    queue.add("a", 1, 1);
    assert.equal(queue.take(2)?.key, "a");
    assert.equal(queue.take(2), undefined);
  });

  it("processes a key that was added while processed again after done", () => {
    const queue = create();
    queue.add("a", 0, 0);
    queue.take(0);
    queue.add("a", 1, 1);
    assert.equal(queue.take(1), undefined, "the same key must not run twice at once");
    assert.equal(queue.explain("a", 1, 1)?.state, "processing, dirty");
    queue.done("a", 2);
    assert.equal(queue.take(2)?.key, "a");
  });

  it("keeps what it knows of keys that fail or are processed, however many others rest", () => {
    const queue = create();
    queue.addRateLimited("failing", 0, 0);
    queue.take(5);
    queue.add("running", 5, 5);
    queue.take(5);
    queue.done("failing", 6);
    for (let i = 0; i < 10; i++) {
      queue.add(`other-${i}`, 6, 6);
      queue.take(6);
      queue.done(`other-${i}`, 6);
    }
    assert.equal(queue.explain("failing", 7, 7)?.failures, 1);
    assert.equal(queue.explain("running", 7, 7)?.state, "processing");
    assert.equal(queue.explain("other-0", 7, 7), undefined);
    assert.equal(queue.explain("other-9", 7, 7)?.state, "idle");
    assert.equal(queue.addRateLimited("failing", 7, 7), 10);
  });

  it("doubles the delay per failure up to the limit, and forgets", () => {
    const queue = create();
    const delays = Array.from({ length: 20 }, () => queue.addRateLimited("a", 0, 0));
    assert.deepEqual(delays.slice(0, 5), [5, 10, 20, 40, 80]);
    assert.equal(delays.at(-1), 1_000_000);
    queue.forget("a");
    assert.equal(queue.addRateLimited("a", 0, 0), 5);
  });

  it("keeps the earliest of several moments", () => {
    const queue = create();
    queue.add("a", 0, 0, { afterMs: 100 });
    queue.add("a", 0, 0, { afterMs: 500 });
    assert.equal(queue.nextDue(), 100);
    queue.add("a", 0, 0, { afterMs: 20 });
    assert.equal(queue.nextDue(), 20);
    queue.tick(19);
    assert.equal(queue.take(19), undefined);
    queue.tick(20);
    assert.equal(queue.take(20)?.key, "a");
    assert.equal(queue.nextDue(), undefined);
  });

  it("runs live work before the initial list, and raises a key that is asked for again", () => {
    const queue = create();
    queue.add("listed", 0, 0, { priority: -100 });
    queue.add("raised", 0, 0, { priority: -100 });
    queue.add("live", 0, 0);
    queue.add("raised", 0, 0);
    assert.deepEqual(
      [queue.take(0)?.key, queue.take(0)?.key, queue.take(0)?.key],
      ["live", "raised", "listed"],
    );
    assert.equal(queue.depth().readyTotal, 0);
  });

  it("counts what becomes ready, what is added while it is processed, and delays", () => {
    const queue = create();
    queue.add("a", 0, 0);
    queue.add("a", 0, 0);
    assert.deepEqual(queue.counts(), { adds: 1, retries: 0 });
    queue.take(0);
    queue.add("a", 0, 0, { priority: 5 });
    queue.add("a", 0, 0);
    assert.deepEqual(queue.dirty(), [5]);
    assert.deepEqual(queue.counts(), { adds: 2, retries: 0 });
    queue.done("a", 1);
    assert.deepEqual([queue.counts().adds, queue.dirty()], [2, []], "it was added before");
    queue.add("b", 1, 1, { afterMs: 100 });
    queue.addRateLimited("c", 1, 1);
    assert.deepEqual(queue.counts(), { adds: 2, retries: 2 });
    queue.tick(200);
    assert.deepEqual(queue.counts(), { adds: 4, retries: 2 });
  });

  it("a key that is added again at its priority keeps its place", () => {
    const queue = create();
    for (const key of ["a", "b", "a"]) queue.add(key, 0, 0);
    assert.deepEqual([queue.take(0)?.key, queue.take(0)?.key], ["a", "b"]);
  });

  it("a key that waits for its worker or its moment keeps its highest priority", () => {
    for (const afterMs of [0, 50]) {
      const queue = create();
      queue.add("a", 0, 0, { afterMs });
      if (afterMs === 0) queue.take(0);
      for (const priority of [0, 10, 0]) queue.add("a", 1, 1, { priority, afterMs });
      queue.add("b", 1, 1, { priority: 5 });
      queue.tick(100);
      queue.done("a", 100);
      assert.deepEqual([queue.take(100)?.key, queue.take(100)?.key], ["a", "b"], `${afterMs}`);
    }
  });

  it("a retry without delay or rate is ready at once", () => {
    const queue = create();
    assert.equal(queue.addRateLimited("a", 0, 0, { backoffMs: 0 }), 0);
    assert.equal(queue.take(0)?.key, "a");
  });

  it("keeps the latest revisions of a folded cause", () => {
    const queue = create();
    for (let i = 1; i <= 10; i++)
      queue.add("a", 0, 7, { cause: { what: "changed", resourceVersion: String(i) } });
    const [cause] = queue.take(1)!.causes;
    assert.deepEqual(cause, {
      what: "changed",
      resourceVersion: "10",
      earlier: ["3", "4", "5", "6", "7", "8", "9"],
      at: 7,
      times: 10,
    });
  });

  it("records why a key waits, bounded, folding repeats", () => {
    const queue = create();
    for (const what of ["one", "two", "two", "three", "four", "five"])
      queue.add("a", 0, 7, { cause: { what } });
    const item = queue.take(1)!;
    assert.deepEqual(
      item.causes.map(({ what, times }) => [what, times]),
      [
        ["one", 1],
        ["two", 2],
        ["three", 1],
      ],
    );
    assert.equal(item.droppedCauses, 2);
    assert.deepEqual(
      item.causes[1],
      { what: "two", at: 7, times: 2 },
      "no revisions, no `earlier`",
    );
    assert.equal(item.causes[0]?.at, 7);
    queue.done("a", 2);
    assert.deepEqual(queue.explain("a", 2, 2)?.lastCauses, item.causes);
  });

  it("remembers what was seen and ignored, newest last", () => {
    const queue = create();
    for (const what of ["one", "two", "three", "four"])
      queue.ignore("a", 0, { what, source: "generation" });
    assert.deepEqual(
      queue.explain("a", 0, 0)?.ignored.map(({ what }) => what),
      ["two", "three", "four"],
    );
    assert.equal(queue.explain("a", 0, 0)?.state, "idle");
  });

  it("forgets the oldest idle keys, never failing ones", () => {
    const queue = create();
    queue.addRateLimited("failing", 0, 0);
    for (let i = 0; i < 10; i++) queue.ignore(`idle${i}`, 0, { what: "seen" });
    assert.equal(queue.explain("idle0", 0, 0), undefined);
    assert.equal(queue.explain("idle9", 0, 0)?.state, "idle");
    assert.equal(queue.explain("failing", 0, 0)?.failures, 1);
  });

  it("discards what waits, and not what is being processed", () => {
    const queue = create();
    queue.add("taken", 0, 0);
    queue.take(0);
    for (const key of ["ready", "delayed", "taken"])
      queue.add(key, 0, 0, { afterMs: key === "delayed" ? 100 : 0 });
    queue.addRateLimited("failed", 0, 0);
    for (const key of ["ready", "delayed", "failed", "taken", "unknown"]) queue.discard(key);
    assert.deepEqual(
      [queue.nextDue(), queue.take(0), queue.depth().readyTotal],
      [undefined, undefined, 0],
    );
    assert.deepEqual(
      ["ready", "failed", "taken"].map((key) => queue.explain(key, 0, 0)?.state),
      [undefined, undefined, "processing, dirty"],
    );
    queue.add("ready", 0, 0);
    assert.equal(queue.take(0)?.key, "ready");
  });

  it("drops delayed and dirty keys when closed, and hands out ready ones", () => {
    const queue = create();
    queue.add("ready", 0, 0);
    queue.add("delayed", 0, 0, { afterMs: 10 });
    queue.add("busy", 0, 0, { priority: 1 });
    assert.equal(queue.take(0)?.key, "busy");
    queue.add("busy", 0, 0);
    queue.close();
    queue.add("late", 0, 0);
    queue.done("busy", 1);
    assert.equal(queue.take(1)?.key, "ready");
    assert.equal(queue.take(100), undefined);
    assert.equal(queue.nextDue(), undefined);
  });

  it("serves a low key within a bounded number of turns under endless high work", () => {
    const queue = create();
    queue.add("low", 0, 0, { priority: -100 });
    for (let turn = 1; turn <= ageingPeriod; turn++) {
      queue.add(`high${turn}`, turn, turn);
      queue.add(`more${turn}`, turn, turn);
      const item = queue.take(turn)!;
      queue.done(item.key, turn);
      if (item.key === "low") return;
    }
    assert.fail("the low key starved");
  });
});

const keys = ["a", "b", "c", "d"] as const;
type Call = {
  readonly call: "add" | "retry" | "take" | "done" | "forget" | "ignore" | "pass";
  readonly key: (typeof keys)[number];
  readonly priority: number;
  readonly ms: number;
};
const call: fc.Arbitrary<Call> = fc.record({
  call: fc.constantFrom("add", "retry", "take", "take", "done", "done", "forget", "ignore", "pass"),
  key: fc.constantFrom(...keys),
  priority: fc.constantFrom(0, -100, 10),
  ms: fc.constantFrom(0, 0, 3, 40),
});

describe("WorkQueueMachine, for any calls", () => {
  it("loses no key and never hands out a key that is being processed", () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
        const queue = create();
        const owed = new Set<string>();
        const busy = new Set<string>();
        let now = 0;
        const take = (): string | undefined => {
          queue.tick(now);
          const item = queue.take(now);
          if (!item) return undefined;
          assert.ok(!busy.has(item.key), `${item.key} was handed out twice`);
          assert.ok(owed.delete(item.key), `${item.key} was handed out without an add`);
          busy.add(item.key);
          return item.key;
        };
        for (const { call: name, key, priority, ms } of calls) {
          if (name === "add") queue.add(key, now, now, { priority, afterMs: ms });
          if (name === "retry") queue.addRateLimited(key, now, now, { priority });
          if (name === "add" || name === "retry") owed.add(key);
          if (name === "take") take();
          if (name === "done" && busy.delete(key)) queue.done(key, now);
          if (name === "forget") queue.forget(key);
          if (name === "ignore") queue.ignore(key, now, { what: "seen" });
          if (name === "pass") now += ms;
        }
        for (const key of busy) queue.done(key, now);
        busy.clear();
        now += 2_000_000;
        for (let key = take(); key; key = take()) {
          busy.delete(key);
          queue.done(key, now);
        }
        assert.deepEqual([...owed], [], "every key that was asked for ran afterwards");
        assert.deepEqual(
          [queue.depth().readyTotal, queue.depth().delayed, queue.depth().processing],
          [0, 0, 0],
        );
      }),
      { numRuns: 300 },
    );
  });

  it("serves every ready key within a bound, whatever keeps coming at higher priorities", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, -100, -50), { minLength: 1, maxLength: 12 }),
        (priorities) => {
          const queue = create();
          const waiting = new Set(
            priorities.map((priority, i) => (queue.add(`key${i}`, i, i, { priority }), `key${i}`)),
          );
          for (let turn = 0; turn < priorities.length * ageingPeriod && waiting.size; turn++) {
            queue.add(`noise${turn}a`, 100 + turn, 0, { priority: 100 });
            queue.add(`noise${turn}b`, 100 + turn, 0, { priority: 100 });
            const item = queue.take(100 + turn)!;
            waiting.delete(item.key);
            queue.done(item.key, 100 + turn);
          }
          assert.deepEqual([...waiting], []);
        },
      ),
      { numRuns: 100 },
    );
  });
});
