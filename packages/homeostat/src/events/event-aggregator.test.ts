import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EventAggregator, setYoungest } from "./event-aggregator.ts";
import { EventCorrelator } from "./event-correlator.machine.ts";
import { EventSeries, seriesDefaults } from "./event-series.machine.ts";
import type { RecordedEvent } from "./recorder.ts";

test("beyond the limit, setYoungest evicts the entry that was set first", () => {
  const entries = new Map([
    ["a", 1],
    ["b", 2],
  ]);
  setYoungest(entries, "a", 3, 2);
  assert.deepEqual(
    [...entries],
    [
      ["b", 2],
      ["a", 3],
    ],
  );
  setYoungest(entries, "c", 4, 2);
  assert.deepEqual(
    [...entries],
    [
      ["a", 3],
      ["c", 4],
    ],
  );
});

const kept = 4096;
const about = (uid: string): RecordedEvent => ({
  regarding: { apiVersion: "v1", kind: "Pod", namespace: "ns", name: uid, uid },
  type: "Normal",
  reason: "Tried",
  action: "Try",
  note: "n",
});

for (const [name, create] of [
  ["EventSeries", () => new EventSeries()],
  ["EventCorrelator", () => new EventCorrelator()],
] as readonly (readonly [string, () => EventAggregator])[])
  describe(name, () => {
    const countAfter = (others: number, touch: number): number | undefined => {
      const aggregator = create();
      const observe = (uid: string) => aggregator.observe(about(uid), () => uid, 0);
      observe("first");
      for (let i = 0; i < others; i++) {
        if (i === touch) observe("first");
        observe(`other ${i}`);
      }
      return observe("first")?.count;
    };

    test(`remembers ${kept} aggregates and evicts the one that is idle longest`, () => {
      assert.equal(countAfter(kept - 1, -1), 2);
      assert.equal(countAfter(kept, -1), 1);
    });

    test("keeps an aggregate that is in use", () => {
      // EventSeries only counts the third occurrence.
      assert.notEqual(countAfter(kept, kept / 2), 1);
    });
  });

test("a sweep forgets a series that is finished, and keeps one that runs", () => {
  const { finishMs } = seriesDefaults;
  const series = new EventSeries();
  series.observe(about("a"), () => "a", 0);
  assert.deepEqual([series.sweep(finishMs - 1), series.sweepMs], [[], finishMs]);
  assert.deepEqual([series.sweep(finishMs), series.sweepMs], [[], undefined]);
});
