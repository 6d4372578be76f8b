// How long a pod tolerates the NoExecute taints of its node. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/tainteviction/taint_eviction.go
// (getMinTolerationTime), k8s.io/kubernetes/pkg/apis/core/v1/helper/helpers.go
// (GetMatchingTolerations).
import { isTolerated } from "../../component-helpers/nodes/node-fit.ts";
import type { Taint, Toleration } from "homeostat/k8s/core/v1";

/** Milliseconds: 0 if a taint is not tolerated, undefined if the pod may stay forever. */
export function evictionDelayMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
): number | undefined {
  const limits: number[] = [];
  for (const taint of taints.filter(({ effect }) => effect === "NoExecute")) {
    // The first match counts, although a later one may allow more.
    const used = tolerations.find((one) => isTolerated(taint, [one]));
    if (!used) return 0;
    if (used.tolerationSeconds !== undefined)
      limits.push(Math.max(0, Number(used.tolerationSeconds)) * 1000);
  }
  return limits.length > 0 ? Math.min(...limits) : undefined;
}
