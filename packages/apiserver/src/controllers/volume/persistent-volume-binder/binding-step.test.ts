import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolumeClaim, PersistentVolume } from "homeostat/k8s/core/v1";
import type { StorageClass } from "homeostat/k8s/storage/v1";
import { claimStep, volumePhase } from "./binding-step.ts";

const metadata = { uid: "u", resourceVersion: "1", creationTimestamp: "" };
const claimOf = (
  spec: PersistentVolumeClaim["spec"] = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { ...metadata, name: "c", namespace: "ns", annotations },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  status: {},
});
const volumeOf = (
  name: string,
  spec: PersistentVolume["spec"] = {},
  phase: PersistentVolume["status"]["phase"] & string = "Available",
): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { ...metadata, name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...spec },
  status: { phase },
});
const classOf = (
  volumeBindingMode: StorageClass["volumeBindingMode"] & string,
  provisioner = "p",
): StorageClass => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { ...metadata, name: "k" },
  provisioner,
  volumeBindingMode,
});
const immediate = classOf("Immediate");
const late = classOf("WaitForFirstConsumer");
const reserved = { claimRef: { namespace: "ns", name: "c", uid: "u" } };

test("a claim is bound to the smallest volume that fits", () => {
  const chosen = (
    claim: PersistentVolumeClaim,
    volumes: readonly PersistentVolume[],
  ): string | undefined => {
    const step = claimStep(claim, { volumes, storageClass: undefined });
    return step.step === "bind" ? step.volume.metadata.name : undefined;
  };
  assert.equal(
    chosen(claimOf(), [
      volumeOf("large", { capacity: { storage: "5Gi" } }),
      volumeOf("small", { capacity: { storage: "2Gi" } }),
      volumeOf("tiny", { capacity: { storage: "1Mi" } }),
    ]),
    "small",
  );
  assert.equal(
    chosen(claimOf(), [
      volumeOf("taken", {}, "Bound"),
      volumeOf("other", { storageClassName: "x" }),
      volumeOf("blocks", { volumeMode: "Block" }),
      volumeOf("shared", { accessModes: ["ReadWriteMany"] }),
    ]),
    undefined,
  );
  assert.equal(
    chosen(claimOf(), [
      volumeOf("free"),
      volumeOf("mine", { ...reserved, capacity: { storage: "9Gi" } }),
    ]),
    "mine",
  );
  assert.equal(chosen(claimOf({ volumeName: "named" }), [volumeOf("named")]), "named");
});

test("without a volume, one is provisioned, or the claim waits for a pod", () => {
  const step = (claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): unknown => {
    const { step: name, ...rest } = claimStep(claim, { volumes: [], storageClass });
    return [
      name,
      (rest as { provisioner?: string }).provisioner ?? (rest as { reason?: string }).reason,
    ];
  };
  assert.deepEqual(step(claimOf(), undefined), ["wait", "FailedBinding"]);
  assert.deepEqual(step(claimOf({ storageClassName: "k" }), undefined), [
    "wait",
    "ProvisioningFailed",
  ]);
  assert.deepEqual(step(claimOf({ storageClassName: "k" }), immediate), ["provision", "p"]);
  assert.deepEqual(step(claimOf({ storageClassName: "k" }), late), [
    "wait",
    "WaitForFirstConsumer",
  ]);
  assert.deepEqual(
    step(claimOf({ storageClassName: "k" }, { "volume.kubernetes.io/selected-node": "n" }), late),
    ["provision", "p"],
  );
  assert.deepEqual(
    step(claimOf({ storageClassName: "k" }), classOf("Immediate", "kubernetes.io/no-provisioner")),
    ["wait", undefined],
  );
  assert.deepEqual(
    step(claimOf({ volumeName: "gone" }, { "pv.kubernetes.io/bind-completed": "yes" }), undefined),
    ["lose", undefined],
  );
});

test("a volume is available, bound or released", () => {
  assert.equal(volumePhase(volumeOf("v"), undefined), "Available");
  assert.equal(
    volumePhase(volumeOf("v", { claimRef: { namespace: "ns", name: "c" } }), undefined),
    "Available",
  );
  assert.equal(volumePhase(volumeOf("v", reserved), undefined), "Released");
  assert.equal(volumePhase(volumeOf("v", reserved), claimOf({ volumeName: "v" })), "Bound");
  assert.equal(volumePhase(volumeOf("v", reserved), claimOf()), undefined);
});
