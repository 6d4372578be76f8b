// Sorts the pods of a job: active, terminating, and finished since the last count, with their
// indexes. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job (job_controller.go: syncJob;
// indexed_job_utils.go).
import {
  isPodActive,
  isPodTerminating,
  readyCondition,
} from "../../component-helpers/workloads/pod-state.ts";
import type { Job } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import {
  countOfIndexes,
  hasIndex,
  type IndexSet,
  joinIndexes,
  parseIndexes,
  toIndexSet,
} from "./index-set.ts";
import { isFailedFor, isIndexed, isTracked } from "./job-state.ts";
import { finishedAt } from "./pod-backoff.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { allFailures, countedFailures, indexesOf, indexOf, validIndexOf } from "./pod-index.ts";

/** The indexes of an Indexed job. */
export interface IndexState {
  /** As recorded in the status. */
  readonly before: IndexSet;
  readonly succeeded: IndexSet;
  /** Undefined for a job without `backoffLimitPerIndex`. */
  readonly failed: IndexSet | undefined;
  /**
   * Failed pods by index that are kept until their replacement, which inherits the failure count,
   * is created.
   */
  readonly awaitingSuccessor: ReadonlyMap<number, Pod>;
}

/** The pods of a job by state. Those that are new have finished and are not in the status yet. */
type PodsByState = Readonly<
  Record<"pods" | "active" | "terminating" | "newSucceeded" | "newFailed", readonly Pod[]>
>;

/** The pods of a job at one moment. */
export interface SyncContext extends PodsByState {
  readonly job: Job;
  /** Counted, uncounted and new pods together. */
  readonly succeeded: number;
  readonly failed: number;
  readonly indexes: IndexState | undefined;
}

/** Sorts the pods that the job controls. */
export function createSyncContext(job: Job, pods: readonly Pod[]): SyncContext {
  const { status } = job;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uncounted = pods.filter(
    (pod) =>
      isTracked(pod) &&
      (!isIndexed(job) || validIndexOf(pod, job.spec.completions ?? 0) !== undefined),
  );
  const newSucceeded = uncounted.filter(
    (pod) => !succeeded.includes(pod.metadata.uid) && pod.status.phase === "Succeeded",
  );
  const newFailed = uncounted.filter(
    (pod) => !failed.includes(pod.metadata.uid) && isFailedFor(job, pod),
  );
  const active = pods.filter(isPodActive);
  const indexes = isIndexed(job) ? indexState(job, pods, uncounted) : undefined;
  return {
    job,
    pods,
    active,
    terminating: pods.filter(isPodTerminating),
    newSucceeded,
    newFailed,
    succeeded: indexes
      ? countOfIndexes(indexes.succeeded)
      : (status.succeeded ?? 0) + succeeded.length + newSucceeded.length,
    failed:
      (status.failed ?? 0) +
      failed.length +
      newFailed.filter((pod) => judgeFailure(job, pod).counts).length,
    indexes,
  };
}

export const countReady = (pods: readonly Pod[]): number => pods.filter(readyCondition).length;

function indexState(job: Job, pods: readonly Pod[], uncounted: readonly Pod[]): IndexState {
  const { spec, status } = job;
  const completions = spec.completions ?? 0;
  const before = parseIndexes(status.completedIndexes, completions);
  const succeeded = joinIndexes(
    before,
    toIndexSet(
      uncounted.filter((pod) => pod.status.phase === "Succeeded").map((pod) => indexOf(pod)!),
    ),
  );
  if (spec.backoffLimitPerIndex === undefined)
    return { before, succeeded, failed: undefined, awaitingSuccessor: new Map() };
  const failed = joinIndexes(
    parseIndexes(status.failedIndexes, completions),
    toIndexSet(uncounted.filter((pod) => failsIndex(job, pod)).map((pod) => indexOf(pod)!)),
  );
  const settled = joinIndexes(joinIndexes(succeeded, failed), indexesOf(pods.filter(isPodActive)));
  return {
    before,
    succeeded,
    failed,
    awaitingSuccessor: awaitingSuccessor(
      uncounted.filter((pod) => isFailedFor(job, pod) && !hasIndex(settled, indexOf(pod)!)),
    ),
  };
}

/** True when the index fails with this pod. */
function failsIndex(job: Job, pod: Pod): boolean {
  if (!isFailedFor(job, pod)) return false;
  const { action, counts } = judgeFailure(job, pod);
  return (
    action === "FailIndex" || (counts && countedFailures(pod) >= job.spec.backoffLimitPerIndex!)
  );
}

/** The last failed pod of each index. */
function awaitingSuccessor(failed: readonly Pod[]): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of failed) {
    const index = indexOf(pod)!;
    const other = last.get(index);
    if (!other || (allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other)))
      last.set(index, pod);
  }
  return last;
}
