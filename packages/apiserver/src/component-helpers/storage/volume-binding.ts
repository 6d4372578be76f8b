// The relation of claims, volumes and storage classes, and the choice of a volume for a claim.
// Pure.
// Upstream: k8s.io/component-helpers/storage/volume (pv_helpers.go: FindMatchingVolume).
import { matchesLabels } from "homeostat/api";
import { nanoOf } from "../../kinds/core/resources/resource-lists.ts";
import { toSelector } from "../meta/label-selector.ts";
import { matchesTerm } from "../nodes/node-fit.ts";
import type { StorageClass } from "homeostat/k8s/storage/v1";
import type {
  PersistentVolumeClaim,
  PersistentVolume,
  ObjectReference,
} from "homeostat/k8s/core/v1";
import { type Node } from "homeostat/k8s/core/v1";

export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";
export const selectedNode = "volume.kubernetes.io/selected-node";
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** The provisioner of classes without dynamic provisioning. */
export const noProvisioner = "kubernetes.io/no-provisioner";

/** The reference by which a volume is bound to a claim. */
export function claimReference({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    name,
    ...(namespace ? { namespace } : {}),
    uid,
    resourceVersion,
  };
}

export const isClaimBound = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  Boolean(spec.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;

/** Whether claims of the class are bound only when a pod uses them. */
export const isDelayed = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer";

/** Whether a volume is reserved for the claim; the uid decides if it is set. */
export function isReservedFor(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  return (
    claimRef?.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

/** Whether the node affinity of a volume allows a node. */
export const isReachable = ({ spec }: PersistentVolume, node: Node): boolean =>
  spec.nodeAffinity?.required?.nodeSelectorTerms?.some((term) =>
    matchesTerm(term, node.metadata),
  ) ?? true;

/**
 * The volume for a claim: one that is reserved for it, else the smallest available one that meets
 * its requests.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { node, reservedOnly }: { readonly node?: Node | undefined; readonly reservedOnly?: true } = {},
): PersistentVolume | undefined {
  const wanted = nanoOf(claim.spec.resources?.requests?.["storage"]);
  const size = ({ spec }: PersistentVolume): bigint => nanoOf(spec.capacity?.["storage"]);
  const fits = volumes.filter(
    (volume) =>
      size(volume) >= wanted &&
      suits(volume, claim) &&
      (node === undefined || isReachable(volume, node)),
  );
  const reserved = fits.find((volume) => isReservedFor(volume, claim));
  if (reserved || reservedOnly) return reserved;
  const free = fits.filter(
    ({ metadata, spec, status }) =>
      !spec.claimRef &&
      status.phase === "Available" &&
      metadata.deletionTimestamp === undefined &&
      isSelected(claim, metadata.labels ?? {}),
  );
  return free
    .filter(
      (volume) => (volume.spec.storageClassName ?? "") === (claim.spec.storageClassName ?? ""),
    )
    .toSorted(
      (a, b) => Number(size(a) - size(b)) || (a.metadata.name < b.metadata.name ? -1 : 1),
    )[0];
}

const suits = ({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  (spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem") &&
  (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode));

const isSelected = (
  { spec }: PersistentVolumeClaim,
  labels: Readonly<Record<string, string>>,
): boolean => spec.selector === undefined || matchesLabels(toSelector(spec.selector)!, labels);
