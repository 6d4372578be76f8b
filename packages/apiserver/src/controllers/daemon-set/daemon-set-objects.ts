// Daemon sets, as far as their controller looks at them, and the numbers that their specs stand
// for. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go.
import type { Kind } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type {
  LabelSelectorObject,
  Pod,
  PodTemplate,
  Workload,
  WorkloadKind,
} from "../../component-helpers/workloads/workload-objects.ts";

/** apps/v1 DaemonSet. */
export interface DaemonSet extends Workload {
  readonly spec: {
    readonly selector: LabelSelectorObject;
    readonly template: PodTemplate;
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: {
        readonly maxUnavailable?: number | string;
        readonly maxSurge?: number | string;
      };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
  };
  readonly status?: DaemonSetStatus;
}

/** apps/v1 DaemonSetStatus. */
export interface DaemonSetStatus {
  readonly desiredNumberScheduled?: number;
  readonly currentNumberScheduled?: number;
  readonly numberMisscheduled?: number;
  readonly numberReady?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

export const daemonSetKind = dynamicKind({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  resource: "daemonsets",
  scope: "Namespaced",
}) as Kind as WorkloadKind<DaemonSet>;

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
  if (updateStrategy.type !== "RollingUpdate") return 0;
  const value = updateStrategy.rollingUpdate?.[field] ?? 0;
  return typeof value === "number" ? value : Math.ceil((Number.parseInt(value, 10) * nodes) / 100);
}
