// The status of a Deployment: counts, and the conditions Available, Progressing and ReplicaFailure
// with upstream's reasons and messages. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment (sync.go, progress.go),
// util/deployment_util.go.
import { omitZero } from "../../component-helpers/meta/omit-zero.ts";
import type {
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  DeploymentCondition,
} from "homeostat/k8s/apps/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import {
  countOf,
  hasProgressDeadline,
  maxUnavailable,
  totalReplicas,
  replicasOf,
} from "./deployment-spec.ts";

/** The input of a status; `newSet` is one of `sets`. */
export interface RolloutFindings {
  readonly sets: readonly ReplicaSet[];
  readonly newSet: ReplicaSet | undefined;
  readonly now: number;
}

const timedOut = "ProgressDeadlineExceeded";
const available = "NewReplicaSetAvailable";

/** A new condition. */
export function newCondition(
  type: string,
  status: DeploymentCondition["status"],
  why: { readonly reason: string; readonly message: string; readonly now: number },
): DeploymentCondition {
  const at = formatTime(why.now);
  return {
    type,
    status,
    lastUpdateTime: at,
    lastTransitionTime: at,
    reason: why.reason,
    message: why.message,
  };
}

/** The condition of a type. */
export const findCondition = (
  status: DeploymentStatus | undefined,
  type: string,
): DeploymentCondition | undefined => status?.conditions?.find((one) => one.type === type);

/**
 * Sets a condition. With the same status and reason the old one stays; with the same status it
 * keeps its transition time.
 */
export function setCondition(
  status: DeploymentStatus,
  condition: DeploymentCondition,
): DeploymentStatus {
  const before = findCondition(status, condition.type);
  if (before?.status === condition.status && before.reason === condition.reason) return status;
  const dated =
    before?.status === condition.status && before.lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime: before.lastTransitionTime }
      : condition;
  return { ...status, conditions: [...without(status, condition.type), dated] };
}

const without = (status: DeploymentStatus, type: string): readonly DeploymentCondition[] =>
  (status.conditions ?? []).filter((one) => one.type !== type);

function removeCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  if (!findCondition(status, type)) return status;
  const { conditions: _, ...rest } = status;
  const conditions = without(status, type);
  return conditions.length > 0 ? { ...rest, conditions } : rest;
}

/** Counts and availability, which do not depend on a rollout. */
export function calculateStatus(
  deployment: Deployment,
  { sets, newSet, now }: RolloutFindings,
): DeploymentStatus {
  const availableReplicas = countOf(sets, "availableReplicas");
  const { conditions = [], collisionCount } = deployment.status;
  const terminating = terminatingOf(sets);
  const status: DeploymentStatus = {
    ...omitZero({
      observedGeneration: deployment.metadata.generation,
      replicas: countOf(sets, "replicas"),
      updatedReplicas: newSet?.status.replicas,
      readyReplicas: countOf(sets, "readyReplicas"),
      availableReplicas,
      unavailableReplicas: Math.max(0, totalReplicas(sets) - availableReplicas),
    }),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  const enough = availableReplicas >= replicasOf(deployment) - maxUnavailable(deployment);
  return setCondition(
    status,
    enough
      ? newCondition("Available", "True", {
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
          now,
        })
      : newCondition("Available", "False", {
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
          now,
        }),
  );
}

/** Undefined if one observed set does not report the count. */
function terminatingOf(sets: readonly ReplicaSet[]): number | undefined {
  const counts = sets.map(
    ({ status }) => status.terminatingReplicas ?? (status.observedGeneration ? undefined : 0),
  );
  return counts.includes(undefined)
    ? undefined
    : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

/** The status during a rollout: its progress, or that it is stuck. */
export function rolloutStatus(deployment: Deployment, findings: RolloutFindings): DeploymentStatus {
  const calculated = calculateStatus(deployment, findings);
  const status = hasProgressDeadline(deployment)
    ? withProgress(deployment, calculated, findings)
    : removeCondition(calculated, "Progressing");
  const failure = failureOf(findings);
  return failure ? setCondition(status, failure) : removeCondition(status, "ReplicaFailure");
}

function withProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  { newSet, now }: RolloutFindings,
): DeploymentStatus {
  const before = findCondition(deployment.status, "Progressing");
  if ((status.replicas ?? 0) === (status.updatedReplicas ?? 0) && before?.reason === available)
    return status;
  const subject = newSet
    ? `ReplicaSet "${newSet.metadata.name}"`
    : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status))
    return setCondition(
      status,
      newCondition("Progressing", "True", {
        reason: available,
        message: `${subject} has successfully progressed.`,
        now,
      }),
    );
  if (isProgressing(deployment.status, status)) {
    const condition = newCondition("Progressing", "True", {
      reason: "ReplicaSetUpdated",
      message: `${subject} is progressing.`,
      now,
    });
    const since =
      before?.status === "True" && before.lastTransitionTime !== undefined
        ? { lastTransitionTime: before.lastTransitionTime }
        : {};
    return setCondition(removeCondition(status, "Progressing"), { ...condition, ...since });
  }
  if (isTimedOut(deployment, status, now))
    return setCondition(
      status,
      newCondition("Progressing", "False", {
        reason: timedOut,
        message: `${subject} has timed out progressing.`,
        now,
      }),
    );
  return status;
}

/** True when every pod has the newest template and is available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  return (
    [status.updatedReplicas, status.replicas, status.availableReplicas].every(
      (count) => (count ?? 0) === replicasOf(deployment),
    ) && (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function isProgressing(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number =>
    replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isTimedOut({ spec }: Deployment, status: DeploymentStatus, now: number): boolean {
  const condition = findCondition(status, "Progressing");
  if (!condition || condition.reason === available) return false;
  return (
    condition.reason === timedOut ||
    Date.parse(condition.lastUpdateTime ?? "") + spec.progressDeadlineSeconds! * 1000 < now
  );
}

/** The failure of the newest set, or else of the first other set. */
function failureOf({ sets, newSet }: RolloutFindings): DeploymentCondition | undefined {
  const all = [...(newSet ? [newSet] : []), ...sets].flatMap(
    ({ status }) => status.conditions ?? [],
  );
  const found = all.find(({ type }) => type === "ReplicaFailure");
  return (
    found && {
      ...found,
      ...(found.lastTransitionTime === undefined
        ? {}
        : { lastUpdateTime: found.lastTransitionTime }),
    }
  );
}

/** Milliseconds until the progress deadline has to be checked; undefined if it does not apply. */
export function progressCheckMs(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const condition = findCondition(deployment.status, "Progressing");
  if (
    !hasProgressDeadline(deployment) ||
    !condition ||
    condition.reason === timedOut ||
    isComplete(deployment, status)
  )
    return undefined;
  const after =
    Date.parse(condition.lastUpdateTime ?? "") +
    deployment.spec.progressDeadlineSeconds! * 1000 -
    now;
  return Math.max(after, 0) + 1000;
}

/**
 * The condition of a pause or its end, which stops and restarts the progress deadline; undefined if
 * it is set already.
 */
export function pauseCondition(
  deployment: Deployment,
  now: number,
): DeploymentCondition | undefined {
  const before = findCondition(deployment.status, "Progressing");
  if (!hasProgressDeadline(deployment) || before?.reason === timedOut) return undefined;
  const isSet = before?.reason === "DeploymentPaused";
  if (Boolean(deployment.spec.paused) === isSet) return undefined;
  const [reason, message] = isSet
    ? ["DeploymentResumed", "Deployment is resumed"]
    : ["DeploymentPaused", "Deployment is paused"];
  return newCondition("Progressing", "Unknown", { reason, message, now });
}
