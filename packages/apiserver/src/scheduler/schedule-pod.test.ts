import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import type { Snapshot } from "./snapshot.ts";
import { schedulePod, preFilterMessage } from "./schedule-pod.ts";
import { sumRequests } from "./resource-fit.ts";

const nodeOf = (
  name: string,
  {
    labels = {},
    spec = {},
    allocatable = {},
  }: { readonly labels?: object; readonly spec?: object; readonly allocatable?: object } = {},
): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: "",
    labels: { "kubernetes.io/hostname": name, ...labels },
  },
  spec,
  status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable } },
});
const podOf = (spec: object = {}, labels: Record<string, string> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "p",
    namespace: "ns",
    uid: "p",
    resourceVersion: "1",
    creationTimestamp: "",
    labels,
  },
  spec: { containers: [{ name: "c" }], ...spec },
  status: {},
});
const requesting = (cpu: string, more: object = {}): Pod =>
  podOf({ containers: [{ name: "c", resources: { requests: { cpu } } }], ...more });
const snapshotOf = (
  nodes: readonly Node[],
  pods: Readonly<Record<string, readonly Pod[]>> = {},
): Snapshot => ({
  nodes,
  podsOn: (node) => pods[node] ?? [],
  requestsOf: sumRequests,
  namespaceLabels: (name) => ({ name }),
});
const place = (pod: Pod, snapshot: Snapshot): string => {
  const placed = schedulePod(pod, snapshot);
  return "node" in placed ? placed.node : placed.message;
};
const tail = (cures: string, count: number): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${cures}.`;
const unhelpful = (count: number): string =>
  tail(`${count} Preemption is not helpful for scheduling`, count);

test("a pod goes to the fitting node with the fewest pods", () => {
  const tainted = nodeOf("tainted", {
    spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] },
  });
  const [a, b] = [nodeOf("a"), nodeOf("b", { labels: { disk: "fast" } })];
  assert.equal(place(podOf(), snapshotOf([tainted, a, b], { a: [podOf()] })), "b");
  assert.equal(place(podOf(), snapshotOf([b, a])), "a");
  assert.equal(place(podOf({ nodeSelector: { disk: "fast" } }), snapshotOf([a, b])), "b");
  assert.equal(
    place(
      podOf({ tolerations: [{ key: "k", operator: "Equal", value: "v" }] }),
      snapshotOf([tainted]),
    ),
    "tainted",
  );
  assert.equal(
    place(
      podOf({ tolerations: [{ operator: "Exists" }] }),
      snapshotOf([nodeOf("cordoned", { spec: { unschedulable: true } })]),
    ),
    "cordoned",
  );
});

test("preferences score the nodes that fit", () => {
  const preferring = podOf({
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] } },
        ],
      },
    },
  });
  assert.equal(
    place(
      preferring,
      snapshotOf([nodeOf("a"), nodeOf("b", { labels: { disk: "x" } })], { b: [podOf()] }),
    ),
    "b",
  );
  assert.equal(
    place(
      podOf(),
      snapshotOf(
        [
          nodeOf("a", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }),
          nodeOf("b"),
        ],
        { b: [podOf()] },
      ),
    ),
    "b",
  );
});

test("the message of an unschedulable pod is kube-scheduler's", () => {
  assert.equal(place(podOf(), snapshotOf([])), "no nodes available to schedule pods");
  const tainted = nodeOf("tainted", { spec: { taints: [{ key: "k", effect: "NoExecute" }] } });
  const cordoned = nodeOf("cordoned", {
    spec: {
      unschedulable: true,
      taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
    },
  });
  assert.equal(
    place(podOf(), snapshotOf([tainted, cordoned, tainted])),
    `0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).${unhelpful(3)}`,
  );
  assert.equal(
    place(podOf({ nodeSelector: { a: "b" } }), snapshotOf([nodeOf("a")])),
    `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.${unhelpful(1)}`,
  );
  const named = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] },
          ],
        },
      },
    },
  };
  assert.equal(
    place(requesting("5", named), snapshotOf([nodeOf("a"), nodeOf("b")])),
    `0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].${unhelpful(2)}`,
  );
  assert.equal(
    preFilterMessage(
      podOf(),
      "pod has unbound immediate PersistentVolumeClaims",
      snapshotOf([nodeOf("a")]),
    ),
    `0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.${unhelpful(1)}`,
  );
});

test("requests must fit into what is left of allocatable", () => {
  const full = snapshotOf([nodeOf("a")], { a: [requesting("3")] });
  assert.equal(place(requesting("1"), full), "a");
  assert.equal(
    place(requesting("1001m"), full),
    `0/1 nodes are available: 1 Insufficient cpu.${tail("1 No preemption victims found for incoming pod", 1)}`,
  );
  assert.equal(
    place(requesting("5"), full),
    `0/1 nodes are available: 1 Insufficient cpu.${unhelpful(1)}`,
  );
  assert.equal(
    place(requesting("2", { preemptionPolicy: "Never" }), full),
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  );
  assert.match(
    place(podOf(), snapshotOf([nodeOf("a", { allocatable: { pods: "1" } })], { a: [podOf()] })),
    /^0\/1 nodes are available: 1 Too many pods\. /,
  );
  assert.match(
    place(
      podOf({
        containers: [
          { name: "c", resources: { requests: { "example.com/gpu": "1", memory: "9Gi" } } },
        ],
      }),
      snapshotOf([nodeOf("a")]),
    ),
    /: 1 Insufficient example\.com\/gpu, 1 Insufficient memory\. /,
  );
  const init = podOf({ initContainers: [{ name: "i", resources: { requests: { cpu: "5" } } }] });
  assert.match(place(init, snapshotOf([nodeOf("a")])), /1 Insufficient cpu/);
});

test("a host port is used once", () => {
  const serving = (hostIP?: string): Pod =>
    podOf({
      containers: [
        { name: "c", ports: [{ containerPort: 80, hostPort: 80, ...(hostIP ? { hostIP } : {}) }] },
      ],
    });
  assert.match(
    place(serving(), snapshotOf([nodeOf("a")], { a: [serving("127.0.0.1")] })),
    /1 node\(s\) didn't have free ports for the requested pod ports/,
  );
  assert.equal(
    place(serving("127.0.0.2"), snapshotOf([nodeOf("a")], { a: [serving("127.0.0.1")] })),
    "a",
  );
});

const apart = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "db" } } },
    ],
  },
};
const near = {
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: "zone", labelSelector: { matchLabels: { app: "db" } } },
    ],
  },
};

test("required inter-pod affinity and anti-affinity hold", () => {
  const db = podOf({ affinity: apart }, { app: "db" });
  const nodes = [
    nodeOf("a", { labels: { zone: "1" } }),
    nodeOf("b", { labels: { zone: "1" } }),
    nodeOf("c", { labels: { zone: "2" } }),
  ];
  assert.equal(place(db, snapshotOf(nodes, { a: [db] })), "b");
  assert.match(
    place(db, snapshotOf(nodes.slice(0, 1), { a: [db] })),
    /^0\/1 nodes are available: 1 node\(s\) didn't match pod anti-affinity rules\. .*No preemption victims/,
  );
  assert.match(
    place(podOf({}, { app: "db" }), snapshotOf(nodes.slice(0, 1), { a: [db] })),
    /1 node\(s\) didn't satisfy existing pods anti-affinity rules\./,
  );
  assert.equal(place(podOf({ affinity: near }), snapshotOf(nodes, { a: [db] })), "b");
  assert.match(
    place(podOf({ affinity: near }), snapshotOf(nodes)),
    /^0\/3 nodes are available: 3 node\(s\) didn't match pod affinity rules\./,
  );
  assert.equal(place(podOf({ affinity: near }, { app: "db" }), snapshotOf(nodes)), "a");
  const elsewhere = { ...db, metadata: { ...db.metadata, namespace: "other" } };
  assert.equal(place(db, snapshotOf(nodes.slice(0, 1), { a: [elsewhere] })), "a");
});

test("topology spread constraints hold", () => {
  const spread = (more: object = {}): Pod =>
    podOf(
      {
        topologySpreadConstraints: [
          {
            topologyKey: "zone",
            maxSkew: 1,
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { app: "web" } },
            ...more,
          },
        ],
      },
      { app: "web" },
    );
  const [a, b, bare] = [
    nodeOf("a", { labels: { zone: "1" } }),
    nodeOf("b", { labels: { zone: "2" }, spec: { unschedulable: true } }),
    nodeOf("bare"),
  ];
  const web = podOf({}, { app: "web" });
  assert.equal(place(spread(), snapshotOf([a, b])), "a");
  assert.match(
    place(spread(), snapshotOf([a, b], { a: [web] })),
    /^0\/2 nodes are available: 1 node\(s\) didn't match pod topology spread constraints, 1 node\(s\) were unschedulable\./,
  );
  assert.equal(
    place(
      spread({ nodeTaintsPolicy: "Honor" }),
      snapshotOf(
        [
          a,
          nodeOf("b", {
            labels: { zone: "2" },
            spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
          }),
        ],
        { a: [web] },
      ),
    ),
    "a",
  );
  assert.match(
    place(spread(), snapshotOf([bare])),
    /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)\./,
  );
});
