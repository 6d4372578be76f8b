// Counts finished pods exactly once: the uid of a finished pod is recorded as uncounted in the
// status, then its finalizer is removed, then it is counted and the record removed. Pure;
// job-sync.ts writes each step.
// Upstream: k8s.io/kubernetes/pkg/controller/job/job_controller.go
// (trackJobStatusAndRemoveFinalizers).
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import type { Job, JobCondition, JobStatus } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import { countOfIndexes, formatIndexes, hasIndex, joinIndexes, toIndexSet } from "./index-set.ts";
import { isFailedFor, isIndexed, isTracked } from "./job-state.ts";
import type { SyncContext } from "./sync-context.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import { indexOf, validIndexOf } from "./pod-index.ts";

/** Uncounted pods in one status, at most. */
const maxUncounted = 500;

/** The status to write first, and the pods whose finalizer may be removed then. */
export interface UncountedPods {
  readonly status: JobStatus;
  readonly release: readonly Pod[];
  /** More pods than fit: the job cannot finish yet. */
  readonly isFull: boolean;
}

/**
 * Records finished pods. `end` is the final condition if the job ends: unfinished pods have failed
 * then.
 */
export function recordUncounted(
  context: SyncContext,
  status: JobStatus,
  end: JobCondition | undefined,
): UncountedPods {
  const { job, indexes } = context;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uncounted = { succeeded: [...succeeded], failed: [...failed] };
  const done: number[] = [];
  const release: Pod[] = [];
  let isFull = false;
  for (const pod of inOrder(context)) {
    if (!isTracked(pod) || !mayGo(context, pod, end)) continue;
    release.push(pod);
    const index = validIndexOf(pod, job.spec.completions ?? 0);
    const outcome = outcomeOf(job, pod, { end, failed });
    if (outcome === "succeeded" && indexes) {
      if (index !== undefined && !hasIndex(indexes.before, index)) done.push(index);
    } else if (
      outcome &&
      (!indexes || index !== undefined) &&
      !uncounted[outcome].includes(pod.metadata.uid)
    )
      uncounted[outcome].push(pod.metadata.uid);
    if (done.length + uncounted.succeeded.length + uncounted.failed.length >= maxUncounted) {
      isFull = true;
      break;
    }
  }
  return {
    status: { ...status, ...indexFields(context, done), uncountedTerminatedPods: uncounted },
    release,
    isFull,
  };
}

/** Indexes are counted in order. */
const inOrder = ({ job, pods }: SyncContext): readonly Pod[] =>
  isIndexed(job) ? pods.toSorted((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1)) : pods;

/** True when a pod may be released: it or the job has finished, and no replacement needs it. */
function mayGo({ job, indexes }: SyncContext, pod: Pod, end: JobCondition | undefined): boolean {
  if (isTerminating(job) || end || pod.status.phase === "Succeeded") return true;
  return (
    isFailedFor(job, pod) &&
    indexes?.awaitingSuccessor.get(indexOf(pod) ?? -1)?.metadata.uid !== pod.metadata.uid
  );
}

/**
 * The outcome as which a pod counts. A pod recorded as failed stays so; an ignored failure does not
 * count.
 */
function outcomeOf(
  job: Job,
  pod: Pod,
  known: { readonly end: JobCondition | undefined; readonly failed: readonly string[] },
): "succeeded" | "failed" | undefined {
  if (pod.status.phase === "Succeeded" && !known.failed.includes(pod.metadata.uid))
    return "succeeded";
  const cutOff = known.end !== undefined && known.end.type !== "SuccessCriteriaMet";
  return (isFailedFor(job, pod) || cutOff) && judgeFailure(job, pod).counts ? "failed" : undefined;
}

function indexFields({ indexes }: SyncContext, done: readonly number[]): JobStatus {
  if (!indexes) return {};
  const succeeded = joinIndexes(indexes.succeeded, toIndexSet(done));
  return {
    succeeded: countOfIndexes(succeeded),
    completedIndexes: formatIndexes(succeeded),
    ...(indexes.failed ? { failedIndexes: formatIndexes(indexes.failed) } : {}),
  };
}

/**
 * Counts the recorded pods without a finalizer. `held` are the uids of those that still have it.
 */
export function countReleased(status: JobStatus, held: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = {
    succeeded: succeeded.filter((uid) => held.has(uid)),
    failed: failed.filter((uid) => held.has(uid)),
  };
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - left.succeeded.length,
    failed: (status.failed ?? 0) + failed.length - left.failed.length,
    uncountedTerminatedPods: left,
  };
}

/** True while a pod is recorded and not counted. */
export function hasUncountedPods({
  uncountedTerminatedPods: { succeeded = [], failed = [] } = {},
}: JobStatus): boolean {
  return succeeded.length + failed.length > 0;
}

/** True when both would be written alike. */
export function isSameStatus(a: JobStatus, b: JobStatus): boolean {
  return JSON.stringify(writableStatus(a)) === JSON.stringify(writableStatus(b));
}

/** The status as written: fields in one order, empty ones omitted as upstream does. */
export function writableStatus(status: JobStatus): JobStatus {
  const {
    conditions = [],
    startTime,
    completionTime,
    active = 0,
    succeeded = 0,
    failed = 0,
    terminating,
    ready,
    completedIndexes = "",
    failedIndexes,
    uncountedTerminatedPods,
  } = status;
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } =
    uncountedTerminatedPods ?? {};
  return {
    ...(conditions.length > 0 ? { conditions } : {}),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
    ...(active === 0 ? {} : { active }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(terminating === undefined ? {} : { terminating }),
    ...(completedIndexes === "" ? {} : { completedIndexes }),
    ...(failedIndexes === undefined ? {} : { failedIndexes }),
    ...(uncountedTerminatedPods === undefined
      ? {}
      : {
          uncountedTerminatedPods: {
            ...(uncountedSucceeded.length > 0 ? { succeeded: uncountedSucceeded } : {}),
            ...(uncountedFailed.length > 0 ? { failed: uncountedFailed } : {}),
          },
        }),
    ...(ready === undefined ? {} : { ready }),
  };
}
