// The order in which controllers delete surplus pods, as far as they share it. Negative when `a` is
// deleted before `b`. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_utils.go (ActivePods, ActivePodsWithRanks).
import type { Pod } from "homeostat/k8s/core/v1";
import { readyCondition } from "./pod-state.ts";

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Unscheduled pods first, then pending ones, then those that are not ready. */
export function compareProgress(a: Pod, b: Pod): number {
  return (
    Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
    (phases[a.status.phase ?? ""] ?? 0) - (phases[b.status.phase ?? ""] ?? 0) ||
    Number(Boolean(readyCondition(a))) - Number(Boolean(readyCondition(b)))
  );
}

/** Pods whose containers restarted more often first. */
export const compareRestarts = (a: Pod, b: Pod): number => maxRestarts(b) - maxRestarts(a);

const maxRestarts = ({ status }: Pod): number =>
  Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));
