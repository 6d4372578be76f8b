import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "homeostat/k8s/core/v1";
import type { StatefulSet } from "homeostat/k8s/apps/v1";
import { setStatus, isStatusNews } from "./set-status.ts";
import { condemnedStep, assignOrdinals, replicaStep, podToReplace } from "./set-steps.ts";

const now = Date.parse("2024-01-01T01:00:00Z");
const revisions = { current: "web-old", update: "web-new" };

const setOf = (spec: Partial<StatefulSet["spec"]> = {}): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: {
    name: "web",
    uid: "web",
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:00:00Z",
    generation: 2,
  },
  spec: {
    replicas: 3,
    selector: {},
    template: {},
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ...spec,
  },
  status: { replicas: 0 },
});

type State = "ready" | "pending" | "failed" | "going";
const phases: Partial<Record<State, "Failed" | "Pending">> = {
  failed: "Failed",
  pending: "Pending",
};
const podOf = (ordinal: number, state: State = "ready", revision = "web-new"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `web-${ordinal}`,
    uid: `web-${ordinal}`,
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:00:00Z",
    labels: { "controller-revision-hash": revision },
    ...(state === "going" ? { deletionTimestamp: "2024-01-01T00:30:00Z" } : {}),
  },
  spec: { containers: [] },
  status: {
    phase: phases[state] ?? "Running",
    conditions:
      state === "ready" || state === "going"
        ? [{ type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:59:00Z" }]
        : [],
  },
});

test("pods are assigned to ordinals from the start; pods outside are condemned, the last one first", () => {
  const pods = [podOf(0), podOf(4), podOf(5, "pending"), podOf(7), podOf(8)];
  const { replicas, condemned, firstUnavailable } = assignOrdinals(
    setOf({ ordinals: { start: 4 } }),
    pods,
    { revisions, now },
  );
  assert.deepEqual(
    replicas.map(({ ordinal, pod }) => [ordinal, pod?.metadata.name]),
    [
      [4, "web-4"],
      [5, "web-5"],
      [6, undefined],
    ],
  );
  assert.deepEqual(
    condemned.map(({ metadata }) => metadata.name),
    ["web-8", "web-7", "web-0"],
  );
  assert.equal(firstUnavailable?.metadata.name, "web-5");
});

test("below the partition a missing pod is created again from its old revision", () => {
  const revisionsAt = (
    spec: Partial<StatefulSet["spec"]>,
    currentReplicas = 0,
  ): readonly string[] =>
    assignOrdinals({ ...setOf(spec), status: { replicas: 0, currentReplicas } }, [], {
      revisions,
      now,
    }).replicas.map(({ revision }) => revision);
  assert.deepEqual(
    revisionsAt({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
      ordinals: { start: 3 },
    }),
    ["web-old", "web-old", "web-new"],
  );
  assert.deepEqual(revisionsAt({ updateStrategy: { type: "RollingUpdate" } }, 1), [
    "web-old",
    "web-new",
    "web-new",
  ]);
  assert.deepEqual(revisionsAt({ updateStrategy: { type: "OnDelete" } }, 1), [
    "web-new",
    "web-new",
    "web-new",
  ]);
});

test("an ordered set waits for each replica; a parallel one handles all", () => {
  const [ordered, parallel] = [
    setOf({ minReadySeconds: 90 }),
    setOf({ podManagementPolicy: "Parallel" }),
  ];
  assert.deepEqual(replicaStep(ordered, undefined, now), { actions: ["create"], waits: true });
  assert.deepEqual(replicaStep(ordered, podOf(0, "pending"), now), {
    actions: ["claims"],
    waits: true,
  });
  assert.deepEqual(replicaStep(ordered, podOf(0, "failed"), now), {
    actions: ["delete"],
    waits: true,
  });
  assert.deepEqual(replicaStep(ordered, podOf(0), now), { actions: [], waits: true });
  assert.deepEqual(replicaStep(ordered, podOf(0), now + 30_000), {
    actions: ["repair"],
    waits: false,
  });
  assert.deepEqual(replicaStep(parallel, podOf(0, "pending"), now), {
    actions: ["claims", "repair"],
    waits: false,
  });
  assert.deepEqual(replicaStep(parallel, podOf(0, "going"), now), {
    actions: ["repair"],
    waits: false,
  });
});

test("in order, an unhealthy condemned pod is deleted only if it is the first unhealthy one", () => {
  const [sick, well] = [podOf(3, "pending"), podOf(4)];
  const step = (pod: Pod, firstUnavailable: Pod | undefined, spec = {}): readonly string[] =>
    condemnedStep(setOf(spec), pod, { firstUnavailable, now }).actions;
  assert.deepEqual(step(well, sick), ["delete"]);
  assert.deepEqual(step(sick, sick), ["delete"]);
  assert.deepEqual(step(sick, podOf(0, "pending")), []);
  assert.deepEqual(step(sick, podOf(0, "pending"), { podManagementPolicy: "Parallel" }), [
    "delete",
  ]);
  assert.deepEqual(step(podOf(3, "going"), undefined), []);
});

test("the last old pod is replaced once those after it are available, and none below the partition or with OnDelete", () => {
  const victim = (
    pods: readonly Pod[],
    spec: Partial<StatefulSet["spec"]> = {},
  ): string | undefined => {
    const set = setOf(spec);
    return podToReplace(set, assignOrdinals(set, pods, { revisions, now }).replicas, {
      revision: revisions.update,
      now,
    })?.metadata.name;
  };
  const old = [0, 1, 2].map((i) => podOf(i, "ready", "web-old"));
  assert.equal(victim(old), "web-2");
  assert.equal(victim([old[0]!, old[1]!, podOf(2)]), "web-1");
  assert.equal(victim([old[0]!, old[1]!, podOf(2, "pending")]), undefined);
  assert.equal(
    victim([old[0]!, old[1]!, podOf(2)], {
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
    }),
    undefined,
  );
  assert.equal(victim(old, { updateStrategy: { type: "OnDelete" } }), undefined);
});

test("the status counts pods by state and revision, and ends a rollout", () => {
  const findings = { revisions, collisions: 0, replaced: 0, now };
  const midway = setStatus(setOf(), {
    ...findings,
    pods: [podOf(0, "ready", "web-old"), podOf(1, "pending"), podOf(2, "going")],
  });
  assert.deepEqual(midway, {
    observedGeneration: 2,
    replicas: 3,
    readyReplicas: 2,
    availableReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 1,
    currentRevision: "web-old",
    updateRevision: "web-new",
    collisionCount: 0,
  });
  const done = setStatus(setOf(), { ...findings, pods: [podOf(0), podOf(1), podOf(2)] });
  assert.deepEqual([done.currentRevision, done.currentReplicas], ["web-new", 3]);
  assert.equal(isStatusNews(done, { ...done, collisionCount: 3 }), false);
  assert.equal(isStatusNews(done, midway), true);
  assert.equal(isStatusNews({ ...done, observedGeneration: 1 }, done), true);
});
