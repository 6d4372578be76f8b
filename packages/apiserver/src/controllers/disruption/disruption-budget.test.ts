// The numbers of a disruption budget, what it remembers of evictions, and the words of its status.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "homeostat/k8s/core/v1";
import type { PodDisruptionBudgetStatus, PodDisruptionBudget } from "homeostat/k8s/policy/v1";
import {
  countHealthy,
  desiredHealthy,
  disruptedPods,
  failedStatus,
  nextStatus,
  printSelector,
} from "./disruption-budget.ts";
import { staleInMs } from "./stale-conditions.ts";

const now = Date.parse("2024-01-01T00:10:00Z");
const budget = (spec: object, status: object = {}): PodDisruptionBudget =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "ns", generation: 2 },
    spec,
    status,
  }) as unknown as PodDisruptionBudget;
const pod = (name: string, status: "True" | "False" = "True", metadata: object = {}): Pod =>
  ({
    metadata: { name, ...metadata },
    spec: { containers: [] },
    status: { conditions: [{ type: "Ready", status }] },
  }) as unknown as Pod;

test("percentages are rounded up, for minAvailable and maxUnavailable", () => {
  const wanted = [
    { minAvailable: 5 },
    { minAvailable: "34%" },
    { maxUnavailable: 1 },
    { maxUnavailable: "34%" },
    { maxUnavailable: 9 },
    {},
  ].map((spec) => desiredHealthy(budget(spec), 3));
  assert.deepEqual(wanted, [5, 2, 2, 1, 0, 0]);
});

test("an evicted pod counts as disrupted for two minutes, then causes an event", () => {
  const remembered = {
    disruptedPods: {
      fresh: "2024-01-01T00:09:00Z",
      late: "2024-01-01T00:07:00Z",
      going: "2024-01-01T00:09:30Z",
      gone: "2024-01-01T00:09:30Z",
    },
  };
  const pods = [
    pod("fresh"),
    pod("late"),
    pod("going", "True", { deletionTimestamp: "2024-01-01T00:09:30Z" }),
    pod("other"),
    pod("sick", "False"),
  ];
  const disrupted = disruptedPods(budget({}, remembered), pods, now);
  assert.deepEqual(
    [disrupted.pods, disrupted.overdue.map(({ metadata }) => metadata.name), disrupted.recheckInMs],
    [{ fresh: "2024-01-01T00:09:00Z" }, ["late"], 60_000],
  );
  assert.equal(countHealthy(pods, disrupted, now), 2);
});

test("the status has the allowed disruptions, is not written twice, and keeps the time of its condition", () => {
  const findings = { healthy: 3, desired: 2, expected: 3, disrupted: {}, now };
  const first = nextStatus(budget({}), findings)!;
  const condition = {
    type: "DisruptionAllowed",
    observedGeneration: 2,
    lastTransitionTime: "2024-01-01T00:10:00Z",
    message: "",
  };
  assert.deepEqual(first, {
    observedGeneration: 2,
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
    conditions: [{ ...condition, status: "True", reason: "SufficientPods" }],
  });
  assert.equal(nextStatus(budget({}, first), findings), undefined);
  const none = nextStatus(budget({}, first), { ...findings, healthy: 2, now: now + 1000 })!;
  assert.deepEqual(
    [none.disruptionsAllowed, none.conditions],
    [
      0,
      [
        {
          ...condition,
          lastTransitionTime: "2024-01-01T00:10:01Z",
          status: "False",
          reason: "InsufficientPods",
        },
      ],
    ],
  );
  assert.equal(nextStatus(budget({}), { ...findings, expected: 0 })?.disruptionsAllowed, 0);
});

test("a budget that cannot be computed allows no disruption, with a reason", () => {
  const before: PodDisruptionBudgetStatus = {
    observedGeneration: 1,
    disruptionsAllowed: 3,
    currentHealthy: 4,
    desiredHealthy: 1,
    expectedPods: 4,
  };
  const { conditions, ...counts } = failedStatus(budget({}, before), "no scale", now);
  assert.deepEqual(counts, { ...before, disruptionsAllowed: 0 });
  assert.deepEqual(conditions, [
    {
      type: "DisruptionAllowed",
      status: "False",
      observedGeneration: 1,
      lastTransitionTime: "2024-01-01T00:10:00Z",
      reason: "SyncFailed",
      message: "no scale",
    },
  ]);
});

test("a selector is printed as Go prints it", () => {
  const text = printSelector({
    matchLabels: { b: "2", a: "1" },
    matchExpressions: [{ key: "k", operator: "In", values: ["x", "y"] }],
  });
  assert.equal(
    text,
    "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}",
  );
});

test("a pod is a disruption target for two minutes, unless the kubelet set it or the pod has finished", () => {
  const target = (more: object = {}, phase = "Running"): Pod =>
    ({
      metadata: { name: "p" },
      spec: { containers: [] },
      status: {
        phase,
        conditions: [
          {
            type: "DisruptionTarget",
            status: "True",
            lastTransitionTime: "2024-01-01T00:09:00Z",
            ...more,
          },
        ],
      },
    }) as unknown as Pod;
  const waits = [
    target(),
    target({ status: "False" }),
    target({ reason: "TerminationByKubelet" }),
    target({}, "Failed"),
    target({ lastTransitionTime: "2024-01-01T00:00:00Z" }),
  ].map((one) => staleInMs(one, now));
  assert.deepEqual(waits, [60_000, undefined, undefined, undefined, 0]);
});
