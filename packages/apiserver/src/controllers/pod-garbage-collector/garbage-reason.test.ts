import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node, Pod, PodPhase } from "homeostat/k8s/core/v1";
import { garbageReason, lastStatus } from "./garbage-reason.ts";

const metadata = {
  name: "p",
  namespace: "ns",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "",
};
const podOf = ({
  nodeName,
  going,
  phase = "Running",
}: {
  readonly nodeName?: string;
  readonly going?: true;
  readonly phase?: PodPhase;
}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...metadata, ...(going ? { deletionTimestamp: "2024-01-01T00:00:00Z" } : {}) },
  spec: { containers: [], ...(nodeName ? { nodeName } : {}) },
  status: { phase },
});
const nodeOf = (ready: "True" | "False", ...taints: readonly string[]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { ...metadata, name: "n" },
  spec: { taints: taints.map((key) => ({ key, effect: "NoExecute" })) },
  status: { conditions: [{ type: "Ready", status: ready }] },
});

test("pods are garbage when their node is gone or out of service, or when unscheduled", () => {
  const outOfService = "node.kubernetes.io/out-of-service";
  assert.equal(garbageReason(podOf({ nodeName: "n" }), undefined), "orphan");
  assert.equal(garbageReason(podOf({ nodeName: "n", going: true }), nodeOf("False")), undefined);
  assert.equal(
    garbageReason(podOf({ nodeName: "n", going: true }), nodeOf("False", outOfService)),
    "terminating",
  );
  assert.equal(
    garbageReason(podOf({ nodeName: "n", going: true }), nodeOf("True", outOfService)),
    undefined,
  );
  assert.equal(garbageReason(podOf({ going: true }), undefined), "terminating");
  assert.equal(garbageReason(podOf({}), undefined), undefined);
});

test("a pod fails before it goes, unless it is through", () => {
  const now = Date.parse("2024-01-01T00:00:00Z");
  assert.deepEqual(lastStatus(podOf({}), "terminating", now), { phase: "Failed" });
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: "2024-01-01T00:00:00Z",
  };
  assert.deepEqual(lastStatus(podOf({}), "orphan", now), {
    phase: "Failed",
    conditions: [condition],
  });
  assert.equal(lastStatus(podOf({ phase: "Succeeded" }), "orphan", now), undefined);
});
