import assert from "node:assert/strict";
import { test } from "node:test";
import { storedMetadata } from "../../component-helpers/meta/stored-metadata.suite.ts";
import type {
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  DeploymentCondition,
} from "homeostat/k8s/apps/v1";

import {
  calculateStatus,
  findCondition,
  pauseCondition,
  progressCheckMs,
  rolloutStatus,
} from "./deployment-status.ts";

const now = Date.parse("2024-01-01T00:10:00Z");
const early = "2024-01-01T00:00:00Z";
const metadata = storedMetadata("web", { generation: 2 });

const deploymentWith = (
  status: DeploymentStatus,
  spec: Partial<Deployment["spec"]> = {},
): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: {
    replicas: 2,
    selector: {},
    template: {},
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    progressDeadlineSeconds: 600,
    ...spec,
  },
  status,
});
const setWith = (name: string, status: Partial<ReplicaSet["status"]>): ReplicaSet => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { ...metadata, name },
  spec: { replicas: 2, selector: {} },
  status: { replicas: 0, ...status },
});
const conditionOf = (
  type: string,
  reason: string,
  at = early,
  status: DeploymentCondition["status"] = "True",
): DeploymentCondition => ({
  type,
  status,
  reason,
  message: "",
  lastUpdateTime: at,
  lastTransitionTime: at,
});
const isSet = (status: DeploymentStatus, type: string): readonly unknown[] => {
  const condition = findCondition(status, type);
  return [condition?.status, condition?.reason, condition?.message];
};

test("counts what the sets count, and says whether enough is available", () => {
  const [fresh, old] = [
    setWith("new", {
      replicas: 1,
      readyReplicas: 1,
      terminatingReplicas: 0,
      observedGeneration: 1,
    }),
    setWith("old", { replicas: 2, readyReplicas: 2, availableReplicas: 2, terminatingReplicas: 1 }),
  ];
  const status = calculateStatus(deploymentWith({ collisionCount: 1 }), {
    sets: [old, fresh],
    newSet: fresh,
    now,
  });
  const { conditions, ...counts } = status;
  assert.deepEqual(counts, {
    observedGeneration: 2,
    replicas: 3,
    updatedReplicas: 1,
    readyReplicas: 3,
    availableReplicas: 2,
    unavailableReplicas: 2,
    terminatingReplicas: 1,
    collisionCount: 1,
  });
  assert.deepEqual(isSet(status, "Available"), [
    "True",
    "MinimumReplicasAvailable",
    "Deployment has minimum availability.",
  ]);
  assert.equal(conditions?.length, 1);
  const less = calculateStatus(deploymentWith(status), { sets: [fresh], newSet: fresh, now });
  assert.deepEqual(isSet(less, "Available"), [
    "False",
    "MinimumReplicasUnavailable",
    "Deployment does not have minimum availability.",
  ]);
});

test("omits the number of terminating pods when a set omits it", () => {
  assert.equal(
    calculateStatus(deploymentWith({}), {
      sets: [setWith("a", { observedGeneration: 1 })],
      newSet: undefined,
      now,
    }).terminatingReplicas,
    undefined,
  );
  assert.equal(
    calculateStatus(deploymentWith({}), { sets: [setWith("a", {})], newSet: undefined, now })
      .terminatingReplicas,
    0,
  );
});

test("reports progress, completion and a missed deadline", () => {
  const fresh = setWith("web-1", { replicas: 1 });
  const moving = rolloutStatus(
    deploymentWith({ conditions: [conditionOf("Progressing", "NewReplicaSetCreated")] }),
    { sets: [fresh], newSet: fresh, now },
  );
  assert.deepEqual(isSet(moving, "Progressing"), [
    "True",
    "ReplicaSetUpdated",
    'ReplicaSet "web-1" is progressing.',
  ]);
  assert.equal(findCondition(moving, "Progressing")?.lastTransitionTime, early);
  assert.equal(findCondition(moving, "Progressing")?.lastUpdateTime, "2024-01-01T00:10:00Z");
  const through = setWith("web-1", { replicas: 2, readyReplicas: 2, availableReplicas: 2 });
  assert.deepEqual(
    isSet(
      rolloutStatus(deploymentWith(moving), { sets: [through], newSet: through, now }),
      "Progressing",
    ),
    ["True", "NewReplicaSetAvailable", 'ReplicaSet "web-1" has successfully progressed.'],
  );
  const stuck = rolloutStatus(deploymentWith(moving), {
    sets: [fresh],
    newSet: fresh,
    now: now + 601_000,
  });
  assert.deepEqual(isSet(stuck, "Progressing"), [
    "False",
    "ProgressDeadlineExceeded",
    'ReplicaSet "web-1" has timed out progressing.',
  ]);
  assert.deepEqual(
    isSet(
      rolloutStatus(deploymentWith(moving), { sets: [fresh], newSet: fresh, now: now + 600_000 }),
      "Progressing",
    ),
    isSet(moving, "Progressing"),
  );
});

test("reports no progress without a deadline, and removes an earlier condition", () => {
  const status = rolloutStatus(
    deploymentWith(
      { conditions: [conditionOf("Progressing", "NewReplicaSetCreated")] },
      { progressDeadlineSeconds: 2 ** 31 - 1 },
    ),
    { sets: [], newSet: undefined, now },
  );
  assert.deepEqual(
    status.conditions?.map(({ type }) => type),
    ["Available"],
  );
});

test("passes on why pods could not be made, for as long as they cannot", () => {
  const { lastUpdateTime: _, ...failure } = conditionOf("ReplicaFailure", "FailedCreate");
  const fresh = setWith("web-1", { conditions: [failure] });
  const failing = rolloutStatus(deploymentWith({}), { sets: [fresh], newSet: fresh, now });
  assert.deepEqual(findCondition(failing, "ReplicaFailure"), { ...failure, lastUpdateTime: early });
  assert.equal(
    findCondition(
      rolloutStatus(deploymentWith(failing), { sets: [], newSet: undefined, now }),
      "ReplicaFailure",
    ),
    undefined,
  );
});

test("a pause is recorded once, and its end too", () => {
  const pause = pauseCondition(deploymentWith({}, { paused: true }), now);
  assert.deepEqual(
    [pause?.status, pause?.reason, pause?.message],
    ["Unknown", "DeploymentPaused", "Deployment is paused"],
  );
  assert.equal(
    pauseCondition(deploymentWith({ conditions: [pause!] }, { paused: true }), now),
    undefined,
  );
  assert.deepEqual(
    pauseCondition(deploymentWith({ conditions: [pause!] }), now)?.reason,
    "DeploymentResumed",
  );
  assert.equal(
    pauseCondition(
      deploymentWith(
        { conditions: [conditionOf("Progressing", "ProgressDeadlineExceeded", early, "False")] },
        { paused: true },
      ),
      now,
    ),
    undefined,
  );
});

test("syncs again a second after the deadline", () => {
  const waiting = deploymentWith({
    conditions: [conditionOf("Progressing", "ReplicaSetUpdated", "2024-01-01T00:09:00Z")],
  });
  assert.equal(progressCheckMs(waiting, waiting.status!, now), 541_000);
  assert.equal(
    progressCheckMs(
      deploymentWith({ conditions: [conditionOf("Progressing", "ProgressDeadlineExceeded")] }),
      {},
      now,
    ),
    undefined,
  );
});
