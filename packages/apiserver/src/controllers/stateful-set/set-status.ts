// The status of a StatefulSet: counts of pods by state and revision. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go (updateStatus),
// stateful_set_utils.go (completeRollingUpdate, inconsistentStatus).
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import { omitZero } from "../../component-helpers/meta/omit-zero.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import type { StatefulSet, StatefulSetStatus } from "homeostat/k8s/apps/v1";
import { isAvailable, isRunningReady, type SetRevisions } from "./set-steps.ts";
import { revisionOfPod } from "./ordinals.ts";

/** The input of a status. */
export interface SetFindings {
  readonly pods: readonly Pod[];
  readonly revisions: SetRevisions;
  readonly collisions: number;
  /** Counted pods of the current revision that have just been deleted. */
  readonly replaced: number;
  readonly now: number;
}

/** The desired status. Zero counts are omitted where Go omits them. */
export function setStatus(
  set: StatefulSet,
  { pods, revisions, collisions, replaced, now }: SetFindings,
): StatefulSetStatus {
  const staying = pods.filter((pod) => !isTerminating(pod));
  const readyPods = pods.filter(isRunningReady);
  const updated = staying.filter((pod) => revisionOfPod(pod) === revisions.update).length;
  const current =
    staying.filter((pod) => revisionOfPod(pod) === revisions.current).length - replaced;
  const isDone =
    set.spec.updateStrategy?.type === "RollingUpdate" &&
    [updated, readyPods.length, pods.length].every((count) => count === set.spec.replicas);
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...omitZero({ readyReplicas: readyPods.length }),
    availableReplicas: readyPods.filter((pod) => isAvailable(set, pod, now)).length,
    ...omitZero({ currentReplicas: isDone ? updated : current, updatedReplicas: updated }),
    currentRevision: isDone ? revisions.update : revisions.current,
    updateRevision: revisions.update,
    collisionCount: collisions,
  };
}

/** True when the status differs in what the controller writes. */
export function isStatusNews(before: StatefulSetStatus, after: StatefulSetStatus): boolean {
  const counts = [
    "replicas",
    "currentReplicas",
    "readyReplicas",
    "updatedReplicas",
    "availableReplicas",
  ] as const;
  return (
    (after.observedGeneration ?? 0) > (before.observedGeneration ?? 0) ||
    counts.some((count) => (before[count] ?? 0) !== (after[count] ?? 0)) ||
    (before.currentRevision ?? "") !== after.currentRevision ||
    (before.updateRevision ?? "") !== after.updateRevision
  );
}
