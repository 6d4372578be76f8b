import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod, PodPhase } from "homeostat/k8s/core/v1";
import type { ReplicaSet } from "homeostat/k8s/apps/v1";
import { podsToDelete } from "./pods-to-delete.ts";
import { isSameReplicaStatus, nextAvailabilityMs, replicaStatus } from "./replica-status.ts";

const now = Date.parse("2024-01-01T01:00:00Z");
const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1000).toISOString();

function podOf(
  name: string,
  more: {
    readonly ready?: number;
    readonly node?: string;
    readonly phase?: PodPhase;
    readonly labels?: Record<string, string>;
    readonly cost?: string;
    readonly restarts?: number;
    readonly age?: number;
  } = {},
): Pod {
  const conditions =
    more.ready === undefined
      ? []
      : [{ type: "Ready", status: "True" as const, lastTransitionTime: at(more.ready) }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: at(more.age ?? 100),
      labels: more.labels ?? { app: "a" },
      annotations:
        more.cost === undefined ? {} : { "controller.kubernetes.io/pod-deletion-cost": more.cost },
    },
    spec: { containers: [], nodeName: more.node ?? "n" },
    status: {
      phase: more.phase ?? "Running",
      conditions,
      containerStatuses: [
        { name: "c", image: "", imageID: "", ready: true, restartCount: more.restarts ?? 0 },
      ],
    },
  };
}

const owner = (status: Partial<ReplicaSet["status"]> = {}, minReadySeconds = 0): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "r",
    uid: "r",
    resourceVersion: "1",
    creationTimestamp: at(1000),
    generation: 3,
  },
  spec: {
    replicas: 2,
    minReadySeconds,
    selector: {},
    template: { metadata: { labels: { app: "a" } } },
  },
  status: { replicas: 0, ...status },
});

test("counts pods by what they are, and waits until they have been ready for long enough", () => {
  const active = [podOf("a", { ready: 5 }), podOf("b", { ready: 60 }), podOf("c", { labels: {} })];
  assert.deepEqual(replicaStatus(owner({}, 10), { active, terminating: 0, now }), {
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 0,
    observedGeneration: 3,
  });
  assert.equal(nextAvailabilityMs(owner({}, 10), active, now), 5000);
  assert.equal(nextAvailabilityMs(owner({}, 0), active, now), undefined);
});

test("tells of a failure once, and takes it back", () => {
  const failed = replicaStatus(owner(), { active: [], failure: "no room", now });
  assert.deepEqual(failed.conditions, [
    {
      type: "ReplicaFailure",
      status: "True",
      lastTransitionTime: "2024-01-01T01:00:00Z",
      reason: "FailedCreate",
      message: "no room",
    },
  ]);
  assert.deepEqual(
    replicaStatus(owner(failed), { active: [], failure: "still none", now: now + 5000 }).conditions,
    failed.conditions,
  );
  assert.equal(replicaStatus(owner(failed), { active: [], now }).conditions, undefined);
  assert.equal(
    replicaStatus(owner(), { active: [podOf("a"), podOf("b"), podOf("c")], failure: "no", now })
      .conditions?.[0]?.reason,
    "FailedDelete",
  );
});

test("a status that says the same is not written", () => {
  const status = replicaStatus(owner(), { active: [podOf("a")], now });
  assert.equal(isSameReplicaStatus({ ...status, readyReplicas: 0 }, status), true);
  assert.equal(isSameReplicaStatus({ ...status, observedGeneration: 2 }, status), false);
  assert.equal(isSameReplicaStatus(status, { ...status, terminatingReplicas: 0 }), false);
});

test("those go first that matter least", () => {
  const order: readonly Pod[] = [
    podOf("nowhere", { node: "" }),
    podOf("pending", { phase: "Pending" }),
    podOf("not-ready"),
    podOf("cheap", { ready: 500, cost: "-5" }),
    podOf("crowded", { ready: 500, node: "full" }),
    podOf("just-ready", { ready: 1 }),
    podOf("restarts", { ready: 500, restarts: 3 }),
    podOf("young", { ready: 500, age: 1000 }),
    podOf("old", { ready: 500, age: 9000 }),
  ];
  const related = [
    ...order,
    podOf("x", { node: "full" }),
    ...Array.from({ length: 9 }, (_, i) => podOf(`y${i}`, { node: "full" })),
  ];
  const picked = podsToDelete(order.toReversed(), related, { count: order.length - 1, now });
  assert.deepEqual(
    picked.map(({ metadata }) => metadata.name),
    order.slice(0, -1).map(({ metadata }) => metadata.name),
  );
  assert.deepEqual(podsToDelete([order[8]!, order[0]!], related, { count: 5, now }), [
    order[8],
    order[0],
  ]);
});

test("a cost that is no whole number is none", () => {
  const pods = [podOf("a", { ready: 500, cost: "01" }), podOf("b", { ready: 500, cost: "-1" })];
  assert.equal(podsToDelete(pods, [], { count: 1, now })[0]?.metadata.name, "b");
  assert.equal(
    podsToDelete(
      [podOf("a", { ready: 500, cost: "1.5" }), podOf("b", { ready: 500, cost: "1" })],
      [],
      { count: 1, now },
    )[0]?.metadata.name,
    "a",
  );
});
