// Conditions of pods that the API server sets.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (UpdatePodCondition).
import type { Decoded } from "homeostat/api";
import type { Pod, PodCondition } from "homeostat/k8s/core/v1";

/** One condition without its times. */
export interface ServerPodCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** Sets or adds a condition in place. lastTransitionTime changes only with the status. */
export function setPodCondition(
  pod: Decoded<Pod>,
  condition: ServerPodCondition,
  now: string,
): void {
  const status = pod.status ?? {};
  const conditions = status.conditions ?? [];
  const old = conditions.find((each) => (each.type ?? "") === condition.type);
  const lastTransitionTime =
    old?.status === condition.status ? (old.lastTransitionTime ?? null) : now;
  const next: Decoded<PodCondition> = { lastProbeTime: null, ...condition, lastTransitionTime };
  pod.status = {
    ...status,
    conditions: old
      ? conditions.map((each) => (each === old ? next : each))
      : [...conditions, next],
  };
}
