// The counts in the status of a workload.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidateReplicaSetStatus,
// ValidateDeploymentStatus, ValidateStatefulSetStatus),
// pkg/apis/core/validation/validation.go (ValidateReplicationControllerStatusUpdate).
import type { Decoded } from "homeostat/api";
import type { ReplicaSet, ReplicaSetStatus } from "homeostat/k8s/apps/v1";
import type { ReplicationController, ReplicationControllerStatus } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { statusStrategy } from "../../definition/default-strategy.ts";
import { finalizerErrors } from "../../validation/validate-object.ts";
import type { StrategyOverrides } from "../../definition/kind-definition.ts";
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

interface PodCounts {
  replicas?: number | null;
  readyReplicas?: number | null;
  availableReplicas?: number | null;
}

/** Refuses counts above `replicas`, and more available replicas than ready ones. */
export function validateBounds<S extends PodCounts>(
  status: S,
  fields: readonly (keyof NoInfer<S> & string)[],
  readyPath: "readyReplicas" | "status.readyReplicas" = "readyReplicas",
): FieldError[] {
  const { replicas, readyReplicas, availableReplicas } = status;
  return [
    ...fields.flatMap((field) =>
      validateAtMost(`status.${field}`, Number(status[field] ?? 0), {
        bound: replicas ?? 0,
        path: "status.replicas",
      }),
    ),
    ...validateAtMost("status.availableReplicas", availableReplicas ?? 0, {
      bound: readyReplicas ?? 0,
      path: readyPath,
    }),
  ];
}

interface Bound {
  readonly bound: number;
  /** As the message names it. */
  readonly path: string;
}

const validateAtMost = (path: string, count: number, max: Bound): FieldError[] =>
  errorIf(count > max.bound, () =>
    fieldError.invalid(path, count, `cannot be greater than ${max.path}`),
  );

/** Validates the status of a ReplicaSet or a ReplicationController. */
const validateReplicaStatus = (
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
  ...validateBounds(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]),
];

/** The status endpoint of a ReplicaSet or a ReplicationController. */
export const replicaStatusStrategy: StrategyOverrides<
  Decoded<ReplicaSet> | Decoded<ReplicationController>
> = {
  ...statusStrategy,
  validateUpdate: (object) => [
    ...finalizerErrors(object),
    ...validateReplicaStatus(object.status ?? {}),
  ],
};

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
  return errorIf(decremented, () =>
    fieldError.invalid("status.collisionCount", now ?? 0, "cannot be decremented"),
  );
}
