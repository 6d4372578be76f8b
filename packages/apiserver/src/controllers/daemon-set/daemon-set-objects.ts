// Daemon sets, as far as their controller looks at them, and the numbers that their specs stand
// for. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go.
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import type { DaemonSet } from "homeostat/k8s/apps/v1";

/** The label that told a template before hashes did. */
export const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";

/**
 * The number of the template as the API counts it; undefined where it does not, or where what it
 * says is no number.
 */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[generationAnnotation];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? String(BigInt(text)) : undefined;
}

/** True when a pod was made from the template as it is now. */
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

/** Nodes that may have a pod too many while the template changes, of those that are to have one. */
export const surgeCount = (set: DaemonSet, nodes: number): number =>
  shareOf(set, "maxSurge", nodes);
/** Nodes that may be without an available pod while the template changes. */
export const unavailableCount = (set: DaemonSet, nodes: number): number =>
  shareOf(set, "maxUnavailable", nodes);

/** A percentage is rounded up. */
function shareOf(
  { spec: { updateStrategy } }: DaemonSet,
  field: "maxSurge" | "maxUnavailable",
  nodes: number,
): number {
  if (updateStrategy?.type !== "RollingUpdate") return 0;
  const value = updateStrategy.rollingUpdate?.[field] ?? 0;
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * nodes) / 100);
}
