// Questions about jobs and their pods. Pure.
// Upstream: k8s.io/api/batch/v1/types.go, k8s.io/kubernetes/pkg/controller/job/util/utils.go,
// job_controller.go.
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import type { ContainerStatus, Pod, ContainerStateTerminated } from "homeostat/k8s/core/v1";
import type { Job } from "homeostat/k8s/batch/v1";
import { type JobStatus, type JobCondition } from "homeostat/k8s/batch/v1";

/** Keeps a pod until its job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
const ownName = "kubernetes.io/job-controller";

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;
/** True when another controller manages the job. */
export const isManagedElsewhere = ({ spec }: Job): boolean =>
  spec.managedBy !== undefined && spec.managedBy !== ownName;
/** True when a terminating pod is replaced only after it has failed. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;

/** The condition of a finished job: Complete or Failed. */
export function endCondition({ status }: Job): JobCondition | undefined {
  return status.conditions?.find(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
}

/** The condition of a type if it is True. */
export const trueCondition = ({ conditions }: JobStatus, type: string): JobCondition | undefined =>
  conditions?.find((one) => one.type === type && one.status === "True");

export const isTracked = ({ metadata }: Pod): boolean =>
  metadata.finalizers?.includes(trackingFinalizer) === true;

/**
 * Whether a pod counts as failed. A terminating pod does too, unless only failed pods are replaced.
 */
export function isFailedFor(job: Job, pod: Pod): boolean {
  if (pod.status.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isTerminating(pod) && pod.status.phase !== "Succeeded";
}

/** The terminated state of a container. */
export const terminatedState = (status: ContainerStatus): ContainerStateTerminated | undefined =>
  status.state?.terminated;
/** The statuses of init containers. */
export const initStatuses = ({ status }: Pod): readonly ContainerStatus[] =>
  status.initContainerStatuses ?? [];
