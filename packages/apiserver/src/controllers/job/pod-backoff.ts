// The delay before a job replaces failed pods: 10 s, doubling with every consecutive failure, at
// most 10 min. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job/backoff_utils.go.
import type { Pod } from "homeostat/k8s/core/v1";
import { initStatuses, terminatedState } from "./job-state.ts";

const firstMs = 10_000;
const longestMs = 600_000;

/** Failures since the last success, and the time of the last failure. */
export interface FailureStreak {
  readonly failures: number;
  readonly lastAt: number;
}

export const noFailures: FailureStreak = { failures: 0, lastAt: 0 };

/**
 * The streak after more pods have finished. A success resets it; later failures start a new one.
 */
export function continueStreak(
  before: FailureStreak,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): FailureStreak {
  const lastSuccess = Math.max(...succeeded.map(finishedAt));
  const later = failed.map(finishedAt).filter((at) => at > lastSuccess);
  if (succeeded.length === 0 && later.length === 0) return before;
  const failures = succeeded.length === 0 ? before.failures : 0;
  return later.length === 0
    ? noFailures
    : { failures: failures + later.length, lastAt: Math.max(...later) };
}

/** Milliseconds left to wait; 0 if none. */
export function remainingBackoffMs({ failures, lastAt }: FailureStreak, now: number): number {
  if (failures === 0) return 0;
  return Math.max(0, Math.min(firstMs * 2 ** (failures - 1), longestMs) - (now - lastAt));
}

/**
 * The time at which a pod finished, the best known: from its containers, the condition Ready, its
 * deletion, or else its creation.
 */
export function finishedAt(pod: Pod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const unready = pod.status.conditions?.find(
    ({ type, status }) => type === "Ready" && status === "False",
  )?.lastTransitionTime;
  const going =
    deletionTimestamp === undefined
      ? undefined
      : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return (
    containersFinishedAt(pod) ??
    (unready ? Date.parse(unready) : (going ?? Date.parse(creationTimestamp)))
  );
}

/** Sidecars, which are restartable init containers, finish last. */
function containersFinishedAt(pod: Pod): number | undefined {
  const sideCars = new Set(
    (pod.spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const times = (
    statuses: NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>,
  ): readonly (string | undefined)[] =>
    statuses.map((status) => terminatedState(status)?.finishedAt ?? undefined);
  const main = latest(times(pod.status.containerStatuses ?? []));
  const beside = initStatuses(pod).filter(({ name }) => sideCars.has(name));
  if (beside.length === 0) return main;
  const last = latest(times(beside));
  return last === undefined ? undefined : Math.max(last, main ?? last);
}

/** Undefined if one has not finished, or there is none. */
function latest(times: readonly (string | undefined)[]): number | undefined {
  if (times.length === 0 || times.includes(undefined)) return undefined;
  return Math.max(...times.map((time) => Date.parse(time!)));
}
