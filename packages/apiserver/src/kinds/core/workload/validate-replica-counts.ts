// The counts in the status of a workload.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidateReplicaSetStatus,
// ValidateDeploymentStatus, ValidateStatefulSetStatus),
// pkg/apis/core/validation/validation.go (ValidateReplicationControllerStatusUpdate).
import type { Decoded } from "homeostat/api";
import type { ReplicaSetStatus } from "homeostat/k8s/apps/v1";
import type { ReplicationControllerStatus } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { nonNegative } from "../../validation/field-rules.ts";

/** Refuses negative counts. */
export function validateCounts<S extends object>(
  status: S,
  fields: readonly (keyof NoInfer<S> & string)[],
): FieldError[] {
  return fields
    .filter((field) => isSet(status[field]))
    .flatMap((field) => nonNegative(Number(status[field]), `status.${field}`));
}

/** Refuses counts that are greater than the one in `bound`. */
export function validateAtMost<S extends object>(
  status: S,
  fields: readonly (keyof NoInfer<S> & string)[],
  bound: keyof NoInfer<S> & string,
  message: string,
): FieldError[] {
  return fields.flatMap((field) => {
    const count = Number(status[field] ?? 0);
    return count > Number(status[bound] ?? 0)
      ? [fieldError.invalid(`status.${field}`, count, message)]
      : [];
  });
}

/** Validates the status of a ReplicaSet or a ReplicationController. */
export const validateReplicaStatus = (
  status: Decoded<ReplicaSetStatus> & Decoded<ReplicationControllerStatus>,
): FieldError[] => [
  ...validateCounts(status, [
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
  ]),
  ...validateAtMost(
    status,
    ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
    "replicas",
    "cannot be greater than status.replicas",
  ),
  ...validateAtMost(
    status,
    ["availableReplicas"],
    "readyReplicas",
    "cannot be greater than readyReplicas",
  ),
];

interface WithCollisionCount {
  status?: { collisionCount?: number | null } | null;
}

/** Refuses a smaller collisionCount. */
export function validateCollisionCount(
  workload: WithCollisionCount,
  old: WithCollisionCount,
): FieldError[] {
  const before = old.status?.collisionCount;
  const now = workload.status?.collisionCount;
  const decremented = isSet(before) && (!isSet(now) || now < before);
  return decremented
    ? [fieldError.invalid("status.collisionCount", now ?? 0, "cannot be decremented")]
    : [];
}
