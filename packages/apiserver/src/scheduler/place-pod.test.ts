import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import type { Fleet } from "./fleet.ts";
import { placePod, unaskedMessage } from "./place-pod.ts";
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
const asking = (cpu: string, more: object = {}): Pod =>
  podOf({ containers: [{ name: "c", resources: { requests: { cpu } } }], ...more });
const fleetOf = (
  nodes: readonly Node[],
  pods: Readonly<Record<string, readonly Pod[]>> = {},
): Fleet => ({
  nodes,
  podsOn: (node) => pods[node] ?? [],
  requestsOf: sumRequests,
  namespaceLabels: (name) => ({ name }),
});
const place = (pod: Pod, fleet: Fleet): string => {
  const placed = placePod(pod, fleet);
  return "node" in placed ? placed.node : placed.message;
};
const tail = (cures: string, count: number): string =>
  ` no new claims to deallocate, preemption: 0/${count} nodes are available: ${cures}.`;
const unhelpful = (count: number): string =>
  tail(`${count} Preemption is not helpful for scheduling`, count);

test("a pod goes to the emptiest node that takes it", () => {
  const tainted = nodeOf("tainted", {
    spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] },
  });
  const [a, b] = [nodeOf("a"), nodeOf("b", { labels: { disk: "fast" } })];
  assert.equal(place(podOf(), fleetOf([tainted, a, b], { a: [podOf()] })), "b");
  assert.equal(place(podOf(), fleetOf([b, a])), "a");
  assert.equal(place(podOf({ nodeSelector: { disk: "fast" } }), fleetOf([a, b])), "b");
  assert.equal(
    place(
      podOf({ tolerations: [{ key: "k", operator: "Equal", value: "v" }] }),
      fleetOf([tainted]),
    ),
    "tainted",
  );
  assert.equal(
    place(
      podOf({ tolerations: [{ operator: "Exists" }] }),
      fleetOf([nodeOf("cordoned", { spec: { unschedulable: true } })]),
    ),
    "cordoned",
  );
});

test("preferences decide among those that take it", () => {
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
      fleetOf([nodeOf("a"), nodeOf("b", { labels: { disk: "x" } })], { b: [podOf()] }),
    ),
    "b",
  );
  assert.equal(
    place(
      podOf(),
      fleetOf(
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

test("why no node takes it is said in kube-scheduler's words", () => {
  assert.equal(place(podOf(), fleetOf([])), "no nodes available to schedule pods");
  const tainted = nodeOf("tainted", { spec: { taints: [{ key: "k", effect: "NoExecute" }] } });
  const cordoned = nodeOf("cordoned", {
    spec: {
      unschedulable: true,
      taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
    },
  });
  assert.equal(
    place(podOf(), fleetOf([tainted, cordoned, tainted])),
    `0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).${unhelpful(3)}`,
  );
  assert.equal(
    place(podOf({ nodeSelector: { a: "b" } }), fleetOf([nodeOf("a")])),
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
    place(asking("5", named), fleetOf([nodeOf("a"), nodeOf("b")])),
    `0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity].${unhelpful(2)}`,
  );
  assert.equal(
    unaskedMessage(
      podOf(),
      "pod has unbound immediate PersistentVolumeClaims",
      fleetOf([nodeOf("a")]),
    ),
    `0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.${unhelpful(1)}`,
  );
});

test("room is what is left of allocatable", () => {
  const full = fleetOf([nodeOf("a")], { a: [asking("3")] });
  assert.equal(place(asking("1"), full), "a");
  assert.equal(
    place(asking("1001m"), full),
    `0/1 nodes are available: 1 Insufficient cpu.${tail("1 No preemption victims found for incoming pod", 1)}`,
  );
  assert.equal(
    place(asking("5"), full),
    `0/1 nodes are available: 1 Insufficient cpu.${unhelpful(1)}`,
  );
  assert.equal(
    place(asking("2", { preemptionPolicy: "Never" }), full),
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
  );
  assert.match(
    place(podOf(), fleetOf([nodeOf("a", { allocatable: { pods: "1" } })], { a: [podOf()] })),
    /^0\/1 nodes are available: 1 Too many pods\. /,
  );
  assert.match(
    place(
      podOf({
        containers: [
          { name: "c", resources: { requests: { "example.com/gpu": "1", memory: "9Gi" } } },
        ],
      }),
      fleetOf([nodeOf("a")]),
    ),
    /: 1 Insufficient example\.com\/gpu, 1 Insufficient memory\. /,
  );
  const init = podOf({ initContainers: [{ name: "i", resources: { requests: { cpu: "5" } } }] });
  assert.match(place(init, fleetOf([nodeOf("a")])), /1 Insufficient cpu/);
});

test("a port of the host is taken once", () => {
  const serving = (hostIP?: string): Pod =>
    podOf({
      containers: [
        { name: "c", ports: [{ containerPort: 80, hostPort: 80, ...(hostIP ? { hostIP } : {}) }] },
      ],
    });
  assert.match(
    place(serving(), fleetOf([nodeOf("a")], { a: [serving("127.0.0.1")] })),
    /1 node\(s\) didn't have free ports for the requested pod ports/,
  );
  assert.equal(
    place(serving("127.0.0.2"), fleetOf([nodeOf("a")], { a: [serving("127.0.0.1")] })),
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

test("pods keep apart, and together, as they require it", () => {
  const db = podOf({ affinity: apart }, { app: "db" });
  const nodes = [
    nodeOf("a", { labels: { zone: "1" } }),
    nodeOf("b", { labels: { zone: "1" } }),
    nodeOf("c", { labels: { zone: "2" } }),
  ];
  assert.equal(place(db, fleetOf(nodes, { a: [db] })), "b");
  assert.match(
    place(db, fleetOf(nodes.slice(0, 1), { a: [db] })),
    /^0\/1 nodes are available: 1 node\(s\) didn't match pod anti-affinity rules\. .*No preemption victims/,
  );
  assert.match(
    place(podOf({}, { app: "db" }), fleetOf(nodes.slice(0, 1), { a: [db] })),
    /1 node\(s\) didn't satisfy existing pods anti-affinity rules\./,
  );
  assert.equal(place(podOf({ affinity: near }), fleetOf(nodes, { a: [db] })), "b");
  assert.match(
    place(podOf({ affinity: near }), fleetOf(nodes)),
    /^0\/3 nodes are available: 3 node\(s\) didn't match pod affinity rules\./,
  );
  assert.equal(place(podOf({ affinity: near }, { app: "db" }), fleetOf(nodes)), "a");
  const elsewhere = { ...db, metadata: { ...db.metadata, namespace: "other" } };
  assert.equal(place(db, fleetOf(nodes.slice(0, 1), { a: [elsewhere] })), "a");
});

test("pods are spread as evenly as they require it", () => {
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
  assert.equal(place(spread(), fleetOf([a, b])), "a");
  assert.match(
    place(spread(), fleetOf([a, b], { a: [web] })),
    /^0\/2 nodes are available: 1 node\(s\) didn't match pod topology spread constraints, 1 node\(s\) were unschedulable\./,
  );
  assert.equal(
    place(
      spread({ nodeTaintsPolicy: "Honor" }),
      fleetOf(
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
    place(spread(), fleetOf([bare])),
    /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)\./,
  );
});
