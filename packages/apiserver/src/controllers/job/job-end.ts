// The end of a job: the interim condition FailureTarget or SuccessCriteriaMet, and the final Failed
// or Complete once its pods are counted. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job/job_controller.go (syncJob, enactJobFinished).
import type { Job, JobCondition, JobStatus } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import { countOfIndexes } from "./index-set.ts";
import { newCondition } from "./job-conditions.ts";
import { initStatuses, isFailedFor, isSuspended, trueCondition } from "./job-state.ts";
import type { SyncContext } from "./sync-context.ts";
import { judgeFailure, matchSuccess } from "./pod-failure-policy.ts";

/** The final condition for an interim one. */
export function finalCondition(
  { type, reason = "", message = "" }: JobCondition,
  now: number,
): JobCondition {
  return newCondition(
    type === "SuccessCriteriaMet" ? "Complete" : "Failed",
    "True",
    { reason, message },
    now,
  );
}

/**
 * The condition that ends the job before its pods are managed: recorded earlier, a failure, or the
 * success policy. Undefined if the job continues.
 */
export function endOf(
  context: SyncContext,
  status: JobStatus,
  now: number,
): JobCondition | undefined {
  const interim = trueCondition(status, "SuccessCriteriaMet");
  if (interim) return interim;
  const target = trueCondition(status, "FailureTarget");
  if (target) return finalCondition(target, now);
  const failure =
    policyFailure(context) ?? limitFailure(context, status, now) ?? indexFailure(context);
  if (failure) return newCondition("FailureTarget", "True", failure, now);
  const success = context.indexes && matchSuccess(context.job, context.indexes.succeeded);
  return success === undefined
    ? undefined
    : newCondition(
        "SuccessCriteriaMet",
        "True",
        { reason: "SuccessPolicy", message: success },
        now,
      );
}

/** The condition of a job with enough successes and no active pods. */
export function completionOf(
  { job: { spec }, succeeded }: SyncContext,
  active: number,
  now: number,
): JobCondition | undefined {
  if (
    active > 0 ||
    (spec.completions === undefined ? succeeded === 0 : succeeded < spec.completions)
  )
    return undefined;
  return newCondition(
    "SuccessCriteriaMet",
    "True",
    { reason: "CompletionsReached", message: "Reached expected number of succeeded pods" },
    now,
  );
}

interface Failure {
  readonly reason: string;
  readonly message: string;
}

function policyFailure({ job, pods }: SyncContext): Failure | undefined {
  for (const pod of pods) {
    const message = isFailedFor(job, pod) ? judgeFailure(job, pod).message : undefined;
    if (message !== undefined) return { reason: "PodFailurePolicy", message };
  }
  return undefined;
}

function limitFailure(
  { job, pods, failed }: SyncContext,
  status: JobStatus,
  now: number,
): Failure | undefined {
  if (failed > (job.spec.backoffLimit ?? 0) || restartsTooOften(job, pods))
    return {
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
    };
  const leftMs = deadlineInMs(job, status, now);
  return leftMs !== undefined && leftMs <= 0
    ? { reason: "DeadlineExceeded", message: "Job was active longer than specified deadline" }
    : undefined;
}

function indexFailure({ job: { spec }, indexes }: SyncContext): Failure | undefined {
  if (!indexes?.failed) return undefined;
  const failed = countOfIndexes(indexes.failed);
  if (spec.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes)
    return {
      reason: "MaxFailedIndexesExceeded",
      message: "Job has exceeded the specified maximal number of failed indexes",
    };
  if (failed > 0 && failed + countOfIndexes(indexes.succeeded) >= (spec.completions ?? 0))
    return { reason: "FailedIndexes", message: "Job has failed indexes" };
  return undefined;
}

/** True when the restarts of pods with restartPolicy OnFailure exceed the limit. */
function restartsTooOften({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const open = pods.filter(
    ({ status }) => status.phase === "Running" || status.phase === "Pending",
  );
  const restarts = open
    .flatMap((pod) => [...initStatuses(pod), ...(pod.status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  const { backoffLimit = 0 } = spec;
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/** Milliseconds until the active deadline; undefined if none applies. */
export function deadlineInMs(job: Job, { startTime }: JobStatus, now: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(job))
    return undefined;
  return Date.parse(startTime) + activeDeadlineSeconds * 1000 - now;
}
