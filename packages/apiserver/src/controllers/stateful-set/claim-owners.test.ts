import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnerReference } from "homeostat/api";
import { areOwnersRight, blocksPod, hasOtherController, rightOwners } from "./claim-owners.ts";

import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import type {
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy as RetentionPolicy,
} from "homeostat/k8s/apps/v1";

const metadata = (
  name: string,
  uid = name,
): { name: string; uid: string; resourceVersion: string; creationTimestamp: string } => ({
  name,
  uid,
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
});
const setWith = (policy?: RetentionPolicy, replicas = 1): StatefulSet => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: metadata("web"),
  spec: {
    replicas,
    selector: {},
    template: {},
    updateStrategy: { type: "RollingUpdate" },
    ...(policy ? { persistentVolumeClaimRetentionPolicy: policy } : {}),
  },
  status: { replicas: 0 },
});
const pod = { metadata: metadata("web-0") };
const ownedBy = (...ownerReferences: readonly OwnerReference[]): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { ...metadata("data-web-0"), ownerReferences },
  spec: {},
  status: {},
});
const bySet: OwnerReference = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  name: "web",
  uid: "web",
  controller: true,
  blockOwnerDeletion: true,
};
const byPod: OwnerReference = {
  apiVersion: "v1",
  kind: "Pod",
  name: "web-0",
  uid: "web-0",
  controller: true,
  blockOwnerDeletion: true,
};
const byOther: OwnerReference = {
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "x",
  uid: "x",
  controller: true,
};

test("the policy decides the owner of a claim: the set, a scaled pod, or none", () => {
  const cases: readonly (readonly [
    RetentionPolicy | undefined,
    number,
    readonly OwnerReference[],
  ])[] = [
    [undefined, 1, []],
    [{ whenDeleted: "Retain", whenScaled: "Retain" }, 0, []],
    [{ whenDeleted: "Delete", whenScaled: "Retain" }, 1, [bySet]],
    [{ whenDeleted: "Delete", whenScaled: "Retain" }, 0, [bySet]],
    [{ whenDeleted: "Retain", whenScaled: "Delete" }, 1, []],
    [{ whenDeleted: "Retain", whenScaled: "Delete" }, 0, [byPod]],
    [{ whenDeleted: "Delete", whenScaled: "Delete" }, 1, [bySet]],
    [{ whenDeleted: "Delete", whenScaled: "Delete" }, 0, [byPod]],
  ];
  for (const [policy, replicas, owners] of cases) {
    const set = setWith(policy, replicas);
    for (const before of [[], [bySet], [byPod], [bySet, byPod]]) {
      const claim = ownedBy(...before);
      assert.equal(
        areOwnersRight(claim, set, pod),
        JSON.stringify(before) === JSON.stringify(owners),
        JSON.stringify([policy, replicas, before]),
      );
      assert.deepEqual(rightOwners(claim, set, pod), owners);
    }
  }
});

test("an owner reference without controller gets it", () => {
  const { controller: _, ...weak } = bySet;
  const set = setWith({ whenDeleted: "Delete" });
  assert.equal(areOwnersRight(ownedBy(weak), set, pod), false);
  assert.deepEqual(rightOwners(ownedBy(weak), set, pod), [bySet]);
});

test("references of other controllers, and of a former object of the same name, are left alone", () => {
  const set = setWith({ whenDeleted: "Delete", whenScaled: "Delete" });
  assert.ok(hasOtherController(ownedBy(byOther), set, pod));
  assert.ok(!hasOtherController(ownedBy(byOther), setWith(), pod));
  assert.ok(areOwnersRight(ownedBy(byOther), set, pod));
  assert.ok(!areOwnersRight(ownedBy(byOther, bySet), set, pod));
  assert.deepEqual(rightOwners(ownedBy(byOther, bySet), set, pod), [byOther]);
  const stale = ownedBy({ ...byPod, uid: "former" });
  assert.ok(areOwnersRight(stale, set, pod));
  assert.ok(blocksPod(stale, set, pod));
  assert.ok(!blocksPod(stale, setWith({ whenDeleted: "Delete" }), pod));
  assert.ok(!blocksPod(ownedBy(byPod), set, pod));
});
