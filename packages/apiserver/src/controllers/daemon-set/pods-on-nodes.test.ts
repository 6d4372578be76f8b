import assert from "node:assert/strict";
import { test } from "node:test";
import type { DaemonSet, DaemonSetStatus } from "homeostat/k8s/apps/v1";
import type { Node, Pod, PodSpec, PodPhase, Toleration } from "homeostat/k8s/core/v1";
import { daemonPodTemplate, eligibility, targetNode } from "./daemon-pod.ts";
import { countNodes, saysCounts, withCounts } from "./daemon-status.ts";
import { FailedPods } from "./failed-pods.ts";
import { type DaemonState, managePods, podsByNode } from "./pods-on-nodes.ts";
import { rollingUpdate } from "./rolling-update.ts";

const now = Date.parse("2024-01-01T01:00:00Z");
const metadata = (name: string): Node["metadata"] => ({
  name,
  namespace: "ns",
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
});
const nodeOf = (
  name: string,
  more: {
    readonly labels?: Record<string, string>;
    readonly taints?: NonNullable<Node["spec"]>["taints"];
  } = {},
): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { ...metadata(name), labels: more.labels ?? {} },
  spec: more.taints ? { taints: more.taints } : {},
  status: {},
});
const noCounts: DaemonSetStatus = {
  desiredNumberScheduled: 0,
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};
const setOf = (
  more: {
    readonly template?: Partial<PodSpec>;
    readonly rolling?: object;
    readonly minReadySeconds?: number;
  } = {},
): DaemonSet => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: {
    ...metadata("agent"),
    generation: 4,
    annotations: { "deprecated.daemonset.template.generation": "4" },
  },
  spec: {
    selector: {},
    minReadySeconds: more.minReadySeconds ?? 0,
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [], ...more.template },
    },
    updateStrategy: {
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 1, maxSurge: 0, ...more.rolling },
    },
  },
  status: noCounts,
});

interface State {
  readonly on?: string;
  readonly meant?: string;
  readonly hash?: string;
  readonly phase?: PodPhase;
  readonly ready?: boolean;
  readonly going?: boolean;
}
const podOf = (
  name: string,
  { on, meant, hash = "new", phase = "Running", ready = true, going = false }: State,
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    ...metadata(name),
    labels: { "controller-revision-hash": hash },
    ...(going ? { deletionTimestamp: "2024-01-01T00:30:00Z" } : {}),
  },
  spec: {
    containers: [],
    ...(on === undefined ? {} : { nodeName: on }),
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchFields: [{ key: "metadata.name", operator: "In", values: [meant ?? on ?? ""] }],
            },
          ],
        },
      },
    },
  },
  status: {
    phase,
    conditions: [
      {
        type: "Ready",
        status: ready ? "True" : "False",
        lastTransitionTime: "2024-01-01T00:59:50Z",
      },
    ],
  },
});
const state = (
  pods: readonly Pod[],
  more: { readonly set?: DaemonSet; readonly nodes?: readonly Node[] } = {},
): DaemonState => ({
  set: more.set ?? setOf(),
  nodes: more.nodes ?? ["a", "b", "c"].map((name) => nodeOf(name)),
  pods: podsByNode(pods, "living"),
  hash: "new",
  now,
});
const managed = (given: DaemonState, isHeldBack = (): boolean => false): unknown => {
  const work = managePods(given, isHeldBack);
  return [work.create, work.delete.map((pod) => pod.metadata.name)];
};
const rolled = (given: DaemonState): unknown => {
  const work = rollingUpdate(given);
  return [work.create, work.delete.map((pod) => pod.metadata.name)];
};

test("a pod is created for its node, and tolerates the node's condition taints", () => {
  const own: Toleration[] = [
    { key: "x", operator: "Exists" },
    {
      key: "node.kubernetes.io/not-ready",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 5,
    },
  ];
  const affinity = {
    podAffinity: {},
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [],
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] },
    },
  };
  const { metadata: meta, spec } = daemonPodTemplate(
    setOf({ template: { hostNetwork: true, tolerations: own, affinity } }),
    { node: "a", hash: "new" },
  );
  assert.deepEqual(meta?.labels, {
    app: "agent",
    "pod-template-generation": "4",
    "controller-revision-hash": "new",
  });
  const { tolerations = [] } = spec ?? {};
  assert.deepEqual(
    tolerations.map(({ key }) => key?.replace("node.kubernetes.io/", "")),
    [
      "x",
      "not-ready",
      "unreachable",
      "disk-pressure",
      "memory-pressure",
      "pid-pressure",
      "unschedulable",
      "network-unavailable",
    ],
  );
  assert.equal(tolerations[1]?.tolerationSeconds, undefined);
  assert.equal(targetNode({ ...podOf("p", {}), spec: spec! }), "a");
  assert.deepEqual(Object.keys(spec?.affinity ?? {}), ["podAffinity", "nodeAffinity"]);
});

test("taints, labels and names decide which node runs a pod", () => {
  const set = setOf({ template: { nodeSelector: { disk: "ssd" } } });
  const on = (taints: NonNullable<Node["spec"]>["taints"]): string =>
    eligibility(set, nodeOf("a", { labels: { disk: "ssd" }, taints: taints! }));
  assert.equal(eligibility(set, nodeOf("a")), "go");
  assert.equal(on([{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]), "run");
  assert.equal(on([{ key: "k", effect: "PreferNoSchedule" }]), "run");
  assert.equal(on([{ key: "k", effect: "NoSchedule" }]), "stay");
  assert.equal(on([{ key: "k", effect: "NoExecute" }]), "go");
  assert.equal(eligibility(setOf({ template: { nodeName: "b" } }), nodeOf("a")), "go");
});

test("a node has one pod: a missing one is created, surplus and finished ones are deleted", () => {
  assert.deepEqual(
    managed(state([podOf("p", { on: "a" }), podOf("q", { on: "a" }), podOf("r", { meant: "a" })])),
    [
      ["b", "c"],
      ["q", "r"],
    ],
  );
  assert.deepEqual(
    managed(
      state([
        podOf("f", { on: "a", phase: "Failed" }),
        podOf("s", { on: "b", phase: "Succeeded" }),
        podOf("g", { on: "c", going: true }),
      ]),
    ),
    [[], ["f", "s"]],
  );
  assert.deepEqual(
    managed(state([podOf("f", { on: "a", phase: "Failed" })]), () => true),
    [["b", "c"], []],
  );
  assert.deepEqual(
    managed(state([podOf("lost", { meant: "z" }), podOf("there", { on: "z" })], { nodes: [] })),
    [[], ["lost"]],
  );
  const tainted = nodeOf("a", { taints: [{ key: "k", effect: "NoSchedule" }] });
  assert.deepEqual(managed(state([podOf("p", { on: "a" })], { nodes: [tainted] })), [[], []]);
  assert.deepEqual(managed(state([], { nodes: [tainted] })), [[], []]);
});

test("while surging, an old and a new pod share a node until the new one is available", () => {
  const set = setOf({ rolling: { maxSurge: 1, maxUnavailable: 0 }, minReadySeconds: 5 });
  const nodes = [nodeOf("a")];
  const old = podOf("old", { on: "a", hash: "old" });
  assert.deepEqual(managed(state([old, podOf("new", { on: "a", ready: false })], { set, nodes })), [
    [],
    [],
  ]);
  assert.deepEqual(managed(state([old, podOf("new", { on: "a" })], { set, nodes })), [[], ["old"]]);
  assert.deepEqual(
    managed(
      state(
        [
          podOf("old", { on: "a", hash: "old", ready: false }),
          podOf("new", { on: "a", ready: false }),
        ],
        { set, nodes },
      ),
    ),
    [[], ["old"]],
  );
  assert.deepEqual(managed(state([podOf("gone", { on: "a", going: true })], { set, nodes })), [
    ["a"],
    [],
  ]);
});

test("in place, old pods are deleted within the bound, and unavailable ones at once", () => {
  const old = ["a", "b", "c"].map((node) => podOf(node, { on: node, hash: "old" }));
  assert.deepEqual(rolled(state(old)), [[], ["a"]]);
  assert.deepEqual(rolled(state([podOf("a", { on: "a", ready: false }), old[1]!, old[2]!])), [
    [],
    [],
  ]);
  assert.deepEqual(
    rolled(state([podOf("x", { on: "a", hash: "old", ready: false }), old[1]!, old[2]!])),
    [[], ["x"]],
  );
  assert.deepEqual(rolled(state(old, { set: setOf({ rolling: { maxUnavailable: "50%" } }) })), [
    [],
    ["a", "b"],
  ]);
  assert.deepEqual(rolled(state(old, { set: setOf({ rolling: { maxUnavailable: 0 } }) })), [
    [],
    ["a"],
  ]);
});

test("with surge, new pods are created first", () => {
  const set = setOf({ rolling: { maxSurge: 1, maxUnavailable: 0 } });
  const old = ["a", "b", "c"].map((node) => podOf(node, { on: node, hash: "old" }));
  assert.deepEqual(rolled(state(old, { set })), [["a"], []]);
  assert.deepEqual(rolled(state([...old, podOf("n", { on: "a", ready: false })], { set })), [
    [],
    [],
  ]);
  assert.deepEqual(rolled(state([...old, podOf("n", { on: "a" })], { set })), [["b"], ["a"]]);
  assert.deepEqual(
    rolled(state([podOf("x", { on: "a", hash: "old", ready: false }), old[1]!, old[2]!], { set })),
    [["a", "b"], []],
  );
  assert.throws(() => rolled(state(old, { set, nodes: [] })), /node "a"/);
});

test("the status counts nodes, the oldest pod speaks for each, and zero is left out where Go leaves it out", () => {
  const nodes = [
    nodeOf("a"),
    nodeOf("b"),
    nodeOf("c", { taints: [{ key: "k", effect: "NoSchedule" }] }),
  ];
  const given = state(
    [podOf("p", { on: "a" }), podOf("q", { meant: "a", ready: false }), podOf("r", { on: "c" })],
    { nodes },
  );
  const counts = countNodes(given);
  assert.deepEqual(counts, {
    desiredNumberScheduled: 2,
    currentNumberScheduled: 1,
    numberMisscheduled: 1,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  });
  const status = withCounts(
    { ...noCounts, numberUnavailable: 7, collisionCount: 1 },
    countNodes(state([], { nodes: [] })),
    4,
  );
  assert.deepEqual(status, {
    collisionCount: 1,
    desiredNumberScheduled: 0,
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    numberReady: 0,
    observedGeneration: 4,
  });
  assert.equal(saysCounts({ ...given.set, status: withCounts(noCounts, counts, 4) }, counts), true);
  assert.equal(
    saysCounts({ ...given.set, status: withCounts(noCounts, counts, 3) }, counts),
    false,
  );
});

test("failed pods are left the longer, the more often they fail", () => {
  const clock = { at: 0, monotonic: (): number => clock.at };
  const failed = new FailedPods(clock);
  const set = setOf();
  assert.equal(failed.next(set, "a"), 0);
  assert.equal(failed.next(set, "a"), 1000);
  assert.equal(failed.next(set, "b"), 0);
  clock.at = 1000;
  assert.equal(failed.next(set, "a"), 0);
  clock.at = 2999;
  assert.equal(failed.next(set, "a"), 2000);
  clock.at += 31 * 60_000;
  assert.equal(failed.next(set, "a"), 0);
  assert.equal(failed.next(set, "a"), 1000);
});
