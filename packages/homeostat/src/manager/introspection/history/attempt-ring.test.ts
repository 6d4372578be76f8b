import assert from "node:assert/strict";
import { it } from "node:test";
import { createVirtualRuntime } from "../../../runtime/virtual-runtime.ts";
import { AttemptHistory } from "./attempt-history.ts";
import { AttemptRing } from "./attempt-ring.ts";
import { bytesOf, cut, cutCause, type RecordedAttempt } from "./recorded-attempt.ts";

const of = {
  name: "boxes",
  apiVersion: "laws.example.com/v1",
  kind: "Box",
  resource: "boxes",
  cluster: undefined,
};

const attempt = (id: number, because = ""): RecordedAttempt => ({
  id,
  of,
  key: `ns/box-${id}`,
  attempt: 1,
  beganAt: 0,
  tookMs: 0,
  causes: [],
  droppedCauses: 0,
  result: "success",
  state: { at: "waiting", because },
  error: undefined,
  steps: [],
  moreSteps: 0,
  writes: [],
  moreWrites: 0,
});

it("a ring keeps the latest attempts within a number, and counts the others", () => {
  const ring = new AttemptRing({ attempts: 3, bytes: 1 << 20 });
  for (let id = 1; id <= 10; id++) ring.add(attempt(id));
  assert.deepEqual(
    ring.attempts().map(({ id }) => id),
    [8, 9, 10],
  );
  assert.equal(ring.bytes, 3 * bytesOf(attempt(1)) + 1);
});

it("a ring keeps them within a size, and one that is larger alone", () => {
  const ring = new AttemptRing({ attempts: 100, bytes: 2000 });
  for (let id = 1; id <= 10; id++) ring.add(attempt(id));
  assert.ok(ring.bytes <= 2000, `${ring.bytes}`);
  assert.ok(ring.size < 10 && ring.size > 1);
  ring.add(attempt(11, "x".repeat(3000)));
  assert.deepEqual(
    ring.attempts().map(({ id }) => id),
    [11],
  );
});

it("failures outlast a flood of successes", () => {
  const runtime = createVirtualRuntime();
  const limits = { attempts: 10, bytes: 1 << 20 };
  const history = new AttemptHistory(runtime, { all: limits, failed: limits });
  const observer = history.controller(of);
  const run = (key: string, error?: Error): void => {
    const item = { key, priority: 0, failures: 0, causes: [], droppedCauses: 0, waitedMs: 0 };
    observer.begin(item).ended({ result: error ? "error" : "success", state: undefined, error });
  };
  run("ns/broken", new Error("no glue"));
  for (let i = 0; i < 100; i++) run(`ns/${i}`);
  const kept = history.attempts();
  assert.deepEqual([kept.length, kept[0]!.key, kept.at(-1)!.key], [11, "ns/99", "ns/broken"]);
  assert.equal(kept[0]!.state.at, "gone");
  const { ended, kept: count, dropped } = history.counts();
  assert.deepEqual([ended, count, dropped], [101, 11, 90]);
});

it("what is kept of long texts does not hold on to them", () => {
  const text = "é".repeat(5000);
  assert.equal(cut(text).length, 1001);
  assert.equal(cut("short"), "short");
  const cause = { what: text, source: "external x", at: 1, times: 1 };
  assert.equal(cutCause(cause).what.length, 1001);
  const short = { what: "x", at: 1, times: 1 };
  assert.equal(cutCause(short), short);
});
