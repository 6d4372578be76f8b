// Chooses the pods to delete when there are too many. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_utils.go (ActivePodsWithRanks),
// replicaset/replica_set.go.
import { compareProgress, compareRestarts } from "../../component-helpers/workloads/pod-order.ts";
import { isPodActive, readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type { Pod } from "homeostat/k8s/core/v1";

const costAnnotation = "controller.kubernetes.io/pod-deletion-cost";

/**
 * Chooses `count` of `pods`. `related` are the pods of all sibling ReplicaSets: of a node with many
 * of them, one is deleted first.
 */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  { count, now }: { readonly count: number; readonly now: number },
): readonly Pod[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const pod of related)
    if (isPodActive(pod))
      onNode.set(pod.spec.nodeName ?? "", (onNode.get(pod.spec.nodeName ?? "") ?? 0) + 1);
  const rank = (pod: Pod): number => onNode.get(pod.spec.nodeName ?? "") ?? 0;
  return pods.toSorted((a, b) => compare(a, b, rank, now)).slice(0, count);
}

/** Negative when `a` is deleted before `b`. */
function compare(a: Pod, b: Pod, rank: (pod: Pod) => number, now: number): number {
  const [readyA, readyB] = [readyCondition(a), readyCondition(b)];
  return (
    compareProgress(a, b) ||
    cost(a) - cost(b) ||
    rank(b) - rank(a) ||
    (readyA && readyB
      ? byAge(readyA.lastTransitionTime, readyB.lastTransitionTime, { a, b, now })
      : 0) ||
    compareRestarts(a, b) ||
    byAge(a.metadata.creationTimestamp, b.metadata.creationTimestamp, { a, b, now })
  );
}

/**
 * The younger first if ages differ by a power of two; otherwise by uid, which is as good as random.
 * A missing time counts as youngest.
 */
function byAge(
  timeA: string | null | undefined,
  timeB: string | null | undefined,
  { a, b, now }: { readonly a: Pod; readonly b: Pod; readonly now: number },
): number {
  if (timeA === timeB) return 0;
  if (!timeA || !timeB) return timeA ? 1 : -1;
  return (
    magnitude(now - Date.parse(timeA)) - magnitude(now - Date.parse(timeB)) ||
    (a.metadata.uid < b.metadata.uid ? -1 : 1)
  );
}

/** Upstream counts nanoseconds. */
const magnitude = (ms: number): number => (ms > 0 ? Math.trunc(Math.log2(ms * 1e6)) : -1);

/** The cost of a deletion; 0 unless it is an integer. */
function cost({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? "";
  return /^(0|-?[1-9][0-9]*)$/.test(text) ? Number(text) : 0;
}
