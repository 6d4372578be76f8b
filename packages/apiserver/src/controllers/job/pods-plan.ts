// The pods that a job creates or deletes next, and the delay if it has to wait. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job (job_controller.go: manageJob;
// indexed_job_utils.go), k8s.io/kubernetes/pkg/controller/controller_utils.go (ActivePods).
import { compareProgress, compareRestarts } from "../../component-helpers/workloads/pod-order.ts";
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type { Job } from "homeostat/k8s/batch/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import { firstFreeIndexes, joinIndexes } from "./index-set.ts";
import { isIndexed, isSuspended, replacesOnlyFailed } from "./job-state.ts";
import type { SyncContext } from "./sync-context.ts";
import { type FailureStreak, finishedAt, remainingBackoffMs } from "./pod-backoff.ts";
import { allFailures, indexesOf, indexOf } from "./pod-index.ts";

/** Pods created or deleted in one pass, at most. */
const burst = 500;

/** A plan either deletes or creates. */
export interface PodsPlan {
  readonly remove: readonly Pod[];
  /** One pod per entry: its index, or undefined for a NonIndexed job. */
  readonly create: readonly (number | undefined)[];
  /** Until waiting pods may be created. */
  readonly waitMs?: number;
}

const nothing: PodsPlan = { remove: [], create: [] };

/** Plans for an unfinished job. `streak` is the failures so far. */
export function planPods(context: SyncContext, streak: FailureStreak, now: number): PodsPlan {
  const { job, active } = context;
  if (isSuspended(job)) return { ...nothing, remove: podsToRemove(job, active, active.length) };
  const wanted = wantedActive(context);
  const remove = podsToRemove(job, active, Math.max(0, active.length - wanted)).slice(0, burst);
  if (remove.length > 0) return { ...nothing, remove };
  const missing =
    wanted - active.length - (replacesOnlyFailed(job) ? context.terminating.length : 0);
  if (missing <= 0) return nothing;
  const perIndex = job.spec.backoffLimitPerIndex !== undefined;
  const waitMs = perIndex ? 0 : remainingBackoffMs(streak, now);
  if (waitMs > 0) return { ...nothing, waitMs };
  const count = Math.min(missing, burst);
  if (!isIndexed(job))
    return { ...nothing, create: Array.from({ length: count }, () => undefined) };
  const indexes = pendingIndexes(context, count);
  return perIndex ? readyIndexes(context, indexes, now) : { ...nothing, create: indexes };
}

/** Without `completions`, no pods are created after the first success. */
function wantedActive({ job: { spec }, active, succeeded }: SyncContext): number {
  const { parallelism = 0 } = spec;
  if (spec.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(spec.completions - succeeded, parallelism));
}

function pendingIndexes(
  { job, active, terminating, indexes }: SyncContext,
  count: number,
): readonly number[] {
  const busy = indexesOf(replacesOnlyFailed(job) ? [...active, ...terminating] : active);
  return firstFreeIndexes(
    joinIndexes(joinIndexes(indexes!.succeeded, busy), indexes!.failed ?? []),
    count,
    job.spec.completions ?? 0,
  );
}

/** Every index has its own back-off; indexes that need not wait go first. */
function readyIndexes({ indexes }: SyncContext, pending: readonly number[], now: number): PodsPlan {
  const waits = pending.map((index) => {
    const last = indexes!.awaitingSuccessor.get(index);
    return last
      ? remainingBackoffMs({ failures: allFailures(last) + 1, lastAt: finishedAt(last) }, now)
      : 0;
  });
  const create = pending.filter((_, i) => waits[i] === 0);
  return create.length > 0 || waits.length === 0
    ? { ...nothing, create }
    : { ...nothing, waitMs: Math.min(...waits) };
}

/**
 * Surplus active pods: at least `atLeast`, and for an Indexed job those with an invalid or
 * duplicate index.
 */
export function podsToRemove(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const deletions = isIndexed(job) ? misplaced(active, job.spec.completions ?? 0) : [];
  if (deletions.length >= atLeast) return deletions;
  const left = active.filter((pod) => !deletions.includes(pod));
  return [...deletions, ...left.toSorted(leastFirst).slice(0, atLeast - deletions.length)];
}

function misplaced(pods: readonly Pod[], completions: number): readonly Pod[] {
  const byIndex = Map.groupBy(pods, (pod) => indexOf(pod) ?? -1);
  return [...byIndex.entries()]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([index, same]) => {
      if (index < 0 || index >= completions) return same;
      return same.length === 1 ? [] : same.toSorted(leastFirst).slice(0, -1);
    });
}

/**
 * Negative when `a` is deleted before `b`: unscheduled, pending, not ready, ready for a shorter
 * time, restarted more often, younger.
 */
function leastFirst(a: Pod, b: Pod): number {
  const [readyA, readyB] = [readyCondition(a), readyCondition(b)];
  return (
    compareProgress(a, b) ||
    (readyA && readyB ? younger(readyA.lastTransitionTime, readyB.lastTransitionTime) : 0) ||
    compareRestarts(a, b) ||
    younger(a.metadata.creationTimestamp, b.metadata.creationTimestamp)
  );
}

/** A missing time counts as youngest. */
function younger(a: string | null | undefined, b: string | null | undefined): number {
  if (!a || !b) return Number(!b) - Number(!a);
  return Date.parse(b) - Date.parse(a);
}
