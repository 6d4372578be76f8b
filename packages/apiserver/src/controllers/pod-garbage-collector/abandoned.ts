// Whether a pod has nobody left who could end it: its node is gone, or out of service, or it never
// had one. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go.
import { isNodeReady } from "../../component-helpers/nodes/node-fit.ts";
import { isPodFinished } from "../../component-helpers/workloads/pod-state.ts";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/** How long a node must have been missing; its pods may have been seen sooner than it. */
export const quarantineMs = 40_000;

const outOfService = "node.kubernetes.io/out-of-service";

/** Why a pod is removed: `orphan` once its node has been missing for long enough. */
export type Abandonment = "orphan" | "terminating" | undefined;

/** Decides about one pod; `node` is what is known of its node. */
export function abandonmentOf({ metadata, spec }: Pod, node: Node | undefined): Abandonment {
  const isGoing = metadata.deletionTimestamp !== undefined;
  if (!spec.nodeName) return isGoing ? "terminating" : undefined;
  if (!node) return "orphan";
  return isGoing && !isNodeReady(node) && node.spec.taints?.some(({ key }) => key === outOfService)
    ? "terminating"
    : undefined;
}

/** The status that a pod is given before it goes, or undefined when it is through. */
export function lastStatus(pod: Pod, why: Abandonment, now: number): object | undefined {
  if (isPodFinished(pod)) return undefined;
  const { generation } = pod.metadata;
  const observed = generation ? { observedGeneration: generation } : {};
  const reason = {
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: formatTime(now),
  };
  return {
    phase: "Failed",
    ...observed,
    ...(why === "orphan"
      ? { conditions: [{ type: "DisruptionTarget", ...observed, status: "True", ...reason }] }
      : {}),
  };
}
