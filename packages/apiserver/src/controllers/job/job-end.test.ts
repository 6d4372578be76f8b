import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import { newCondition } from "./job-conditions.ts";
import { completionOf, deadlineInMs, endOf, finalCondition } from "./job-end.ts";
import { ago, jobOf, now, podOf } from "./job-play.suite.ts";
import { createSyncContext } from "./sync-context.ts";

/** How a job ends: type, reason and message. */
function end(job: Job, pods: readonly Pod[]): readonly (string | undefined)[] | undefined {
  const found = endOf(createSyncContext(job, pods), job.status ?? {}, now);
  return found && [found.type, found.reason, found.message];
}
const indexed = (more: Partial<Job["spec"]>): Job =>
  jobOf({ completionMode: "Indexed", completions: 4, parallelism: 4, ...more });

test("goes on while nothing speaks against it", () =>
  assert.equal(end(jobOf(), [podOf("a"), podOf("b", { ended: [1, 5] })]), undefined));

test("fails when more pods have failed than it allows, however they are counted", () => {
  const why = [
    "FailureTarget",
    "BackoffLimitExceeded",
    "Job has reached the specified backoff limit",
  ];
  assert.deepEqual(end(jobOf({ backoffLimit: 0 }), [podOf("a", { ended: [1, 5] })]), why);
  assert.deepEqual(
    end(jobOf({ backoffLimit: 1 }, { failed: 1, uncountedTerminatedPods: { failed: ["a"] } }), [
      podOf("a", { ended: [1, 5] }),
    ]),
    why,
    "a noted pod counts once",
  );
  assert.equal(
    end(jobOf({ backoffLimit: 1 }, { uncountedTerminatedPods: { failed: ["a"] } }), [
      podOf("a", { ended: [1, 5] }),
    ]),
    undefined,
  );
  assert.deepEqual(
    end(jobOf({ backoffLimit: 0 }), [podOf("a", { going: true })]),
    why,
    "a pod that is going has failed",
  );
  assert.equal(
    end(jobOf({ backoffLimit: 0, podReplacementPolicy: "Failed" }), [podOf("a", { going: true })]),
    undefined,
  );
});

test("counts restarts of pods that start again themselves", () => {
  const template = { spec: { restartPolicy: "OnFailure" as const, containers: [] } };
  assert.equal(end(jobOf({ template, backoffLimit: 3 }), [podOf("a", { restarts: 2 })]), undefined);
  assert.equal(
    end(jobOf({ template, backoffLimit: 3 }), [
      podOf("a", { restarts: 2 }),
      podOf("b", { restarts: 1 }),
    ])?.[1],
    "BackoffLimitExceeded",
  );
  assert.equal(end(jobOf({ template, backoffLimit: 0 }), [podOf("a")]), undefined);
});

test("fails past its deadline, unless it is suspended", () => {
  const started = { startTime: ago(60) };
  assert.deepEqual(end(jobOf({ activeDeadlineSeconds: 60 }, started), []), [
    "FailureTarget",
    "DeadlineExceeded",
    "Job was active longer than specified deadline",
  ]);
  assert.equal(end(jobOf({ activeDeadlineSeconds: 60, suspend: true }, started), []), undefined);
  assert.equal(deadlineInMs(jobOf({ activeDeadlineSeconds: 70 }), started, now), 10_000);
});

test("fails by its policy on failed pods, before anything else is asked", () => {
  const rules = [
    { action: "Ignore" as const, onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    {
      action: "FailJob" as const,
      onExitCodes: { containerName: "c", operator: "In" as const, values: [42] },
    },
    { action: "FailJob" as const, onPodConditions: [{ type: "ConfigIssue", status: "True" }] },
  ];
  const job = jobOf({ backoffLimit: 0, podFailurePolicy: { rules } });
  assert.deepEqual(end(job, [podOf("a", { ended: [42, 5] })]), [
    "FailureTarget",
    "PodFailurePolicy",
    "Container c for pod n/a failed with exit code 42 matching FailJob rule at index 1",
  ]);
  assert.equal(
    end(job, [
      podOf("a", { ended: [1, 5], conditions: [{ type: "ConfigIssue", status: "True" }] }),
    ])?.[2],
    "Pod n/a has condition ConfigIssue matching FailJob rule at index 2",
  );
  assert.equal(
    end(job, [
      podOf("a", { ended: [42, 5], conditions: [{ type: "DisruptionTarget", status: "True" }] }),
    ]),
    undefined,
    "what is ignored does not count",
  );
});

test("fails by its indexes: too many, or nothing left to do", () => {
  const failed = [podOf("a", { index: 0, ended: [1, 5] }), podOf("b", { index: 1, ended: [1, 5] })];
  assert.equal(
    end(indexed({ backoffLimitPerIndex: 0, maxFailedIndexes: 1 }), failed)?.[1],
    "MaxFailedIndexesExceeded",
  );
  assert.equal(end(indexed({ backoffLimitPerIndex: 0 }), failed), undefined);
  const rest = [podOf("c", { index: 2, ended: [0, 5] }), podOf("d", { index: 3, ended: [0, 5] })];
  assert.deepEqual(end(indexed({ backoffLimitPerIndex: 0 }), [...failed, ...rest]), [
    "FailureTarget",
    "FailedIndexes",
    "Job has failed indexes",
  ]);
  assert.equal(
    end(indexed({ backoffLimitPerIndex: 1 }), [...failed, ...rest]),
    undefined,
    "another try is left",
  );
});

test("succeeds by its policy on success", () => {
  const job = indexed({
    successPolicy: {
      rules: [{ succeededIndexes: "0,2-3", succeededCount: 2 }, { succeededCount: 3 }],
    },
  });
  const done = (...indexes: readonly number[]): readonly Pod[] =>
    indexes.map((index) => podOf(`p${index}`, { index, ended: [0, 5] }));
  assert.equal(end(job, done(0, 1)), undefined);
  assert.deepEqual(end(job, done(0, 3)), [
    "SuccessCriteriaMet",
    "SuccessPolicy",
    "Matched rules at index 0",
  ]);
  assert.equal(
    end(indexed({ successPolicy: { rules: [{ succeededCount: 3 }] } }), done(0, 1, 3))?.[2],
    "Matched rules at index 0",
  );
});

test("keeps an interim condition", () => {
  const target = newCondition(
    "FailureTarget",
    "True",
    { reason: "DeadlineExceeded", message: "m" },
    now - 5000,
  );
  assert.deepEqual(end(jobOf({}, { conditions: [target] }), []), [
    "Failed",
    "DeadlineExceeded",
    "m",
  ]);
  const met = newCondition(
    "SuccessCriteriaMet",
    "True",
    { reason: "SuccessPolicy", message: "m" },
    now - 5000,
  );
  assert.deepEqual(
    end(jobOf({ backoffLimit: 0 }, { conditions: [met] }), [podOf("a", { ended: [1, 5] })]),
    ["SuccessCriteriaMet", "SuccessPolicy", "m"],
  );
  assert.equal(finalCondition(met, now).type, "Complete");
});

test("is complete when enough has succeeded and nothing is at work", () => {
  const done = [podOf("a", { ended: [0, 5] })];
  assert.equal(
    completionOf(createSyncContext(jobOf(), done), 0, now)?.reason,
    "CompletionsReached",
  );
  assert.equal(completionOf(createSyncContext(jobOf(), done), 1, now), undefined);
  assert.equal(completionOf(createSyncContext(jobOf({ completions: 2 }), done), 0, now), undefined);
  const { completions: _, ...any } = jobOf().spec;
  assert.ok(completionOf(createSyncContext({ ...jobOf(), spec: any }, done), 0, now));
  assert.equal(completionOf(createSyncContext({ ...jobOf(), spec: any }, []), 0, now), undefined);
  assert.ok(completionOf(createSyncContext(jobOf({ completions: 0 }), []), 0, now));
});
