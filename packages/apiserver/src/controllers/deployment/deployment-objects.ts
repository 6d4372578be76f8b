// Deployments, as far as their controller looks at them, and the numbers that their specs stand
// for. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/deployment/util/deployment_util.go.
import type { Deployment } from "homeostat/k8s/apps/v1";
import { type ReplicaSet } from "homeostat/k8s/apps/v1";

/** The label by which the pods of one template are told from others. */
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
/** A count of replica sets' statuses, together. */
export const countOf = (
  sets: readonly ReplicaSet[],
  field: "replicas" | "readyReplicas" | "availableReplicas",
): number => sets.reduce((sum, { status }) => sum + (status[field] ?? 0), 0);

/** Pods above the number asked for that a rollout may make. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

/** Pods below the number asked for that a rollout may leave. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  return isRolling(deployment) && replicas > 0
    ? Math.min(fenceposts(deployment).unavailable, replicas)
    : 0;
}

/**
 * Surge is rounded up, unavailability down; when both come to nothing, one may be unavailable, or
 * nothing would ever move.
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

/** The older first; names decide between those made in the same second. */
export const byCreation = (a: ReplicaSet, b: ReplicaSet): number =>
  compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
  compare(a.metadata.name, b.metadata.name);
/** The bigger first, of equals the older. */
export const bySizeOlder = (a: ReplicaSet, b: ReplicaSet): number =>
  replicasOf(b) - replicasOf(a) || byCreation(a, b);
/** The bigger first, of equals the newer. */
export const bySizeNewer = (a: ReplicaSet, b: ReplicaSet): number =>
  replicasOf(b) - replicasOf(a) || byCreation(b, a);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
