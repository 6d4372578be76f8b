import assert from "node:assert/strict";
import { test } from "node:test";
import { storedMetadata } from "../../component-helpers/meta/stored-metadata.suite.ts";
import type { Node } from "homeostat/k8s/core/v1";
import {
  freeAddress,
  freeNetwork,
  nodeStateOf,
  networkOf,
  nodeManifest,
  nodeStatus,
} from "./fake-node.ts";

const now = Date.parse("2024-01-01T00:00:00Z");
const nodeOf = (annotations: Record<string, string> = {}, status?: Node["status"]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: storedMetadata("n", { annotations, labels: { "kubernetes.io/arch": "arm64" } }),
  spec: {},
  status: status ?? {},
});
const readyOf = (status: object | undefined): string | undefined =>
  (status as Node["status"])?.conditions?.find(({ type }) => type === "Ready")?.status;

test("a node reports ready, and a heartbeat every five minutes", () => {
  const status = nodeStatus(nodeOf(), { hostIp: "192.168.0.1", now }) as NonNullable<
    Node["status"]
  >;
  assert.deepEqual(
    [readyOf(status), (status["nodeInfo"] as { architecture: string }).architecture],
    ["True", "arm64"],
  );
  const node = nodeOf({}, status);
  assert.equal(nodeStatus(node, { hostIp: "192.168.0.1", now: now + 299_000 }), undefined);
  const heartbeat = nodeStatus(node, { hostIp: "192.168.0.1", now: now + 301_000 }) as {
    readonly conditions: readonly Record<string, string>[];
  };
  assert.deepEqual(
    [heartbeat.conditions[3]!["lastHeartbeatTime"], heartbeat.conditions[3]!["lastTransitionTime"]],
    ["2024-01-01T00:05:01Z", "2024-01-01T00:00:00Z"],
  );
});

test("annotations set the state of a node", () => {
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
  assert.equal(nodeStateOf(nodeOf({ "simulator.homeostat.dev/ready": "silent" })), "silent");
  assert.equal(nodeStateOf(nodeOf({ "simulator.homeostat.dev/kubelet": "none" })), "unmanaged");
});

test("an existing capacity is kept", () => {
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

test("a resource added to the capacity becomes allocatable", () => {
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

test("networks do not overlap, and addresses are unique", () => {
  assert.deepEqual(networkOf(0), { hostIp: "192.168.0.1", podCidr: "10.244.0.0/22" });
  assert.deepEqual(freeNetwork(new Set(["10.244.0.0/22", "192.168.0.2"])), networkOf(2));
  assert.deepEqual(networkOf(300), { hostIp: "192.168.1.45", podCidr: "10.248.176.0/22" });
  assert.equal(freeAddress("10.1.2.0/24", new Set(["10.1.2.1"])), "10.1.2.2");
  assert.equal(freeAddress("10.1.2.0/30", new Set(["10.1.2.1", "10.1.2.2"])), undefined);
});

test("nodes are in three zones", () => {
  const zones = [0, 1, 2, 3].map(
    (index) => (nodeManifest(index) as Node).metadata.labels!["topology.kubernetes.io/zone"],
  );
  assert.deepEqual(zones, ["fake-a", "fake-b", "fake-c", "fake-a"]);
});
