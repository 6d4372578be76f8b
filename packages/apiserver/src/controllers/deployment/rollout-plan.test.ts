import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { maxSurge, maxUnavailable } from "./deployment-spec.ts";
import type { Deployment, ReplicaSet } from "homeostat/k8s/apps/v1";
import { newSetSize, rescale, shrinkOldSets, wasScaled } from "./rollout-plan.ts";

const seconds = (n: number): string => `2024-01-01T00:00:${String(n).padStart(2, "0")}Z`;

function deploymentOf(
  replicas: number,
  surge: number | string,
  unavailable: number | string,
  type: "RollingUpdate" | "Recreate" = "RollingUpdate",
): Deployment {
  const rolling = { rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } };
  const spec = {
    replicas,
    selector: {},
    template: {},
    strategy: { type, ...(type === "RollingUpdate" ? rolling : {}) },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d", uid: "d", resourceVersion: "1", creationTimestamp: seconds(0) },
    spec,
    status: {},
  };
}

function setOf(
  name: string,
  replicas: number,
  more: {
    readonly available?: number;
    readonly age?: number;
    readonly annotations?: Record<string, string>;
  } = {},
): ReplicaSet {
  const metadata = {
    name,
    uid: name,
    resourceVersion: "1",
    creationTimestamp: seconds(30 - (more.age ?? 0)),
    annotations: more.annotations ?? {},
  };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata,
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: more.available ?? replicas },
  };
}

const sizes = (
  resizes: readonly { readonly set: ReplicaSet; readonly replicas: number }[],
): Record<string, number> =>
  Object.fromEntries(resizes.map(({ set, replicas }) => [set.metadata.name, replicas]));

test("surge is rounded up, unavailability down, and their sum is at least one", () => {
  const limits = (deployment: Deployment): readonly number[] => [
    maxSurge(deployment),
    maxUnavailable(deployment),
  ];
  assert.deepEqual(limits(deploymentOf(10, "25%", "25%")), [3, 2]);
  assert.deepEqual(limits(deploymentOf(1, "25%", "25%")), [1, 0]);
  assert.deepEqual(limits(deploymentOf(3, 0, "10%")), [0, 1]);
  assert.deepEqual(limits(deploymentOf(2, 0, 5)), [0, 2]);
  assert.deepEqual(limits(deploymentOf(0, 0, 1)), [0, 0]);
  assert.deepEqual(limits(deploymentOf(4, 0, 0, "Recreate")), [0, 0]);
});

test("the newest set grows within the surge, and shrinks at once", () => {
  const deployment = deploymentOf(10, 3, 2);
  const fresh = setOf("new", 0);
  assert.equal(newSetSize(deployment, [setOf("old", 10), fresh], 0), 3);
  assert.equal(newSetSize(deployment, [setOf("old", 13), fresh], 0), 0);
  assert.equal(newSetSize(deployment, [setOf("old", 2), setOf("new", 5)], 5), 10);
  assert.equal(newSetSize(deployment, [setOf("new", 12)], 12), 10);
  assert.equal(newSetSize(deploymentOf(4, 0, 0, "Recreate"), [setOf("old", 4), fresh], 0), 4);
});

test("old sets lose unavailable pods first, then as many as may be unavailable", () => {
  const deployment = deploymentOf(10, 3, 2);
  assert.deepEqual(
    sizes(shrinkOldSets(deployment, [setOf("old", 10)], setOf("new", 3, { available: 0 }))),
    { old: 8 },
  );
  assert.deepEqual(
    sizes(
      shrinkOldSets(
        deployment,
        [setOf("old", 8, { available: 8 })],
        setOf("new", 5, { available: 0 }),
      ),
    ),
    {},
  );
  assert.deepEqual(
    sizes(
      shrinkOldSets(
        deployment,
        [setOf("a", 5, { available: 2, age: 2 }), setOf("b", 5, { age: 1 })],
        setOf("new", 3, { available: 3 }),
      ),
    ),
    { a: 0 },
  );
  assert.deepEqual(sizes(shrinkOldSets(deployment, [setOf("old", 4)], setOf("new", 10))), {
    old: 0,
  });
});

test("a rollout never exceeds its bounds, and completes", () => {
  const counts = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(
      counts,
      fc.integer({ min: 0, max: 5 }),
      fc.integer({ min: 0, max: 5 }),
      (replicas, surge, unavailable) => {
        const deployment = deploymentOf(replicas, surge, unavailable);
        let [old, fresh] = [replicas, 0];
        for (let step = 0; step < 60 && (old > 0 || fresh < replicas); step++) {
          const sets = [setOf("old", old), setOf("new", fresh)];
          const grown = newSetSize(deployment, sets, fresh);
          if (grown === fresh)
            old = sizes(shrinkOldSets(deployment, [sets[0]!], sets[1]!))["old"] ?? old;
          fresh = grown;
          assert.ok(old + fresh <= replicas + maxSurge(deployment));
          assert.ok(old + fresh >= replicas - maxUnavailable(deployment));
        }
        assert.deepEqual([old, fresh], [0, replicas]);
      },
    ),
    { numRuns: 60 },
  );
});

test("scaling changes the only active set, or the latest if none is active", () => {
  const deployment = deploymentOf(5, 1, 1);
  assert.deepEqual(sizes(rescale(deployment, setOf("new", 2), [setOf("old", 0)])), { new: 5 });
  assert.deepEqual(
    sizes(rescale(deployment, undefined, [setOf("old", 2), setOf("older", 0, { age: 9 })])),
    { old: 5 },
  );
  assert.deepEqual(
    sizes(rescale(deployment, undefined, [setOf("older", 0, { age: 9 }), setOf("old", 0)])),
    { old: 5 },
  );
  assert.deepEqual(rescale(deployment, setOf("new", 5), []), []);
});

test("scaling during a rollout is proportional, and the largest set takes the rest", () => {
  const annotations = {
    "deployment.kubernetes.io/desired-replicas": "10",
    "deployment.kubernetes.io/max-replicas": "10",
  };
  const [old, fresh] = [setOf("old", 5, { annotations, age: 5 }), setOf("new", 5, { annotations })];
  assert.equal(wasScaled(deploymentOf(20, 0, 1), [old, fresh]), true);
  assert.equal(wasScaled(deploymentOf(10, 0, 1), [old, fresh]), false);
  assert.deepEqual(sizes(rescale(deploymentOf(20, 0, 1), fresh, [old])), { new: 10, old: 10 });
  assert.deepEqual(sizes(rescale(deploymentOf(5, 0, 1), fresh, [old])), { old: 2, new: 3 });
  assert.deepEqual(sizes(rescale(deploymentOf(0, 0, 1), fresh, [old])), { old: 0, new: 0 });
});

test("old sets scale to zero when the newest is complete", () => {
  const annotations = { "deployment.kubernetes.io/desired-replicas": "3" };
  assert.deepEqual(
    sizes(rescale(deploymentOf(3, 1, 1), setOf("new", 3, { annotations }), [setOf("old", 1)])),
    { old: 0 },
  );
});
