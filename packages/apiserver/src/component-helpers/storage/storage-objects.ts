// Claims, volumes and classes, and which volume would do for a claim. Pure.
// Upstream: k8s.io/component-helpers/storage/volume (pv_helpers.go: FindMatchingVolume).
import { matchesLabels } from "homeostat/api";
import type { Kind } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { nanoOf } from "../../kinds/core/resources/resource-lists.ts";
import { toSelector } from "../workloads/controller-ref-manager.ts";
import { matchesTerm } from "../nodes/node-fit.ts";
import type {
  LabelSelectorObject,
  Node,
  NodeSelectorTerm,
  Workload,
  WorkloadKind,
} from "../workloads/workload-objects.ts";

/** core/v1 PersistentVolumeClaim. */
export interface Claim extends Workload {
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    readonly selector?: LabelSelectorObject;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly volumeName?: string;
  };
  readonly status?: { readonly phase?: string };
}

/** core/v1 PersistentVolume. */
export interface Volume extends Workload {
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly capacity?: Readonly<Record<string, string>>;
    readonly claimRef?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
    };
    readonly nodeAffinity?: {
      readonly required?: { readonly nodeSelectorTerms?: readonly NodeSelectorTerm[] };
    };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly storageClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string };
}

/** storage.k8s.io/v1 StorageClass. */
export interface StorageClass extends Workload {
  readonly provisioner: string;
  readonly reclaimPolicy?: string;
  readonly volumeBindingMode?: string;
}

const kindOf = (
  apiVersion: string,
  kind: string,
  resource: string,
  scope: "Cluster" | "Namespaced",
): Kind => dynamicKind({ apiVersion, kind, resource, scope }) as Kind;
export const claimKind = kindOf(
  "v1",
  "PersistentVolumeClaim",
  "persistentvolumeclaims",
  "Namespaced",
) as WorkloadKind<Claim>;
export const volumeKind = kindOf(
  "v1",
  "PersistentVolume",
  "persistentvolumes",
  "Cluster",
) as WorkloadKind<Volume>;
export const storageClassKind = kindOf(
  "storage.k8s.io/v1",
  "StorageClass",
  "storageclasses",
  "Cluster",
) as WorkloadKind<StorageClass>;

export const bindCompleted = "pv.kubernetes.io/bind-completed";
export const boundByController = "pv.kubernetes.io/bound-by-controller";
export const selectedNode = "volume.kubernetes.io/selected-node";
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner";
export const provisionedBy = "pv.kubernetes.io/provisioned-by";
/** A provisioner of this name makes no volumes. */
export const noProvisioner = "kubernetes.io/no-provisioner";

export const isClaimBound = ({ metadata, spec }: Claim): boolean =>
  Boolean(spec.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;

/** Whether claims of the class wait until a pod is to use them. */
export const isDelayed = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer";

/** Whether a volume names the claim as its own; `uid` decides where it is there. */
export function isReservedFor({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean {
  return (
    claimRef?.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

/** Whether a volume can be reached from a node. */
export const isReachable = ({ spec }: Volume, node: Node): boolean =>
  spec.nodeAffinity?.required?.nodeSelectorTerms?.some((term) =>
    matchesTerm(term, node.metadata),
  ) ?? true;

/**
 * The volume for a claim: one that is reserved for it, else the smallest free one that has what it
 * wants.
 */
export function findVolume(
  claim: Claim,
  volumes: readonly Volume[],
  { node, reservedOnly }: { readonly node?: Node | undefined; readonly reservedOnly?: true } = {},
): Volume | undefined {
  const wanted = nanoOf(claim.spec.resources?.requests?.["storage"]);
  const size = ({ spec }: Volume): bigint => nanoOf(spec.capacity?.["storage"]);
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
      status?.phase === "Available" &&
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

const suits = ({ spec }: Volume, claim: Claim): boolean =>
  (spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem") &&
  (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode));

const isSelected = ({ spec }: Claim, labels: Readonly<Record<string, string>>): boolean =>
  spec.selector === undefined || matchesLabels(toSelector(spec.selector)!, labels);
