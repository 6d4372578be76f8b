import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import type { StorageClass } from "homeostat/k8s/storage/v1";
import { isWanted, volumeFor } from "./volume-provisioner.ts";

const wanted = { "volume.kubernetes.io/storage-provisioner": "p" };
const scheduled = { ...wanted, "volume.kubernetes.io/selected-node": "n" };
const claimWith = (annotations: Readonly<Record<string, string>>): PersistentVolumeClaim =>
  ({
    metadata: { name: "c", namespace: "ns", uid: "u", annotations },
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: {},
  }) as unknown as PersistentVolumeClaim;
const classWith = (volumeBindingMode: "Immediate" | "WaitForFirstConsumer"): StorageClass =>
  ({ metadata: { name: "k" }, provisioner: "p", volumeBindingMode }) as StorageClass;

test("a volume is created for a claim of the provisioner, with delayed binding once it has a node", () => {
  const immediate = classWith("Immediate");
  const delayed = classWith("WaitForFirstConsumer");
  assert.ok(isWanted(claimWith(wanted), immediate));
  assert.ok(!isWanted(claimWith(wanted), delayed));
  assert.ok(isWanted(claimWith(scheduled), delayed));
  const another = { "volume.kubernetes.io/storage-provisioner": "another" };
  assert.ok(!isWanted(claimWith(another), immediate));
});

test("the volume of a claim has the requested size and is reserved for it", () => {
  const { metadata, spec } = volumeFor(claimWith(wanted), classWith("Immediate"));
  assert.equal(metadata.name, "pvc-u");
  assert.equal(spec?.claimRef?.uid, "u");
  assert.deepEqual(spec?.capacity, { storage: "1Gi" });
});
