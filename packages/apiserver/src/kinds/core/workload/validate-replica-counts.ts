// The counts in the status of a workload.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidateDeploymentStatus,
// ValidateStatefulSetStatus), pkg/apis/core/validation/validation.go
// (ValidateStatusReplicas…).
import type { JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { nonNegative } from "../../validation/field-rules.ts";

/** Refuses negative counts. */
export function validateCounts<S extends JsonObject>(
  status: S,
  fields: readonly (keyof NoInfer<S> & string)[],
): FieldError[] {
  return fields
    .filter((field) => isSet(status[field]))
    .flatMap((field) => nonNegative(Number(status[field]), `status.${field}`));
}

/** Refuses counts that are greater than another one. */
export function validateAtMost<S extends JsonObject>(
  status: S,
  fields: readonly (keyof NoInfer<S> & string)[],
  bound: keyof NoInfer<S> & string,
  message: string,
): FieldError[] {
  return fields.flatMap((field) => {
    const count = Number(status[field] ?? 0);
    return count > Number(status[bound] ?? 0) ? [invalid(`status.${field}`, count, message)] : [];
  });
}

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
  return decremented ? [invalid("status.collisionCount", now ?? 0, "cannot be decremented")] : [];
}
