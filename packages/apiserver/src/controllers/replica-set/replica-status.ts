// The status of a ReplicaSet: counts and the condition ReplicaFailure. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set_utils.go.
import { availableInMs, readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import type { ReplicaSetCondition, ReplicaSetStatus } from "homeostat/k8s/apps/v1";
import { omitZero } from "../../component-helpers/meta/omit-zero.ts";
import type { ReplicaOwner } from "./replica-owner.ts";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

const failureType = "ReplicaFailure";

/** The input of a status. */
export interface ReplicaFindings {
  readonly active: readonly Pod[];
  /** Pods that are being deleted; undefined for kinds that do not count them. */
  readonly terminating?: number | undefined;
  /** Why pods could not be created or deleted: the server's message. */
  readonly failure?: string | undefined;
  readonly now: number;
}

/**
 * The desired status, `observedGeneration` included. Zero counts other than `replicas` are omitted,
 * as Go omits them.
 */
export function replicaStatus(owner: ReplicaOwner, findings: ReplicaFindings): ReplicaSetStatus {
  const { active, now, terminating } = findings;
  const { minReadySeconds = 0 } = owner.spec;
  const labels = Object.entries(owner.spec.template?.metadata?.labels ?? {});
  const conditions = failureConditions(owner, findings);
  return {
    replicas: active.length,
    ...omitZero({
      fullyLabeledReplicas: active.filter((pod) =>
        labels.every(([key, value]) => pod.metadata.labels?.[key] === value),
      ).length,
      readyReplicas: active.filter(readyCondition).length,
      availableReplicas: active.filter((pod) => availableInMs(pod, minReadySeconds, now) === 0)
        .length,
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...omitZero({ observedGeneration: owner.metadata.generation }),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** A known failure keeps its condition until it is resolved. */
function failureConditions(
  { spec, status }: ReplicaOwner,
  { active, failure, now }: ReplicaFindings,
): readonly ReplicaSetCondition[] {
  const before = status.conditions ?? [];
  const known = before.some(({ type }) => type === failureType);
  if (failure === undefined)
    return known ? before.filter(({ type }) => type !== failureType) : before;
  if (known) return before;
  const diff = active.length - (spec.replicas ?? 0);
  const reason = diff < 0 ? "FailedCreate" : "FailedDelete";
  return [
    ...before,
    {
      type: failureType,
      status: "True",
      lastTransitionTime: formatTime(now),
      ...(diff === 0 ? {} : { reason }),
      message: failure,
    },
  ];
}

/** True when the controller would change nothing. */
export function isSameReplicaStatus(
  before: ReplicaSetStatus | undefined,
  after: ReplicaSetStatus,
): boolean {
  const counts = [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
  ] as const;
  return (
    counts.every((field) => (before?.[field] ?? 0) === (after[field] ?? 0)) &&
    before?.terminatingReplicas === after.terminatingReplicas &&
    JSON.stringify(before?.conditions ?? []) === JSON.stringify(after.conditions ?? [])
  );
}

/** Milliseconds until the next pod becomes available; undefined if none is waiting. */
export function nextAvailabilityMs(
  { spec: { minReadySeconds = 0 } }: ReplicaOwner,
  active: readonly Pod[],
  now: number,
): number | undefined {
  const waits = active.flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
