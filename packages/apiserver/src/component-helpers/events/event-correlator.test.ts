import assert from "node:assert/strict";
import { test } from "node:test";
import { EventCorrelator } from "./event-correlator.ts";
import type { SimulatorEvent } from "./event-recorder.ts";

const event = (message: string, reason = "Tried"): SimulatorEvent => ({
  object: {
    apiVersion: "v1",
    kind: "Pod",
    namespace: "ns",
    name: "p",
    uid: "u",
    resourceVersion: message,
  },
  type: "Normal",
  reason,
  message,
});

test("the tenth message of one reason and those after it are told as one, until it has been quiet", () => {
  let now = 0;
  const correlator = new EventCorrelator({ now: () => now });
  const first = Array.from({ length: 9 }, (_, i) => correlator.observe(event(`m${i}`)));
  assert.equal(new Set(first.map(({ key }) => key)).size, 9);
  assert.equal(correlator.observe(event("m0")).key, first[0]?.key);
  const [tenth, next] = [correlator.observe(event("m9")), correlator.observe(event("m10"))];
  assert.deepEqual(
    [tenth.combined, next.message, next.key],
    [true, "(combined from similar events): m10", tenth.key],
  );
  assert.equal(correlator.observe(event("m11", "Other")).combined, false);
  now = 600_001;
  assert.equal(correlator.observe(event("m12")).combined, false);
});

test("after 25 events about one object, one is sent every five minutes", () => {
  let now = 0;
  const correlator = new EventCorrelator({ now: () => now });
  const sent = Array.from({ length: 30 }, () => correlator.observe(event("m")).dropped).filter(
    (dropped) => !dropped,
  ).length;
  assert.equal(sent, 25);
  assert.equal(correlator.observe({ ...event("m"), type: "Warning" }).dropped, false);
  now = 300_000;
  assert.deepEqual(
    [correlator.observe(event("m")).dropped, correlator.observe(event("m")).dropped],
    [false, true],
  );
});
