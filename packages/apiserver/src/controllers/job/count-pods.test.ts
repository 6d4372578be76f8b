import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job, JobCondition } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import {
  countReleased,
  hasUncountedPods,
  isSameStatus,
  recordUncounted,
  type UncountedPods,
  writableStatus,
} from "./count-pods.ts";
import { newCondition } from "./job-conditions.ts";
import { jobOf, names, now, podOf } from "./job-play.suite.ts";
import { createSyncContext } from "./sync-context.ts";

const note = (job: Job, pods: readonly Pod[], end?: JobCondition): UncountedPods =>
  recordUncounted(createSyncContext(job, pods), job.status ?? {}, end);
const pods = [
  podOf("good", { ended: [0, 5] }),
  podOf("bad", { ended: [1, 5] }),
  podOf("open"),
  podOf("counted", { ended: [0, 5], free: true }),
];

test("records finished pods as uncounted while they are held, and counts them when released", () => {
  const job = jobOf({ completions: 5 });
  const { status, release } = note(job, pods);
  assert.deepEqual(
    [status.uncountedTerminatedPods, names(release)],
    [{ succeeded: ["good"], failed: ["bad"] }, ["good", "bad"]],
  );
  assert.ok(hasUncountedPods(status));
  const half = countReleased(status, new Set(["bad"]));
  assert.deepEqual(
    [half.succeeded, half.failed, half.uncountedTerminatedPods],
    [1, 0, { succeeded: [], failed: ["bad"] }],
  );
  assert.equal(hasUncountedPods(countReleased(half, new Set())), false);
});

test("a second sync of the same pods records nothing twice", () => {
  const job = jobOf({ completions: 5 });
  const { status } = note(job, pods);
  assert.deepEqual(note({ ...job, status }, pods).status, status);
});

test("when the job fails, what is open has failed; when it succeeds by its policy, it is only let go", () => {
  const failure = newCondition("FailureTarget", "True", { reason: "r", message: "m" }, now);
  assert.deepEqual(note(jobOf(), pods, failure).status.uncountedTerminatedPods?.failed, [
    "bad",
    "open",
  ]);
  const success = note(jobOf(), pods, { ...failure, type: "SuccessCriteriaMet" });
  assert.deepEqual(
    [success.status.uncountedTerminatedPods?.failed, names(success.release)],
    [["bad"], ["good", "bad", "open"]],
  );
});

test("indexes are counted by themselves, and a failed pod waits for its successor", () => {
  const job = jobOf(
    { completionMode: "Indexed", completions: 4, parallelism: 4, backoffLimitPerIndex: 1 },
    { completedIndexes: "0" },
  );
  const { status, release } = note(job, [
    podOf("two", { index: 2, ended: [0, 5] }),
    podOf("one", { index: 1, ended: [1, 5] }),
    podOf("nine", { index: 9, ended: [1, 5] }),
  ]);
  assert.deepEqual(
    [status.succeeded, status.completedIndexes, status.failedIndexes],
    [2, "0,2", ""],
  );
  assert.deepEqual(
    [names(release), status.uncountedTerminatedPods],
    [["two", "nine"], { succeeded: [], failed: [] }],
  );
  const after = note(job, [
    podOf("one", { index: 1, ended: [1, 5] }),
    podOf("again", { index: 1 }),
  ]);
  assert.deepEqual(
    [names(after.release), after.status.uncountedTerminatedPods?.failed],
    [["one"], ["one"]],
  );
});

test("a status that says the same is the same, however it is written", () => {
  assert.ok(
    isSameStatus(
      { ready: 0, succeeded: 0, uncountedTerminatedPods: { failed: [] } },
      { uncountedTerminatedPods: {}, ready: 0 },
    ),
  );
  assert.equal(isSameStatus({ ready: 0 }, {}), false, "no count is not the count of none");
  assert.deepEqual(
    writableStatus({
      active: 0,
      ready: 0,
      terminating: 0,
      failed: 1,
      uncountedTerminatedPods: { succeeded: [] },
    }),
    {
      failed: 1,
      terminating: 0,
      uncountedTerminatedPods: {},
      ready: 0,
    },
  );
});
