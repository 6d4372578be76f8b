// Decides whether a pod has to be garbage collected: its node is gone or out of service, or it was
// deleted and never scheduled. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go.
import { isNodeReady } from "../../component-helpers/nodes/node-fit.ts";
import { isPodFinished } from "../../component-helpers/workloads/pod-state.ts";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/** How long a node must be missing: its pods may be observed before it. */
export const quarantineMs = 40_000;

const outOfService = "node.kubernetes.io/out-of-service";

/** Why a pod is collected: `orphan` only after the quarantine of its node. */
export type GarbageReason = "orphan" | "terminating" | undefined;

/** Decides about one pod; `node` is undefined if it is unknown. */
export function garbageReason({ metadata, spec }: Pod, node: Node | undefined): GarbageReason {
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (!spec.nodeName) return isDeleted ? "terminating" : undefined;
  if (!node) return "orphan";
  return isDeleted &&
    !isNodeReady(node) &&
    node.spec.taints?.some(({ key }) => key === outOfService)
    ? "terminating"
    : undefined;
}

/** The status to set before the deletion; undefined if the pod has finished. */
export function lastStatus(pod: Pod, why: GarbageReason, now: number): object | undefined {
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
