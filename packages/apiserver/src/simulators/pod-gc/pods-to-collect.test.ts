import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod } from "../workload-objects.ts";
import { missingNodes, podsToCollect } from "./pods-to-collect.ts";

const pod = (name: string, { phase = "Running", reason, nodeName, going, created = 0 }: { phase?: string; reason?: string; nodeName?: string; going?: true; created?: number } = {}): Pod =>
  ({
    metadata: { name, uid: name, creationTimestamp: new Date(created * 1000).toISOString(), ...(going ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
    status: { phase, ...(reason === undefined ? {} : { reason }) },
  }) as unknown as Pod;

const node = (name: string, ready: "True" | "Unknown", taint?: string): [string, Node] => [
  name,
  { metadata: { name }, spec: { taints: taint === undefined ? [] : [{ key: taint, effect: "NoExecute" }] }, status: { conditions: [{ type: "Ready", status: ready }] } } as unknown as Node,
];

const around = { nodes: new Map<string, Node>(), goneNodes: new Set<string>(), endedLimit: 2 };
const names = (...args: Parameters<typeof podsToCollect>): readonly string[] => podsToCollect(...args).map((each) => each.pod.metadata.name + (each.orphaned ? " (orphaned)" : ""));

test("of pods that have ended as many as allowed are left: evicted ones go first, then the oldest", () => {
  const ended = [
    pod("new", { phase: "Succeeded", created: 9 }),
    pod("b", { phase: "Failed", created: 1 }),
    pod("a", { phase: "Failed", created: 1 }),
    pod("evicted", { phase: "Failed", reason: "Evicted", created: 10 }),
  ];
  assert.deepEqual(names([...ended, pod("running")], around), ["evicted", "a"]);
  assert.deepEqual(names(ended, { ...around, endedLimit: 4 }), []);
  assert.deepEqual(names(ended, { ...around, endedLimit: 0 }), []);
});

test("pods that go are removed on nodes out of service, and where they have no node", () => {
  const nodes = new Map([node("lost", "Unknown", "node.kubernetes.io/out-of-service"), node("back", "True", "node.kubernetes.io/out-of-service"), node("mute", "Unknown")]);
  const pods = ["lost", "back", "mute"].map((nodeName) => pod(`on ${nodeName}`, { nodeName, going: true }));
  assert.deepEqual(names([...pods, pod("stays", { nodeName: "lost" }), pod("unplaced", { phase: "Pending", going: true }), pod("waiting", { phase: "Pending" })], { ...around, nodes }), [
    "on lost",
    "unplaced",
  ]);
});

test("pods of nodes that are gone for certain are removed, whatever their state, each once", () => {
  const pods = [pod("running", { nodeName: "gone" }), pod("through", { nodeName: "gone", phase: "Succeeded" }), pod("elsewhere", { nodeName: "there" })];
  const nodes = new Map([node("there", "True")]);
  assert.deepEqual(missingNodes([...pods, pod("unplaced")], nodes), ["gone"]);
  assert.deepEqual(names(pods, { ...around, nodes, goneNodes: new Set(["gone"]) }), ["running (orphaned)", "through (orphaned)"]);
});
