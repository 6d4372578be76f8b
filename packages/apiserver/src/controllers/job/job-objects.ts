// Jobs and their pods, as far as the job controller looks at them. Types, names and plain
// questions; pure.
// Upstream: k8s.io/api/batch/v1/types.go, k8s.io/kubernetes/pkg/controller/job/util/utils.go,
// job_controller.go.
import type { Kind } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import type {
  ContainerStatus,
  LabelSelectorObject,
  Pod,
  PodTemplate,
  Workload,
  WorkloadCondition,
  WorkloadKind,
} from "../../component-helpers/workloads/workload-objects.ts";

/** batch/v1 JobCondition. */
export interface JobCondition extends WorkloadCondition {
  readonly lastProbeTime?: string;
}

/** batch/v1 JobStatus. */
export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly ready?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: {
    readonly succeeded?: readonly string[];
    readonly failed?: readonly string[];
  };
}

/** batch/v1 PodFailurePolicyRule. */
export interface PodFailureRule {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: "In" | "NotIn";
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status: string }[];
}

/** batch/v1 SuccessPolicyRule. */
export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

/** batch/v1 Job, with defaults applied. */
export interface Job extends Workload {
  readonly spec: {
    readonly parallelism: number;
    readonly completions?: number;
    readonly completionMode?: "NonIndexed" | "Indexed";
    readonly backoffLimit: number;
    readonly backoffLimitPerIndex?: number;
    readonly maxFailedIndexes?: number;
    readonly activeDeadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly suspend?: boolean;
    readonly managedBy?: string;
    readonly podReplacementPolicy?: "TerminatingOrFailed" | "Failed";
    readonly podFailurePolicy?: { readonly rules: readonly PodFailureRule[] };
    readonly successPolicy?: { readonly rules: readonly SuccessRule[] };
    readonly selector: LabelSelectorObject;
    readonly template: PodTemplate;
  };
  readonly status?: JobStatus;
}

/** The state of a container, of which a job asks how it ended. */
export interface TerminatedState {
  readonly exitCode: number;
  readonly finishedAt?: string | null;
}

export const jobKind = dynamicKind({
  apiVersion: "batch/v1",
  kind: "Job",
  resource: "jobs",
  scope: "Namespaced",
}) as Kind as WorkloadKind<Job>;

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
export const isGoing = ({ metadata }: Workload): boolean =>
  metadata.deletionTimestamp !== undefined;

/** The condition by which a job is through: Complete or Failed. */
export function endCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(
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
  if (pod.status?.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isGoing(pod) && pod.status?.phase !== "Succeeded";
}

/** How a container ended, if it has. */
export const terminatedState = (status: ContainerStatus): TerminatedState | undefined =>
  (status["state"] as { readonly terminated?: TerminatedState } | undefined)?.terminated;
/** Statuses of init containers. */
export const initStatuses = ({ status }: Pod): readonly ContainerStatus[] =>
  (status?.["initContainerStatuses"] as readonly ContainerStatus[] | undefined) ?? [];
