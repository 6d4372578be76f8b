import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { isReady } from "./is-ready.ts";

const kindOf = (apiVersion: string, kind: string, definition?: object): Kind =>
  ({ apiVersion, kind, resource: "any", definition }) as unknown as Kind;

const at = (kind: Kind, { spec, status, ...metadata }: Record<string, unknown>): boolean =>
  isReady(kind, {
    metadata: { generation: 2, ...metadata },
    spec,
    status,
  } as unknown as KubeObject);

const condition = (type: string, status = "True", observedGeneration?: number) => ({
  type,
  status,
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});

it("reads the replicas of Deployments, once their controller has seen the generation", () => {
  const kind = kindOf("apps/v1", "Deployment");
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const conditions = [condition("Available")];
  const status = { observedGeneration: 2, conditions, ...counts };
  assert.equal(at(kind, { spec: {}, status }), true);
  assert.equal(at(kind, { spec: {}, status: { ...status, observedGeneration: 1 } }), false);
  assert.equal(at(kind, { spec: {}, status: { ...status, observedGeneration: undefined } }), false);
  assert.equal(at(kind, { spec: {}, status: { ...status, updatedReplicas: 0 } }), false);
  assert.equal(at(kind, { spec: {}, status: { ...status, replicas: 2 } }), false);
  assert.equal(at(kind, { spec: { replicas: 2 }, status }), false);
  assert.equal(at(kind, { spec: {}, status: { ...status, conditions: [] } }), false);
  assert.equal(at(kind, { spec: {}, status, deletionTimestamp: "2024-01-01T00:00:00Z" }), false);
});

it("is false for an object that does not exist", () => {
  assert.equal(isReady(kindOf("v1", "ConfigMap"), undefined), false);
});

it("reads the other workloads", () => {
  const stateful = kindOf("apps/v1", "StatefulSet");
  const counts = { observedGeneration: 2, replicas: 1, readyReplicas: 1, updateRevision: "b" };
  assert.equal(at(stateful, { spec: {}, status: { ...counts, currentRevision: "b" } }), true);
  assert.equal(at(stateful, { spec: {}, status: { ...counts, currentRevision: "a" } }), false);
  for (const field of ["replicas", "readyReplicas"])
    assert.equal(
      at(stateful, { spec: {}, status: { ...counts, currentRevision: "b", [field]: 0 } }),
      false,
      field,
    );
  const replicaSet = kindOf("apps/v1", "ReplicaSet");
  const replicas = { observedGeneration: 2, replicas: 1, readyReplicas: 1, availableReplicas: 1 };
  assert.equal(at(replicaSet, { spec: {}, status: replicas }), true);
  for (const field of ["replicas", "readyReplicas", "availableReplicas"])
    assert.equal(at(replicaSet, { spec: {}, status: { ...replicas, [field]: 0 } }), false, field);
  const daemons = kindOf("apps/v1", "DaemonSet");
  const all = { currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 };
  const status = { observedGeneration: 2, desiredNumberScheduled: 2, ...all, numberReady: 2 };
  assert.equal(at(daemons, { status }), true);
  for (const field of [...Object.keys(all), "numberReady"])
    assert.equal(at(daemons, { status: { ...status, [field]: 1 } }), false, field);
  const job = kindOf("batch/v1", "Job");
  assert.equal(at(job, { status: { startTime: "2024-01-01T00:00:00Z", active: 1 } }), false);
  assert.equal(at(job, { status: { conditions: [condition("Complete")] } }), true);
  assert.equal(at(job, { status: { conditions: [condition("Failed")] } }), false);
  const pod = kindOf("v1", "Pod");
  assert.equal(at(pod, { status: { phase: "Running" } }), false);
  assert.equal(at(pod, { status: { phase: "Running", conditions: [condition("Ready")] } }), true);
  assert.equal(at(pod, { status: { phase: "Succeeded" } }), true);
  assert.equal(at(kindOf("v1", "PersistentVolumeClaim"), { status: { phase: "Pending" } }), false);
});

it("reads Ready of other kinds: of the current generation, and required where it is declared", () => {
  const foreign = kindOf("example.com/v1", "Thing");
  assert.equal(at(foreign, {}), true);
  assert.equal(at(foreign, { status: { observedGeneration: 1 } }), false);
  assert.equal(at(foreign, { status: { conditions: [condition("Ready", "False")] } }), false);
  assert.equal(at(foreign, { status: { conditions: [condition("Ready", "True", 1)] } }), false);
  assert.equal(at(foreign, { status: { conditions: [condition("Ready", "True", 2)] } }), true);
  const stalled = [condition("Ready"), condition("Stalled")];
  assert.equal(at(foreign, { status: { conditions: stalled } }), false);
  const declared = kindOf("example.com/v1", "Box", { conditions: ["Ready"] });
  assert.equal(at(declared, {}), false);
  assert.equal(at(declared, { status: { conditions: [condition("Ready")] } }), true);
});
