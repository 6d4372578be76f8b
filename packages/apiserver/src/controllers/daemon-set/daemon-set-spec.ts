// Values that the spec of a DaemonSet stands for. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go.
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import type { DaemonSet } from "homeostat/k8s/apps/v1";

/** The label of a template's generation, which hashes have replaced. */
export const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/**
 * The generation of the template that the API server counts; undefined if absent or not a number.
 */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(BigInt(text)) : undefined;
}

/** True when a pod was created from the current template. */
export function isUpdated(
  set: DaemonSet,
  { metadata: { labels = {} } }: Pod,
  hash: string,
): boolean {
  const generation = templateGeneration(set);
  return (
    (hash !== "" && labels[revisionLabel] === hash) ||
    (generation !== undefined && labels[generationLabel] === generation)
  );
}

/** The number of nodes that may have a surplus pod during an update, of those that need one. */
export const surgeCount = (set: DaemonSet, nodes: number): number =>
  shareOf(set, "maxSurge", nodes);
/** The number of nodes that may lack an available pod during an update. */
export const unavailableCount = (set: DaemonSet, nodes: number): number =>
  shareOf(set, "maxUnavailable", nodes);

/** A number, or a percentage rounded up. */
function shareOf(
  { spec: { updateStrategy } }: DaemonSet,
  field: "maxSurge" | "maxUnavailable",
  nodes: number,
): number {
  if (updateStrategy?.type !== "RollingUpdate") return 0;
  const value = updateStrategy.rollingUpdate?.[field] ?? 0;
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * nodes) / 100);
}
