import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "homeostat/k8s/core/v1";
import {
  freeAddress,
  freeNetwork,
  moodOf,
  networkOf,
  nodeManifest,
  nodeStatus,
} from "./fake-node.ts";

const now = Date.parse("2024-01-01T00:00:00Z");
const nodeOf = (annotations: Record<string, string> = {}, status?: Node["status"]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "n",
    uid: "n",
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:00:00Z",
    annotations,
    labels: { "kubernetes.io/arch": "arm64" },
  },
  spec: {},
  status: status ?? {},
});
const readyOf = (status: object | undefined): string | undefined =>
  (status as Node["status"])?.conditions?.find(({ type }) => type === "Ready")?.status;

test("a node says that it is ready, and says it again every five minutes", () => {
  const status = nodeStatus(nodeOf(), { hostIp: "192.168.0.1", now }) as NonNullable<
    Node["status"]
  >;
  assert.deepEqual(
    [readyOf(status), (status["nodeInfo"] as { architecture: string }).architecture],
    ["True", "arm64"],
  );
  const node = nodeOf({}, status);
  assert.equal(nodeStatus(node, { hostIp: "192.168.0.1", now: now + 299_000 }), undefined);
  const again = nodeStatus(node, { hostIp: "192.168.0.1", now: now + 301_000 }) as {
    readonly conditions: readonly Record<string, string>[];
  };
  assert.deepEqual(
    [again.conditions[3]!["lastHeartbeatTime"], again.conditions[3]!["lastTransitionTime"]],
    ["2024-01-01T00:05:01Z", "2024-01-01T00:00:00Z"],
  );
});

test("a test decides what is heard of a node", () => {
  assert.equal(
    readyOf(nodeStatus(nodeOf({ "simulator.homeostat.dev/ready": "false" }), { hostIp: "", now })),
    "False",
  );
  assert.equal(
    readyOf(
      nodeStatus(nodeOf({ "simulator.homeostat.dev/ready": "unknown" }), { hostIp: "", now }),
    ),
    "Unknown",
  );
  assert.equal(moodOf(nodeOf({ "simulator.homeostat.dev/ready": "silent" })), "silent");
  assert.equal(moodOf(nodeOf({ "simulator.homeostat.dev/kubelet": "none" })), "not ours");
});

test("what a node has been given of room stays", () => {
  const status = nodeStatus(nodeOf({}, { capacity: { cpu: "4" } }), { hostIp: "", now }) as {
    readonly allocatable: object;
  };
  assert.deepEqual(status.allocatable, {
    cpu: "4",
    memory: "256Gi",
    "ephemeral-storage": "1Ti",
    pods: "1022",
  });
});

test("what is added to the capacity of a node later is to be had at once", () => {
  const at = { hostIp: "", now };
  const kept = nodeStatus(nodeOf(), at) as { readonly capacity: Record<string, string> };
  const added = nodeOf({}, { ...kept, capacity: { ...kept.capacity, "example.com/gpu": "3" } });
  assert.equal(
    (nodeStatus(added, at) as { readonly allocatable: Record<string, string> }).allocatable[
      "example.com/gpu"
    ],
    "3",
  );
  assert.equal(nodeStatus(nodeOf({}, kept), at), undefined);
});

test("networks do not overlap, and addresses in them are given out once", () => {
  assert.deepEqual(networkOf(0), { hostIp: "192.168.0.1", podCidr: "10.244.0.0/22" });
  assert.deepEqual(freeNetwork(new Set(["10.244.0.0/22", "192.168.0.2"])), networkOf(2));
  assert.deepEqual(networkOf(300), { hostIp: "192.168.1.45", podCidr: "10.248.176.0/22" });
  assert.equal(freeAddress("10.1.2.0/24", new Set(["10.1.2.1"])), "10.1.2.2");
  assert.equal(freeAddress("10.1.2.0/30", new Set(["10.1.2.1", "10.1.2.2"])), undefined);
});

test("nodes lie in three zones", () => {
  const zones = [0, 1, 2, 3].map(
    (index) => (nodeManifest(index) as Node).metadata.labels!["topology.kubernetes.io/zone"],
  );
  assert.deepEqual(zones, ["fake-a", "fake-b", "fake-c", "fake-a"]);
});
