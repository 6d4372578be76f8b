// Which claims a pod names, and whether it uses one so that the claim must stay. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go
// (podUsesPVCForDeletion, enqueuePVCs), k8s.io/component-helpers/storage/ephemeral/ephemeral.go.
import { controllerOf } from "homeostat/api";
import { isPodFinished } from "../workloads/pod-state.ts";
import type { ApiObject } from "../meta/api-object.ts";
import type { Pod, Volume } from "homeostat/k8s/core/v1";

/**
 * Names of all claims that a pod's volumes lead to. A volume with a claim of its own names it after
 * pod and volume.
 */
export const claimNames = (pod: Pod): readonly string[] =>
  (pod.spec.volumes ?? []).flatMap((volume) =>
    volume.persistentVolumeClaim
      ? [volume.persistentVolumeClaim.claimName]
      : volume.ephemeral
        ? [ownClaimName(pod, volume)]
        : [],
  );

const ownClaimName = ({ metadata }: Pod, { name }: Volume): string => `${metadata.name}-${name}`;

/**
 * Whether the claim has to wait for this pod. One that has no node yet does not count: no kubelet
 * starts it with a claim that is going.
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

/** Whether seeing the pod could set a claim free. */
export const releasesClaims = (pod: Pod): boolean => isPodFinished(pod) || !pod.spec.nodeName;

/**
 * Its node is done with it, or it was deleted by force. The pod may wait for its claim, which must
 * not wait for the pod then.
 */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
