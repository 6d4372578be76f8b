import assert from "node:assert/strict";
import { test } from "node:test";
import { createLifecycle } from "../stages/lifecycle.ts";
import type { Stage } from "../stages/stage.ts";
import { isApplied } from "../stages/stage-effect.ts";
import type { Pod, PodCondition } from "homeostat/k8s/core/v1";
import { fateAnnotation, podStages, runForAnnotation } from "./pod-stages.ts";
import { podStatusAfter } from "./pod-status.ts";
import type { PodEnvironment } from "./pod-transition.ts";

const environment: PodEnvironment = {
  now: Date.parse("2024-01-01T00:00:00Z"),
  hostIp: "192.168.0.1",
  podIp: () => "10.244.0.1",
  ready: true,
};
const metadata = {
  name: "p",
  namespace: "ns",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
};
const podOf = (more: { readonly fate?: string; readonly spec?: object } = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...metadata,
    annotations: more.fate === undefined ? {} : { [fateAnnotation]: more.fate },
  },
  spec: {
    nodeName: "n",
    restartPolicy: "Always",
    containers: [{ name: "c", image: "i" }],
    ...more.spec,
  },
  status: {},
});
const lifecycle = createLifecycle(podStages);

/** The first stage that would change the pod, as the stage controller chooses it. */
function nextStage(pod: Pod, at: PodEnvironment = environment): Stage | undefined {
  return lifecycle
    .matching(pod)
    .find(
      ({ next }) =>
        next?.delete || (next?.pod && !isApplied(pod.status, podStatusAfter(pod, next.pod, at))),
    );
}

const delayMs = (pod: Pod): number =>
  lifecycle.delayMs(nextStage(pod)!, pod, { now: environment.now, chance: 0 });

/** A merge by type for conditions, as the server's. */
function merged(pod: Pod, status: object): Pod {
  const { conditions = [], ...rest } = status as {
    readonly conditions?: readonly PodCondition[];
  };
  const kept = (pod.status?.conditions ?? []).filter(
    ({ type }) => !conditions.some((one) => one.type === type),
  );
  return { ...pod, status: { ...pod.status, ...rest, conditions: [...kept, ...conditions] } };
}

function live(
  pod: Pod,
  { count = 8, at = environment }: { readonly count?: number; readonly at?: PodEnvironment } = {},
): { readonly pod: Pod; readonly names: readonly string[] } {
  const names: string[] = [];
  let now = pod;
  for (
    let stage = nextStage(now, at);
    stage?.next?.pod && names.length < count;
    stage = nextStage(now, at)
  ) {
    names.push(stage.name);
    now = merged(now, podStatusAfter(now, stage.next.pod, at));
  }
  return { pod: now, names };
}

const conditionsOf = ({ status }: Pod): readonly string[] =>
  (status?.conditions ?? []).map(({ type, status: state }) => `${type} ${state}`);
const readyOf = ({ status }: Pod): PodCondition | undefined =>
  status?.conditions?.find(({ type }) => type === "Ready");

test("a pod is created and runs", () => {
  const { pod, names } = live(podOf());
  assert.deepEqual(names, ["pod-create", "pod-start"]);
  assert.deepEqual(
    [pod.status?.phase, pod.status?.["podIP"], pod.status?.startTime],
    ["Running", "10.244.0.1", "2024-01-01T00:00:00Z"],
  );
  assert.deepEqual(conditionsOf(pod), [
    "PodReadyToStartContainers True",
    "Initialized True",
    "Ready True",
    "ContainersReady True",
    "PodScheduled True",
  ]);
});

test("a deleted pod terminates before it is removed", () => {
  const going = {
    ...live(podOf()).pod,
    metadata: { ...metadata, deletionTimestamp: "2024-01-01T00:00:01Z" },
  };
  const { pod, names } = live(going);
  assert.deepEqual(
    [names, pod.status?.phase, nextStage(pod)?.name],
    [["pod-stop"], "Succeeded", "pod-delete"],
  );
  assert.equal(nextStage({ ...podOf(), metadata: going.metadata })?.name, "pod-delete");
});

test("a pod that a deletion interrupts has failed", () => {
  const running = live(podOf({ spec: { restartPolicy: "Never" } }), { count: 2 }).pod;
  const { pod, names } = live({
    ...running,
    metadata: { ...metadata, deletionTimestamp: "2024-01-01T00:00:01Z" },
  });
  assert.deepEqual(
    [names, pod.status?.phase, nextStage(pod)?.name],
    [["pod-interrupt"], "Failed", "pod-delete"],
  );
});

test("init containers complete one after another, and sidecars keep running", () => {
  const initContainers = [
    { name: "first" },
    { name: "side", restartPolicy: "Always" },
    { name: "last" },
  ];
  const { names } = live(podOf({ spec: { initContainers } }));
  assert.deepEqual(names, [
    "pod-create",
    "pod-initialize",
    "pod-initialize",
    "pod-initialize",
    "pod-start",
  ]);
  const half = live(podOf({ spec: { initContainers } }), { count: 3 }).pod;
  const initialized = half.status?.conditions?.find(({ type }) => type === "Initialized");
  assert.deepEqual(
    [half.status?.phase, initialized?.status, initialized?.message],
    ["Pending", "False", "containers with incomplete status: [last]"],
  );
  const states = (
    half.status!["initContainerStatuses"] as readonly { readonly state: object }[]
  ).map(({ state }) => Object.keys(state)[0]);
  assert.deepEqual(states, ["terminated", "running", "waiting"]);
});

test("a pod is not ready until its readiness gate is true", () => {
  const { pod } = live(podOf({ spec: { readinessGates: [{ conditionType: "example.com/up" }] } }));
  assert.deepEqual(
    [readyOf(pod)?.reason, readyOf(pod)?.message],
    [
      "ReadinessGatesNotReady",
      'corresponding condition of pod readiness gate "example.com/up" does not exist.',
    ],
  );
  const opened = live(merged(pod, { conditions: [{ type: "example.com/up", status: "True" }] }));
  assert.deepEqual([opened.names, readyOf(opened.pod)?.status], [["pod-observe"], "True"]);
});

test("a running pod reports changed resources and its observed generation", () => {
  const requests = { cpu: "1" };
  const { pod } = live({
    ...podOf({ spec: { containers: [{ name: "c", resources: { requests } }] } }),
    metadata: { ...metadata, generation: 1 },
  });
  const statusOf = ({ status }: Pod) => [
    status?.["observedGeneration"],
    status?.containerStatuses?.[0]?.["resources"],
    status?.containerStatuses?.[0]?.["allocatedResources"],
  ];
  assert.deepEqual(statusOf(pod), [1, { requests }, requests]);
  const resized = live({
    ...pod,
    metadata: { ...metadata, generation: 2 },
    spec: { ...pod.spec, containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] },
  });
  assert.deepEqual(
    [resized.names, statusOf(resized.pod)],
    [["pod-observe"], [2, { requests: { cpu: "2" } }, { cpu: "2" }]],
  );
});

test("a pod that does not restart succeeds after one second or its annotated duration", () => {
  const running = live(podOf({ spec: { restartPolicy: "Never" } }), { count: 2 }).pod;
  assert.deepEqual([nextStage(running)?.name, delayMs(running)], ["pod-complete", 1000]);
  assert.equal(
    delayMs({ ...running, metadata: { ...metadata, annotations: { [runForAnnotation]: "1m" } } }),
    60_000,
  );
  const { pod } = live(podOf({ spec: { restartPolicy: "OnFailure" } }));
  assert.deepEqual([pod.status?.phase, readyOf(pod)?.reason], ["Succeeded", "PodCompleted"]);
});

test("a pod fails at its deadline, and a changed deadline restarts the delay", () => {
  const running = live(podOf(), { count: 2 }).pod;
  const due = (activeDeadlineSeconds: number): Pod => ({
    ...running,
    spec: { ...running.spec, activeDeadlineSeconds } as Pod["spec"],
  });
  const overdue = nextStage(due(5))!;
  assert.deepEqual(
    [overdue.name, delayMs(due(5)), overdue.next?.status?.["reason"]],
    ["pod-overdue", 5000, "DeadlineExceeded"],
  );
  assert.notEqual(lifecycle.delayBasis(overdue, due(5)), lifecycle.delayBasis(overdue, due(9)));
  assert.equal(live(due(5)).pod.status?.phase, "Failed");
});

test("a fate overrides the lifecycle", () => {
  assert.deepEqual(live(podOf({ fate: "hold" })).names, ["pod-create"]);
  assert.equal(live(podOf({ fate: "fail" })).pod.status?.phase, "Failed");
  assert.equal(live(podOf({ fate: "succeed" })).pod.status?.phase, "Succeeded");
  const evicted = live(podOf({ fate: "evict" })).pod;
  assert.deepEqual([evicted.status?.phase, evicted.status?.["reason"]], ["Failed", "Evicted"]);
  assert.ok(conditionsOf(evicted).includes("DisruptionTarget True"));
  const starved = podOf({ fate: "oom" });
  const crashed = live(starved, { count: 2 }).pod.status?.containerStatuses?.[0];
  assert.deepEqual((crashed!["lastState"] as { readonly terminated: object }).terminated, {
    exitCode: 137,
    reason: "OOMKilled",
    startedAt: "2024-01-01T00:00:00Z",
    finishedAt: "2024-01-01T00:00:00Z",
  });
});

test("a crash loop backs off, and the pod recovers when its fate changes", () => {
  const waits: number[] = [];
  let { pod } = live(podOf({ fate: "crash-loop" }), { count: 2 });
  for (let i = 0; i < 7; i++) {
    waits.push(delayMs(pod) / 1000);
    pod = live(pod, { count: 1 }).pod;
  }
  assert.deepEqual(waits, [10, 20, 40, 80, 160, 300, 300]);
  const { names, pod: well } = live({ ...pod, metadata });
  assert.deepEqual(
    [names, readyOf(well)?.status, well.status?.containerStatuses?.[0]?.restartCount],
    [["pod-start"], "True", 8],
  );
});

test("pods are not ready while their node is not", () => {
  const { pod } = live(podOf());
  const unready = live(pod, { at: { ...environment, ready: false } });
  assert.deepEqual(
    [unready.names, readyOf(unready.pod)?.message],
    [["pod-observe"], "containers with unready status: [c]"],
  );
  assert.deepEqual(live(unready.pod).names, ["pod-observe"]);
});

test("a pod with hostNetwork has the address of its node", () => {
  assert.equal(live(podOf({ spec: { hostNetwork: true } })).pod.status?.["podIP"], "192.168.0.1");
});
