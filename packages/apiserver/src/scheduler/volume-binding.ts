// Filters nodes by a pod's claims: the volumes of bound claims must be reachable, claims with
// delayed binding need a volume or a provisioner. Pure.
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
import { type NodeFilter, unresolvable } from "./snapshot.ts";

/** Lists claims, volumes and classes. */
export interface Storage {
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined;
  readonly volume: (name: string) => PersistentVolume | undefined;
  readonly volumes: () => readonly PersistentVolume[];
  readonly storageClass: (name: string) => StorageClass | undefined;
}

/** The reason why PreFilter fails; else the filters and the claims to bind on the chosen node. */
export type VolumePreFilterResult =
  | { readonly blocked: string }
  | { readonly filters: readonly NodeFilter[]; readonly unbound: readonly PersistentVolumeClaim[] };

/** The PreFilter step of VolumeBinding. */
export function preFilterVolumes(pod: Pod, storage: Storage): VolumePreFilterResult {
  const bound: PersistentVolumeClaim[] = [];
  const unbound: PersistentVolumeClaim[] = [];
  for (const name of claimNames(pod)) {
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
      unresolvable("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  return (node) =>
    isReachable(bound, node)
      ? undefined
      : unresolvable("node(s) didn't match PersistentVolume's node affinity");
}

/** A claim without a provisioner needs an existing volume. */
function staticFilter(claim: PersistentVolumeClaim, { volumes }: Storage): NodeFilter {
  const all = volumes();
  return (node) =>
    findVolume(claim, all, { node })
      ? undefined
      : unresolvable("node(s) didn't find available persistent volumes to bind");
}
