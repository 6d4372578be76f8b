import assert from "node:assert/strict";
import { test } from "node:test";
import { storedMetadata } from "../../component-helpers/meta/stored-metadata.suite.ts";
import type { Node, Taint } from "homeostat/k8s/core/v1";
import {
  nextLabels,
  nextTaints,
  type Eviction,
  evictionByZone,
  graceMs,
  unknownConditions,
} from "./node-health.ts";

const timeAdded = "2024-01-01T00:00:00Z";
const now = Date.parse(timeAdded);
const nodeOf = (
  ready: "True" | "False" | "Unknown" | undefined,
  spec: Node["spec"] = {},
  more: readonly object[] = [],
): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: storedMetadata("n", {
    creationTimestamp: "2023-12-31T00:00:00Z",
    labels: { "kubernetes.io/os": "linux" },
  }),
  spec: spec!,
  status: { conditions: [...(ready ? [{ type: "Ready", status: ready }] : []), ...more] as never },
});
const taint = (name: string, effect: Taint["effect"]): Taint => ({
  key: `node.kubernetes.io/${name}`,
  effect,
});

const taintsOf = (node: Node, eviction: Eviction = "yes"): readonly Taint[] | undefined =>
  nextTaints(node, { now, eviction });

test("taints follow from conditions and cordons; those of others stay", () => {
  const mine: Taint = { key: "mine", effect: "NoSchedule" };
  assert.deepEqual(taintsOf(nodeOf("False", { taints: [mine] })), [
    mine,
    { ...taint("not-ready", "NoSchedule"), timeAdded },
    { ...taint("not-ready", "NoExecute"), timeAdded },
  ]);
  const both = [taint("not-ready", "NoSchedule"), taint("not-ready", "NoExecute")];
  assert.equal(taintsOf(nodeOf("False", { taints: both })), undefined);
  assert.deepEqual(taintsOf(nodeOf("Unknown", { taints: both })), [
    { ...taint("unreachable", "NoSchedule"), timeAdded },
    { ...taint("unreachable", "NoExecute"), timeAdded },
  ]);
  assert.deepEqual(taintsOf(nodeOf("True", { taints: [mine, ...both] })), [mine]);
  assert.deepEqual(
    taintsOf(nodeOf("True", { unschedulable: true }, [{ type: "DiskPressure", status: "True" }])),
    [
      { ...taint("disk-pressure", "NoSchedule"), timeAdded },
      { ...taint("unschedulable", "NoSchedule"), timeAdded },
    ],
  );
});

test("a node that has never spoken loses the taint that it was born with", () => {
  assert.deepEqual(taintsOf(nodeOf(undefined, { taints: [taint("not-ready", "NoSchedule")] })), []);
});

test("a node without heartbeats becomes unknown, with or without a first one", () => {
  assert.deepEqual([graceMs(nodeOf(undefined)), graceMs(nodeOf("True"))], [60_000, 50_000]);
  const reasons = (node: Node) =>
    unknownConditions(node, now)?.map((one) => (one as { reason: string }).reason);
  assert.deepEqual(
    reasons(nodeOf(undefined)),
    Array.from({ length: 4 }, () => "NodeStatusNeverUpdated"),
  );
  assert.deepEqual(reasons(nodeOf("True"))?.[0], "NodeStatusUnknown");
  assert.equal(unknownConditions(nodeOf("Unknown"), now), undefined);
});

test("the old names of labels follow the new ones", () => {
  assert.deepEqual(nextLabels(nodeOf("True")), { "beta.kubernetes.io/os": "linux" });
});

test("evicts no pods when all zones are down, and no further pods when most of a zone is", () => {
  const inZone = (zone: string, ready: "True" | "False"): Node => {
    const node = nodeOf(ready);
    return {
      ...node,
      metadata: { ...node.metadata, labels: { "topology.kubernetes.io/zone": zone } },
    };
  };
  const [up, down] = [inZone("a", "True"), inZone("a", "False")];
  assert.equal(evictionByZone([down, inZone("b", "False")])(down), "never");
  assert.equal(evictionByZone([down, inZone("b", "True")])(down), "yes");
  assert.equal(evictionByZone([up, down, down])(down), "yes");
  assert.equal(evictionByZone([up, up, down, down, down])(down), "no more");
  assert.deepEqual(
    taintsOf(nodeOf("False"), "never")?.map(({ effect }) => effect),
    ["NoSchedule"],
  );
  const begun = nodeOf("False", {
    taints: [taint("not-ready", "NoSchedule"), taint("not-ready", "NoExecute")],
  });
  assert.equal(taintsOf(begun, "no more"), undefined);
  assert.deepEqual(taintsOf(begun, "never"), [taint("not-ready", "NoSchedule")]);
});
