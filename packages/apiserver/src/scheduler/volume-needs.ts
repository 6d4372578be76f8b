// What a pod's claims mean for where it can go: some must be bound first, some are bound once it
// has a node, volumes may be out of reach. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding (volume_binding.go,
// binder.go).
import type { Pod, PersistentVolumeClaim, PersistentVolume } from "homeostat/k8s/core/v1";
import type { StorageClass } from "homeostat/k8s/storage/v1";
import {
  findVolume,
  isClaimBound,
  isDelayed,
  isReachable,
  noProvisioner,
} from "../component-helpers/storage/volume-binding.ts";
import { claimNames } from "../component-helpers/storage/claim-use.ts";
import { type NodeFilter, refuse } from "./fleet.ts";

/** Where claims are looked up. */
export interface Storage {
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly volumes: () => readonly PersistentVolume[];
  readonly storageClass: (name: string) => StorageClass | undefined;
}

/**
 * Why no node need be asked; or what to ask of nodes, and the claims that are to be bound for the
 * one that is found.
 */
export type VolumeNeeds =
  | { readonly blocked: string }
  | { readonly filters: readonly NodeFilter[]; readonly unbound: readonly PersistentVolumeClaim[] };

/** Looks at every claim of a pod. */
export function volumeNeeds(pod: Pod, storage: Storage): VolumeNeeds {
  const bound: PersistentVolumeClaim[] = [];
  const unbound: PersistentVolumeClaim[] = [];
  for (const name of claimNames(pod as Pod)) {
    const claim = storage.claim(pod.metadata.namespace ?? "", name);
    const blocked = blockedBy(name, claim);
    if (blocked !== undefined || !claim) return { blocked: blocked ?? name };
    (isClaimBound(claim) ? bound : unbound).push(claim);
  }
  const classOf = ({ spec }: PersistentVolumeClaim): StorageClass | undefined =>
    storage.storageClass(spec.storageClassName ?? "");
  if (unbound.some((claim) => claim.spec.volumeName || !isDelayed(classOf(claim))))
    return { blocked: "pod has unbound immediate PersistentVolumeClaims" };
  const filters = [
    ...bound.map((claim) => boundFilter(claim, storage)),
    ...unbound
      .filter((claim) => classOf(claim)?.provisioner === noProvisioner)
      .map((claim) => staticFilter(claim, storage)),
  ];
  return { filters, unbound };
}

function blockedBy(name: string, claim: PersistentVolumeClaim | undefined): string | undefined {
  if (!claim) return `persistentvolumeclaim "${name}" not found`;
  if (claim.status?.phase === "Lost")
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ""}"`;
  return claim.metadata.deletionTimestamp === undefined
    ? undefined
    : `persistentvolumeclaim "${name}" is being deleted`;
}

function boundFilter({ spec }: PersistentVolumeClaim, { volume }: Storage): NodeFilter {
  const bound = volume(spec.volumeName ?? "");
  if (!bound)
    return () =>
      refuse("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  return (node) =>
    isReachable(bound, node)
      ? undefined
      : refuse("node(s) didn't match PersistentVolume's node affinity");
}

/** Nobody makes a volume for this claim: one must be there. */
function staticFilter(claim: PersistentVolumeClaim, { volumes }: Storage): NodeFilter {
  const all = volumes();
  return (node) =>
    findVolume(claim, all, { node })
      ? undefined
      : refuse("node(s) didn't find available persistent volumes to bind");
}
