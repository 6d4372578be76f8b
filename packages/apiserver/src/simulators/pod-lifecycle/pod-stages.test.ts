import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "../workload-objects.ts";
import { nodeStatus, nodeTaints } from "./fake-node.ts";
import { placePod } from "./place-pod.ts";
import { fateAnnotation, nextStage, type PodWorld, stateOf } from "./pod-stages.ts";

const world: PodWorld = { now: Date.parse("2024-01-01T00:00:00Z"), hostIp: "192.168.0.1", podIp: () => "10.244.0.1", nodeReady: true };
const metadata = { name: "p", namespace: "ns", uid: "p", resourceVersion: "1", creationTimestamp: "2024-01-01T00:00:00Z" };
const podOf = (more: { readonly fate?: string; readonly restartPolicy?: string; readonly spec?: object } = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...metadata, annotations: more.fate === undefined ? {} : { [fateAnnotation]: more.fate } },
  spec: { nodeName: "n", restartPolicy: more.restartPolicy ?? "Always", containers: [{ name: "c", image: "i" }], ...more.spec },
});

/** Steps through `count` stages at most. */
function live(pod: Pod, count = 5): { readonly pod: Pod; readonly names: readonly string[] } {
  const names: string[] = [];
  let at = pod;
  for (let stage = nextStage(at, world.nodeReady); stage?.status && names.length < count; stage = nextStage(at, world.nodeReady)) {
    names.push(stage.name);
    at = { ...at, status: { ...at.status, ...stage.status(at, world) } };
  }
  return { pod: at, names };
}

test("a pod is made, runs and stays", () => {
  const { pod, names } = live(podOf());
  assert.deepEqual(names, ["creating", "running"]);
  assert.equal(stateOf(pod), "running");
  assert.deepEqual([pod.status?.phase, pod.status?.["podIP"], pod.status?.startTime], ["Running", "10.244.0.1", "2024-01-01T00:00:00Z"]);
  assert.deepEqual(
    pod.status?.conditions?.map(({ type, status }) => `${type} ${status}`),
    ["PodReadyToStartContainers True", "Initialized True", "Ready True", "ContainersReady True", "PodScheduled True"],
  );
  assert.deepEqual(nextStage({ ...pod, metadata: { ...metadata, deletionTimestamp: "2024-01-01T00:00:01Z" } }, true)?.name, "removed");
});

test("a running pod takes what changes, and says which generation it has seen", () => {
  const requests = { cpu: "1" };
  const { pod } = live({ ...podOf({ spec: { containers: [{ name: "c", resources: { requests } }] } }), metadata: { ...metadata, generation: 1 } });
  const statusOf = ({ status }: Pod) => [status?.["observedGeneration"], status?.containerStatuses?.[0]?.["resources"], status?.containerStatuses?.[0]?.["allocatedResources"]];
  assert.deepEqual(statusOf(pod), [1, { requests }, requests]);
  const resized = live({ ...pod, metadata: { ...metadata, generation: 2 }, spec: { ...pod.spec, containers: [{ name: "c", resources: {} }] } });
  assert.deepEqual([resized.names, statusOf(resized.pod)], [["observed"], [2, {}, undefined]]);
});

test("a pod is not ready before its gates are open", () => {
  const { pod } = live(podOf({ spec: { readinessGates: [{ conditionType: "x/Open" }] } }));
  const ready = ({ status }: Pod) => status?.conditions?.find(({ type }) => type === "Ready");
  assert.deepEqual([ready(pod)?.status, ready(pod)?.reason, ready(pod)?.message], ["False", "ReadinessGatesNotReady", 'corresponding condition of pod readiness gate "x/Open" does not exist.']);
  assert.equal(nextStage(pod, true), undefined);
  const open = live({ ...pod, status: { ...pod.status, conditions: [...pod.status!.conditions!, { type: "x/Open", status: "True" }] } }, 1);
  assert.deepEqual([open.names, ready(open.pod)?.status], [["ready"], "True"]);
});

test("a pod fails when its deadline is over", () => {
  const { pod } = live(podOf({ spec: { activeDeadlineSeconds: 5 } }), 2);
  const stage = nextStage(pod, true)!;
  assert.equal(stage.afterMs(pod), 5000);
  const { phase, reason } = stage.status!(pod, world) as { readonly phase?: string; readonly reason?: string };
  assert.deepEqual([phase, reason], ["Failed", "DeadlineExceeded"]);
  assert.notEqual(nextStage({ ...pod, spec: podOf({ spec: { activeDeadlineSeconds: 6 } }).spec }, true)!.name, stage.name);
});

test("a pod that need not run for ever succeeds after a while", () => {
  const running = live(podOf({ restartPolicy: "Never" }), 2).pod;
  assert.deepEqual([nextStage(running, true)?.name, nextStage(running, true)?.afterMs(running)], ["succeeded", 1000]);
  const { pod } = live(podOf({ restartPolicy: "OnFailure" }));
  assert.equal(pod.status?.phase, "Succeeded");
  assert.equal(pod.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "PodCompleted");
});

test("a fate decides otherwise", () => {
  assert.deepEqual(live(podOf({ fate: "hold" })).names, ["creating"]);
  assert.equal(live(podOf({ fate: "fail" })).pod.status?.phase, "Failed");
  assert.equal(live(podOf({ fate: "succeed" })).pod.status?.phase, "Succeeded");
  assert.equal(stateOf(live(podOf({ fate: "unready" })).pod), "unready");
});

test("a pod in a crash loop waits longer each time, and recovers when its fate changes", () => {
  const waits: number[] = [];
  let pod = live(podOf({ fate: "crash-loop" }), 2).pod;
  for (let i = 0; i < 7; i++) {
    waits.push(nextStage(pod, true)!.afterMs(pod) / 1000);
    pod = live(pod, 1).pod;
  }
  assert.deepEqual(waits, [10, 20, 40, 80, 160, 300, 300]);
  const { names, pod: well } = live({ ...pod, metadata });
  assert.deepEqual([names, stateOf(well), well.status?.containerStatuses?.[0]?.restartCount], [["recovered"], "running", 8]);
});

test("pods are not ready while their node is not", () => {
  const { pod } = live(podOf());
  const stage = nextStage(pod, false);
  assert.equal(stage?.name, "unready");
  const unready = { ...pod, status: stage!.status!(pod, { ...world, nodeReady: false }) };
  assert.equal(stateOf(unready), "unready");
  assert.equal(nextStage(unready, false), undefined);
  assert.equal(nextStage(unready, true)?.name, "ready");
});

const nodeOf = (name: string, more: Partial<Node> & { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> } = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { ...metadata, name, labels: more.labels ?? {}, annotations: more.annotations ?? {} },
  ...(more.spec ? { spec: more.spec } : {}),
});

test("a pod goes to the emptiest node that takes it", () => {
  const tainted = nodeOf("tainted", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } });
  const cordoned = nodeOf("cordoned", { spec: { unschedulable: true } });
  const [a, b] = [nodeOf("a"), nodeOf("b", { labels: { disk: "fast" } })];
  assert.deepEqual(
    placePod(podOf(), [tainted, a, b], (name) => (name === "a" ? 2 : 1)),
    { node: "b" },
  );
  assert.deepEqual(
    placePod(podOf({ spec: { nodeSelector: { disk: "fast" } } }), [a, b], () => 0),
    { node: "b" },
  );
  assert.deepEqual(
    placePod(podOf({ spec: { tolerations: [{ key: "k", operator: "Equal", value: "v" }] } }), [tainted], () => 0),
    { node: "tainted" },
  );
  assert.deepEqual(
    placePod(podOf({ spec: { tolerations: [{ operator: "Exists" }] } }), [cordoned], () => 0),
    { node: "cordoned" },
  );
  const required = (...nodeSelectorTerms: readonly object[]): Pod => podOf({ spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } } });
  assert.deepEqual(
    placePod(required({ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }), [a, b], () => 0),
    { node: "b" },
  );
  assert.deepEqual(
    placePod(required({}, { matchExpressions: [{ key: "disk", operator: "DoesNotExist" }] }), [b, a], () => 0),
    { node: "a" },
  );
  assert.deepEqual(
    placePod(required({}), [a], () => 0),
    { message: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector." },
  );
  assert.deepEqual(
    placePod(podOf(), [], () => 0),
    { message: "no nodes available to schedule pods" },
  );
  assert.deepEqual(
    placePod(podOf(), [tainted, cordoned, { ...tainted }], () => 0),
    { message: "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)." },
  );
});

test("a node is ready and free of the taint unless a test wants it to fail", () => {
  const fresh = nodeOf("n", {
    spec: {
      taints: [
        { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
        { key: "mine", effect: "NoExecute" },
      ],
    },
  });
  assert.deepEqual(nodeTaints(fresh), [{ key: "mine", effect: "NoExecute" }]);
  const status = nodeStatus(fresh, { hostIp: "192.168.0.1", now: world.now }) as NonNullable<Node["status"]>;
  assert.equal(status.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  assert.equal(nodeStatus({ ...fresh, status }, { hostIp: "192.168.0.1", now: world.now }), undefined);
  const failing = nodeOf("n", { annotations: { "simulator.homeostat.dev/ready": "false" } });
  assert.deepEqual(nodeTaints(failing), [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }]);
  assert.ok(nodeStatus({ ...failing, status }, { hostIp: "192.168.0.1", now: world.now }));
});
