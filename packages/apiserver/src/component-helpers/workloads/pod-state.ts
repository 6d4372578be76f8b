// What controllers ask of a pod: is it active, ready, available. Pure.
// Upstream: k8s.io/kubernetes/pkg/api/v1/pod/util.go,
// k8s.io/kubernetes/pkg/controller/controller_utils.go (IsPodActive).
import type { Pod, PodCondition } from "homeostat/k8s/core/v1";

/** Neither through nor going. */
export const isPodActive = (pod: Pod): boolean =>
  !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;

/** Succeeded or failed. */
export const isPodFinished = ({ status }: Pod): boolean =>
  status.phase === "Succeeded" || status.phase === "Failed";

/** Going, and not through. */
export const isPodTerminating = (pod: Pod): boolean =>
  !isPodFinished(pod) && pod.metadata.deletionTimestamp !== undefined;

/** The pod's condition Ready, when it is true. */
export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status.conditions?.find(({ type, status: state }) => type === "Ready" && state === "True");
}

/**
 * Milliseconds until the pod will have been ready for `minReadySeconds`; 0 when it has, undefined
 * when it is not ready.
 */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = readyCondition(pod);
  if (!ready) return undefined;
  if (minReadySeconds <= 0) return 0;
  if (!ready.lastTransitionTime) return undefined;
  return Math.max(0, Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 - now);
}
