// Jobs and their pods, as far as the job controller looks at them. Types, names and plain
// questions; pure.
// Upstream: k8s.io/api/batch/v1/types.go, k8s.io/kubernetes/pkg/controller/job/util/utils.go,
// job_controller.go.
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { ContainerStatus, Pod, ContainerStateTerminated } from "homeostat/k8s/core/v1";
import type { Job } from "homeostat/k8s/batch/v1";
import { type JobStatus, type JobCondition } from "homeostat/k8s/batch/v1";

/** Holds a pod until its job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const ownName = "kubernetes.io/job-controller";

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;
/** Somebody else's to work on. */
export const isManagedElsewhere = ({ spec }: Job): boolean =>
  spec.managedBy !== undefined && spec.managedBy !== ownName;
/** A pod that is going is not replaced before it has gone. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
export const isGoing = ({ metadata }: ApiObject): boolean =>
  metadata.deletionTimestamp !== undefined;

/** The condition by which a job is through: Complete or Failed. */
export function endCondition({ status }: Job): JobCondition | undefined {
  return status.conditions?.find(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
}

/** The condition of a type, when it is true. */
export const trueCondition = ({ conditions }: JobStatus, type: string): JobCondition | undefined =>
  conditions?.find((one) => one.type === type && one.status === "True");

export const isTracked = ({ metadata }: Pod): boolean =>
  metadata.finalizers?.includes(trackingFinalizer) === true;

/**
 * Failed in the eyes of its job: a pod that is going counts too, unless only what has failed is
 * replaced.
 */
export function isFailedFor(job: Job, pod: Pod): boolean {
  if (pod.status.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isGoing(pod) && pod.status.phase !== "Succeeded";
}

/** How a container ended, if it has. */
export const terminatedState = (status: ContainerStatus): ContainerStateTerminated | undefined =>
  status.state?.terminated;
/** Statuses of init containers. */
export const initStatuses = ({ status }: Pod): readonly ContainerStatus[] =>
  status.initContainerStatuses ?? [];
