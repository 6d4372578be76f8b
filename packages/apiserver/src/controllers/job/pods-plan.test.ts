import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import { ago, jobOf, names, now, podOf } from "./job-play.suite.ts";
import { jobPodTemplate, podNamePrefix } from "./job-pod-template.ts";
import { createSyncContext } from "./sync-context.ts";
import { continueStreak, finishedAt, noFailures, remainingBackoffMs } from "./pod-backoff.ts";
import { planPods, type PodsPlan } from "./pods-plan.ts";

const plan = (job: Job, pods: readonly Pod[], streak = noFailures): PodsPlan =>
  planPods(createSyncContext(job, pods), streak, now);
const indexed = (more: Partial<Job["spec"]> = {}): Job =>
  jobOf({ completionMode: "Indexed", completions: 4, parallelism: 4, ...more });

test("makes as many pods as may run at once and are still needed", () => {
  assert.equal(plan(jobOf({ parallelism: 3, completions: 5 }), [podOf("a")]).create.length, 2);
  assert.equal(
    plan(jobOf({ parallelism: 3, completions: 2 }), [podOf("a", { ended: [0, 5] })]).create.length,
    1,
  );
  const { completions: _, ...queue } = jobOf({ parallelism: 2 }).spec;
  assert.equal(plan({ ...jobOf(), spec: queue }, []).create.length, 2);
  assert.deepEqual(
    plan({ ...jobOf(), spec: queue }, [podOf("a", { ended: [0, 5] })]),
    { remove: [], create: [] },
    "one success is enough for a queue",
  );
});

test("removes what is too much, the least advanced first, and everything when suspended", () => {
  const pods = [
    podOf("runs"),
    podOf("waits", { phase: "Pending" }),
    podOf("ready", { conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(5) }] }),
  ];
  assert.deepEqual(names(plan(jobOf({ completions: 5 }), pods).remove), ["waits", "runs"]);
  assert.equal(plan(jobOf({ suspend: true, completions: 5 }), pods).remove.length, 3);
});

test("waits after failures, longer for every one", () => {
  const failed = [podOf("a", { ended: [1, 4] })];
  const streak = continueStreak(noFailures, [], failed);
  assert.deepEqual(streak, { failures: 1, lastAt: now - 4000 });
  assert.deepEqual(plan(jobOf(), failed, streak), { remove: [], create: [], waitMs: 6000 });
  assert.equal(remainingBackoffMs({ failures: 3, lastAt: now }, now), 40_000);
  assert.equal(remainingBackoffMs({ failures: 30, lastAt: now }, now), 600_000);
  assert.equal(remainingBackoffMs(noFailures, now), 0);
});

test("a success begins another streak", () => {
  const before = { failures: 4, lastAt: now - 90_000 };
  assert.deepEqual(continueStreak(before, [], []), before);
  assert.deepEqual(continueStreak(before, [podOf("a", { ended: [0, 9] })], []), noFailures);
  assert.deepEqual(
    continueStreak(
      before,
      [podOf("a", { ended: [0, 9] })],
      [podOf("b", { ended: [1, 12] }), podOf("c", { ended: [1, 3] })],
    ),
    { failures: 1, lastAt: now - 3000 },
  );
});

test("a pod has ended when its containers have, or else when it was unready, deleted or made", () => {
  const { containerStatuses: _, ...status } = podOf("a").status!;
  const pod = { ...podOf("a"), status };
  assert.equal(finishedAt(podOf("a", { ended: [0, 9] })), now - 9000);
  assert.equal(
    finishedAt({
      ...pod,
      status: {
        ...status,
        conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(7) }],
      },
    }),
    now - 7000,
  );
  assert.equal(finishedAt({ ...podOf("a", { going: true }), status }), now - 10_000);
  assert.equal(finishedAt(pod), now - 500_000);
});

test("replaces a pod that is going at once, or when it has gone, as it is told", () => {
  const going = [podOf("a", { going: true })];
  assert.equal(plan(jobOf(), going).create.length, 1);
  assert.equal(plan(jobOf({ podReplacementPolicy: "Failed" }), going).create.length, 0);
});

test("gives out free indexes, and removes doubles and strangers", () => {
  assert.deepEqual(
    plan(indexed(), [podOf("a", { index: 1 }), podOf("b", { index: 2, ended: [0, 5] })]).create,
    [0, 3],
  );
  const pods = [
    podOf("one", { index: 1 }),
    podOf("one-too", { index: 1, phase: "Pending" }),
    podOf("nine", { index: 9 }),
    podOf("none"),
  ];
  assert.deepEqual(names(plan(indexed(), pods).remove), ["none", "one-too", "nine"]);
});

test("every index waits by itself when it has a limit of its own", () => {
  const failed = podOf("a", { index: 0, ended: [1, 4] });
  const job = indexed({ backoffLimitPerIndex: 2, completions: 2, parallelism: 2 });
  assert.deepEqual(plan(job, [failed]).create, [1]);
  assert.deepEqual(plan(job, [failed, podOf("b", { index: 1 })]), {
    remove: [],
    create: [],
    waitMs: 6000,
  });
});

test("a pod is tracked, and knows its index and how often that failed", () => {
  assert.deepEqual(jobPodTemplate(jobOf(), undefined, undefined).metadata?.finalizers, [
    "batch.kubernetes.io/job-tracking",
  ]);
  const { metadata, spec } = jobPodTemplate(indexed(), 3, undefined);
  assert.deepEqual(
    [
      metadata?.labels?.["batch.kubernetes.io/job-completion-index"],
      metadata?.annotations,
      spec?.hostname,
    ],
    ["3", { "batch.kubernetes.io/job-completion-index": "3" }, "j-3"],
  );
  const env = [
    {
      name: "JOB_COMPLETION_INDEX",
      valueFrom: {
        fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
      },
    },
  ];
  assert.deepEqual(spec?.containers, [{ name: "c", env }]);
  const predecessor = podOf("a", {
    index: 3,
    annotations: { "batch.kubernetes.io/job-index-failure-count": "2" },
    ended: [9, 5],
  });
  const counts = (job: Job): unknown =>
    jobPodTemplate(job, 3, predecessor).metadata?.annotations?.[
      "batch.kubernetes.io/job-index-failure-count"
    ];
  assert.equal(counts(indexed({ backoffLimitPerIndex: 5 })), "3");
  const rules = [
    { action: "Ignore" as const, onExitCodes: { operator: "In" as const, values: [9] } },
  ];
  const ignoring = indexed({ backoffLimitPerIndex: 5, podFailurePolicy: { rules } });
  assert.equal(counts(ignoring), "2");
  assert.equal(
    jobPodTemplate(ignoring, 3, predecessor).metadata?.annotations?.[
      "batch.kubernetes.io/job-index-ignored-failure-count"
    ],
    "1",
  );
  assert.equal(
    podNamePrefix({ ...indexed(), metadata: { ...indexed().metadata, name: "a".repeat(60) } }, 12),
    `${"a".repeat(54)}-12-`,
  );
});
