// The next write that binds a claim to a volume, and the phase of a volume. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/persistentvolume/pv_controller.go (syncClaim,
// syncVolume).
import {
  findVolume,
  isClaimBound,
  isDelayed,
  isReservedFor,
  noProvisioner,
  selectedNode,
} from "../../../component-helpers/storage/volume-binding.ts";
import type { PersistentVolumeClaim, PersistentVolume } from "homeostat/k8s/core/v1";
import type { StorageClass } from "homeostat/k8s/storage/v1";

/** The next write for a claim. */
export type ClaimStep =
  | { readonly step: "bind"; readonly volume: PersistentVolume }
  | { readonly step: "lose" }
  | { readonly step: "provision"; readonly provisioner: string }
  | {
      readonly step: "wait";
      readonly reason?: string;
      readonly message?: string;
      readonly type?: "Normal" | "Warning";
    };

/** Decides about a claim. `volumes` are all volumes. */
export function claimStep(
  claim: PersistentVolumeClaim,
  storage: {
    readonly volumes: readonly PersistentVolume[];
    readonly storageClass: StorageClass | undefined;
  },
): ClaimStep {
  const { volumes, storageClass } = storage;
  const { volumeName } = claim.spec;
  const named = volumes.find(({ metadata }) => metadata.name === volumeName);
  if (isClaimBound(claim)) {
    if (!named) return { step: "lose" };
    return isReservedFor(named, claim) || !named.spec.claimRef
      ? { step: "bind", volume: named }
      : { step: "lose" };
  }
  if (volumeName) return namedStep(claim, named, volumeName);
  const delayed = isDelayed(storageClass);
  const isSelected = claim.metadata.annotations?.[selectedNode] !== undefined;
  const found = findVolume(claim, volumes, delayed && !isSelected ? { reservedOnly: true } : {});
  if (found) return { step: "bind", volume: found };
  if (delayed && !isSelected)
    return {
      step: "wait",
      type: "Normal",
      reason: "WaitForFirstConsumer",
      message: "waiting for first consumer to be created before binding",
    };
  if (!claim.spec.storageClassName)
    return {
      step: "wait",
      type: "Normal",
      reason: "FailedBinding",
      message: "no persistent volumes available for this claim and no storage class is set",
    };
  if (!storageClass)
    return {
      step: "wait",
      type: "Warning",
      reason: "ProvisioningFailed",
      message: `storageclass.storage.k8s.io "${claim.spec.storageClassName}" not found`,
    };
  return storageClass.provisioner === noProvisioner
    ? { step: "wait" }
    : { step: "provision", provisioner: storageClass.provisioner };
}

function namedStep(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
  name: string,
): ClaimStep {
  if (!volume) return { step: "wait" };
  if (!volume.spec.claimRef || isReservedFor(volume, claim)) return { step: "bind", volume };
  return {
    step: "wait",
    type: "Warning",
    reason: "FailedBinding",
    message: `volume "${name}" already bound to a different claim.`,
  };
}

/** The phase that a volume should have; undefined while its claim decides. */
export function volumePhase(
  { spec, metadata, status }: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): "Available" | "Bound" | "Released" | undefined {
  if (!spec.claimRef?.uid) return "Available";
  if (!claim || claim.metadata.uid !== spec.claimRef.uid)
    return status.phase === "Failed" ? undefined : "Released";
  if (!claim.spec.volumeName) return undefined;
  return claim.spec.volumeName === metadata.name ? "Bound" : undefined;
}
