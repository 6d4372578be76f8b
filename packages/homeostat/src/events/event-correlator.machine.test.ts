import assert from "node:assert/strict";
import { test } from "node:test";
import { EventCorrelator } from "./event-correlator.machine.ts";
import type { RecordedEvent } from "./recorder.ts";

const event = (note: string, reason = "Tried"): RecordedEvent => ({
  regarding: {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "ns",
    name: "p",
    uid: "u",
    resourceVersion: note,
  },
  type: "Normal",
  reason,
  note,
});
let names = 0;
const observe = (correlator: EventCorrelator, occurrence: RecordedEvent, now: number) =>
  correlator.observe(occurrence, () => `e${names++}`, now);

test("ten different notes of one reason are combined, until the group has been idle", () => {
  const correlator = new EventCorrelator();
  const first = Array.from({ length: 9 }, (_, i) => observe(correlator, event(`m${i}`), 0)!);
  assert.equal(new Set(first.map(({ name }) => name)).size, 9);
  assert.equal(observe(correlator, event("m0"), 0)?.name, first[0]?.name);
  const [tenth, next] = [
    observe(correlator, event("m9"), 0)!,
    observe(correlator, event("m10"), 0)!,
  ];
  assert.deepEqual(
    [tenth.isCombined, next.event.note, next.name, next.count],
    [true, "(combined from similar events): m10", tenth.name, 2],
  );
  assert.equal(observe(correlator, event("m11", "Other"), 0)?.isCombined, false);
  assert.equal(observe(correlator, event("m12"), 600_001)?.isCombined, false);
});

test("after 25 events about one object, one is written every five minutes; all are counted", () => {
  const correlator = new EventCorrelator();
  const written = Array.from({ length: 30 }, () => observe(correlator, event("m"), 0));
  assert.equal(written.filter((write) => write !== undefined).length, 25);
  assert.notEqual(observe(correlator, { ...event("m"), type: "Warning" }, 0), undefined);
  const [later, tooMany] = [300_000, 300_000].map((now) => observe(correlator, event("m"), now));
  assert.deepEqual([later?.count, tooMany], [31, undefined]);
});
