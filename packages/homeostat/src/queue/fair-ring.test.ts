// Turns of groups within a priority, and ageing between priorities, for any order of calls.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ageingPeriod, ReadyRings } from "./ready-rings.ts";
import { WorkQueueMachine } from "./workqueue.machine.ts";

const limits = { firstMs: 5, maxMs: 1_000_000, causesKept: 3, idleKept: 4 };
const groupOf = (key: string): string => key.split("/")[0]!;
const create = () => new WorkQueueMachine({ ...limits, groupOf });

describe("WorkQueueMachine with groups", () => {
  it("a single key waits for one turn of a group with 10,000", () => {
    const queue = create();
    for (let i = 0; i < 10_000; i++) queue.add(`noisy/${i}`, 0, 0);
    queue.add("quiet/one", 1, 1);
    assert.deepEqual(
      [queue.take(1)?.key, queue.take(1)?.key, queue.take(1)?.key],
      ["noisy/0", "quiet/one", "noisy/1"],
    );
  });

  it("a raised key takes the turn of its group at the higher priority", () => {
    const queue = create();
    for (const key of ["a/1", "a/2", "b/1"]) queue.add(key, 0, 0, { priority: -100 });
    queue.add("a/2", 0, 0);
    const taken = Array.from({ length: 4 }, () => queue.take(0)?.key);
    assert.deepEqual(taken, ["a/2", "a/1", "b/1", undefined]);
  });

  it("a group that comes back takes its turn behind those that wait", () => {
    const queue = create();
    for (const key of ["a/1", "b/1"]) queue.add(key, 0, 0);
    assert.equal(queue.take(0)?.key, "a/1");
    for (const key of ["c/1", "a/2"]) queue.add(key, 0, 0);
    const taken = Array.from({ length: 3 }, () => queue.take(0)?.key);
    assert.deepEqual(taken, ["b/1", "c/1", "a/2"]);
  });

  it("a raised key counts at its new priority only", () => {
    const queue = create();
    for (const key of ["a/1", "a/2"]) queue.add(key, 0, 0, { priority: -100 });
    queue.add("a/1", 0, 0);
    assert.deepEqual(
      [...queue.depth().ready],
      [
        [0, 1],
        [-100, 1],
      ],
    );
  });

  it("a group whose keys were all raised gets a turn again", () => {
    const queue = create();
    for (const key of ["b/1", "a/1"]) queue.add(key, 0, 0, { priority: -100 });
    queue.add("b/1", 0, 0);
    assert.deepEqual([queue.take(0)?.key, queue.take(0)?.key], ["b/1", "a/1"]);
    queue.add("b/2", 0, 0, { priority: -100 });
    assert.equal(queue.take(0)?.key, "b/2");
  });

  it("serves each waiting group between two turns of another, for any calls", () => {
    const call = fc.record({
      call: fc.constantFrom("add", "add", "take", "raise"),
      group: fc.constantFrom("a", "b", "c"),
      key: fc.integer({ min: 0, max: 6 }),
      low: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 150 }), (calls) => {
        const queue = create();
        const waiting = new Map<string, number>();
        /** `<priority> <waiting group> <other group>`: turns of the other since it waits. */
        const turns = new Map<string, number>();
        for (const { call: name, group, key, low } of calls) {
          const id = `${group}/${key}`;
          if (name === "add") put(queue, waiting, id, low ? -100 : 0);
          if (name === "raise" && waiting.has(id)) put(queue, waiting, id, 0);
          if (name !== "take") continue;
          const item = queue.take(0);
          if (!item) continue;
          const taken = groupOf(item.key);
          const others = [...waiting].filter(
            ([one, priority]) => priority === item.priority && groupOf(one) !== taken,
          );
          assert.equal(waiting.get(item.key), item.priority);
          waiting.delete(item.key);
          for (const other of ["a", "b", "c"]) turns.delete(`${item.priority} ${taken} ${other}`);
          for (const other of new Set(others.map(([one]) => groupOf(one)))) {
            const since = `${item.priority} ${other} ${taken}`;
            turns.set(since, (turns.get(since) ?? 0) + 1);
            assert.ok(turns.get(since)! <= 1, `${other} waited for two turns of ${taken}`);
          }
          queue.done(item.key, 0);
          for (const id2 of turns.keys()) {
            const [priority, other] = id2.split(" ");
            const waits = [...waiting].some(
              ([one, at]) => String(at) === priority && groupOf(one) === other,
            );
            if (!waits) turns.delete(id2);
          }
        }
        const left = [...waiting.keys()].toSorted();
        const taken = left.map(() => queue.take(0)?.key ?? "none").toSorted();
        assert.deepEqual(taken, left, "no key is lost");
        assert.equal(queue.depth().readyTotal, 0);
      }),
      { numRuns: 500 },
    );
  });

  it("an old key of a low priority is served in time, whatever the groups above do", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 8 }), (noise) => {
        const queue = create();
        queue.add("low/one", 0, 0, { priority: -100 });
        for (let turn = 1; turn <= ageingPeriod; turn++) {
          for (const group of [1, ...noise]) queue.add(`${group}/${turn}`, turn, turn);
          const item = queue.take(turn)!;
          queue.done(item.key, turn);
          if (item.key === "low/one") return;
        }
        assert.fail("the low key starved");
      }),
    );
  });
});

describe("ReadyRings", () => {
  it("keeps no ring for each of many priorities that were used once", () => {
    const rings = new ReadyRings<ReturnType<typeof record>>();
    for (let priority = 0; priority < 1000; priority++) {
      rings.push(record(priority));
      assert.equal(rings.pop()?.priority, priority);
    }
    assert.ok(rings.rings <= 16, `${rings.rings} rings`);
    rings.push(record(5));
    rings.push(record(7));
    assert.deepEqual(
      [...rings.depth()],
      [
        [7, 1],
        [5, 1],
      ],
    );
    assert.equal(rings.pop()?.priority, 7);
  });
});

function record(priority: number) {
  return { group: "", priority, ticket: 0, readySince: 0 };
}

/** Adds a key; the highest priority counts. */
function put(
  queue: WorkQueueMachine,
  waiting: Map<string, number>,
  key: string,
  priority: number,
): void {
  queue.add(key, 0, 0, { priority });
  waiting.set(key, Math.max(waiting.get(key) ?? -Infinity, priority));
}
