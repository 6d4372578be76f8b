// Questions about the state of a pod: active, finished, terminating, ready, available. Pure.
// Upstream: k8s.io/kubernetes/pkg/api/v1/pod/util.go,
// k8s.io/kubernetes/pkg/controller/controller_utils.go (IsPodActive).
import type { Pod, PodCondition } from "homeostat/k8s/core/v1";

/** Neither finished nor being deleted. */
export const isPodActive = (pod: Pod): boolean =>
  !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;

/** In phase Succeeded or Failed. */
export const isPodFinished = ({ status }: Pod): boolean =>
  status.phase === "Succeeded" || status.phase === "Failed";

/** Being deleted and not finished. */
export const isPodTerminating = (pod: Pod): boolean =>
  !isPodFinished(pod) && pod.metadata.deletionTimestamp !== undefined;

/** The condition Ready if it is True. */
export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status.conditions?.find(({ type, status: state }) => type === "Ready" && state === "True");
}

/**
 * Milliseconds until the pod has been ready for `minReadySeconds`: 0 when it is available,
 * undefined when it is not ready.
 */
export function availableInMs(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = readyCondition(pod);
  if (!ready) return undefined;
  if (minReadySeconds <= 0) return 0;
  if (!ready.lastTransitionTime) return undefined;
  return Math.max(0, Date.parse(ready.lastTransitionTime) + minReadySeconds * 1000 - now);
}
