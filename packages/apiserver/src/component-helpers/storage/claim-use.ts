// The claims that the volumes of a pod refer to, and whether the pod uses one. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go
// (podUsesPVCForDeletion, enqueuePVCs), k8s.io/component-helpers/storage/ephemeral/ephemeral.go.
import { controllerOf } from "homeostat/api";
import { isPodFinished } from "../workloads/pod-state.ts";
import type { ApiObject } from "../meta/api-object.ts";
import type { Pod, Volume } from "homeostat/k8s/core/v1";

/**
 * Names of all claims that the volumes of a pod refer to. The claim of an ephemeral volume is named
 * after pod and volume.
 */
export const claimNames = (pod: Pod): readonly string[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral ? [ownClaimName(pod, volume)] : [];
  });

const ownClaimName = ({ metadata }: Pod, { name }: Volume): string => `${metadata.name}-${name}`;

/**
 * Whether the claim must not be deleted because of this pod. An unscheduled pod does not count: no
 * kubelet starts it with a claim that is being deleted.
 */
export function usesClaim(pod: Pod, claim: ApiObject): boolean {
  if (!pod.spec.nodeName) return false;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim)
      return volume.persistentVolumeClaim.claimName === claim.metadata.name;
    if (!volume.ephemeral || isShutDown(pod)) return false;
    return (
      ownClaimName(pod, volume) === claim.metadata.name &&
      controllerOf(claim)?.uid === pod.metadata.uid
    );
  });
}

/** Whether this state of the pod may release a claim. */
export const releasesClaims = (pod: Pod): boolean => isPodFinished(pod) || !pod.spec.nodeName;

/**
 * True when the node has finished with the pod, or it was deleted by force. Such a pod may wait for
 * its claim, which must not wait for the pod in turn.
 */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
