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

interface PodCounts {
  observedGeneration?: number | null;
  replicas?: number | null;
  readyReplicas?: number | null;
  availableReplicas?: number | null;
}

/** Which counts of a status are validated. */
interface CountRules<S> {
  /** Counts that are not negative. */
  readonly counts: readonly (keyof S & string)[];
  /** Counts that are not above `replicas`. Available replicas are then not above ready ones. */
  readonly bounded?: readonly (keyof S & string)[];
  /** How the message about available replicas names the ready ones. */
  readonly readyPath?: "readyReplicas" | "status.readyReplicas";
}

/** Validates the counts in a status. */
export function validateStatusCounts<S extends PodCounts>(
  status: S,
  { counts, bounded, readyPath = "readyReplicas" }: CountRules<NoInfer<S>>,
): FieldError[] {
  const negative = counts
    .filter((field) => isSet(status[field]))
    .flatMap((field) => nonNegative(Number(status[field]), `status.${field}`));
  if (!bounded) return negative;
  const replicas = { bound: status.replicas ?? 0, path: "status.replicas" };
  const ready = { bound: status.readyReplicas ?? 0, path: readyPath };
  return [
    ...negative,
    ...bounded.flatMap((field) =>
      validateAtMost(`status.${field}`, Number(status[field] ?? 0), replicas),
    ),
    ...validateAtMost("status.availableReplicas", status.availableReplicas ?? 0, ready),
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
): FieldError[] =>
  validateStatusCounts(status, {
    counts: [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ],
    bounded: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
  });

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
