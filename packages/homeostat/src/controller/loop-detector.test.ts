import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordedCause } from "../queue/workqueue.ts";
import { LoopDetector } from "./loop-detector.ts";

const woken = (by: string, source = "itself"): readonly RecordedCause[] => [
  { what: "Box changed", source, resourceVersion: by, at: 0, times: 1 },
];

/** Runs that each write, woken by the write before. */
function loop(detector: LoopDetector, runs: number, from = 1): ReturnType<LoopDetector["record"]> {
  let found: ReturnType<LoopDetector["record"]>;
  for (let i = from; i < from + runs; i++)
    found = detector.record("a", woken(String(i - 1)), {
      wrote: ["status.count"],
      revisions: [String(i)],
      at: i * 2000,
    });
  return found;
}

test("a loop is found after fifty self-woken writes in a row, named, and slowed down", () => {
  const detector = new LoopDetector();
  detector.record("a", woken("created"), { wrote: ["status.count"], revisions: ["0"], at: 0 });
  assert.equal(loop(detector, 49), undefined);
  assert.equal(detector.delayMs("a", woken("49")), 0);
  assert.deepEqual(loop(detector, 1, 50), { runs: 50, wrote: ["status.count"], wokenBy: "self" });
  assert.equal(detector.delayMs("a", woken("50")), 100);
  assert.equal(detector.delayMs("a", woken("60")), 0, "another client's change is not delayed");
  assert.equal(
    detector.delayMs("a", [{ ...detector.pacedCause(), at: 0, times: 1 }]),
    0,
    "a key that has waited runs",
  );
});

test("a run that writes nothing, or that something else woke, ends the count", () => {
  const detector = new LoopDetector();
  detector.record("a", woken("created"), { wrote: ["status.count"], revisions: ["0"], at: 0 });
  loop(detector, 49);
  detector.record("a", woken("49"), { wrote: [], revisions: [], at: 0 });
  assert.equal(loop(detector, 1, 50), undefined);
  loop(detector, 48, 51);
  detector.record("a", woken("foreign"), { wrote: ["status.count"], revisions: ["99"], at: 0 });
  assert.equal(
    detector.record("a", woken("99"), { wrote: ["status.count"], revisions: ["100"], at: 2000 }),
    undefined,
  );
});

test("two writers that overwrite each other are named, and not throttled", () => {
  const detector = new LoopDetector();
  let found: ReturnType<LoopDetector["record"]>;
  for (let i = 0; i <= 400; i++)
    found = detector.record("a", woken(`theirs ${i}`), {
      wrote: ["status.count"],
      revisions: [`ours ${i}`],
      at: i,
    });
  assert.deepEqual(found, { runs: 400, wrote: ["status.count"], wokenBy: "others" });
  assert.equal(detector.delayMs("a", woken("theirs")), 0);
});
