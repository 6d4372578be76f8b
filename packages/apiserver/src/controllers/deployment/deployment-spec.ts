// Numbers that the spec of a Deployment stands for. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/deployment/util/deployment_util.go.
import { byCreation } from "../../component-helpers/meta/by-creation.ts";
import type { Deployment } from "homeostat/k8s/apps/v1";
import { type ReplicaSet } from "homeostat/k8s/apps/v1";

/** The label with the hash of the pod template. */
export const hashLabel = "pod-template-hash";
const noLimit = 2 ** 31 - 1;

export const isRolling = ({ spec }: Deployment): boolean => spec.strategy?.type === "RollingUpdate";
export const hasProgressDeadline = ({
  spec: { progressDeadlineSeconds: limit },
}: Deployment): boolean => limit !== undefined && limit !== noLimit;
export const hasHistoryLimit = ({ spec: { revisionHistoryLimit: limit } }: Deployment): boolean =>
  limit !== undefined && limit !== noLimit;

/** The desired number of pods. */
export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec.replicas ?? 0;
/** The desired number of pods of all replica sets together. */
export const totalReplicas = (sets: readonly ReplicaSet[]): number =>
  sets.reduce((sum, set) => sum + replicasOf(set), 0);
/** The sum of a count over the statuses of replica sets. */
export const countOf = (
  sets: readonly ReplicaSet[],
  field: "replicas" | "readyReplicas" | "availableReplicas",
): number => sets.reduce((sum, { status }) => sum + (status[field] ?? 0), 0);

/** How many pods a rollout may create above the desired number. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

/** How many pods below the desired number may be unavailable. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  return isRolling(deployment) && replicas > 0
    ? Math.min(fenceposts(deployment).unavailable, replicas)
    : 0;
}

/**
 * Surge is rounded up, unavailability down. If both are zero, one pod may be unavailable: otherwise
 * the rollout could not proceed.
 */
function fenceposts(deployment: Deployment): {
  readonly surge: number;
  readonly unavailable: number;
} {
  const replicas = replicasOf(deployment);
  const limits = deployment.spec.strategy?.rollingUpdate;
  const surge = scaled(limits?.maxSurge ?? 0, replicas, Math.ceil);
  const unavailable = scaled(limits?.maxUnavailable ?? 0, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

function scaled(value: number | string, total: number, round: (share: number) => number): number {
  return typeof value === "number" ? value : round((Number.parseInt(value, 10) * total) / 100);
}

/** The larger first, of equals the older. */
export const bySizeOlder = (a: ReplicaSet, b: ReplicaSet): number =>
  replicasOf(b) - replicasOf(a) || byCreation(a, b);
/** The larger first, of equals the newer. */
export const bySizeNewer = (a: ReplicaSet, b: ReplicaSet): number =>
  replicasOf(b) - replicasOf(a) || byCreation(b, a);
