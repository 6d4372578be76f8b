// Which moment of a schedule a CronJob is to serve now, and when it is to be looked at again. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/cronjob/utils.go.
import type { CronJob } from "homeostat/k8s/batch/v1";
import type { Striking } from "./next-time.ts";

/** Clocks differ a little: a look comes so much later than the moment it is for. */
const paddingMs = 100;
/** More missed moments than this are worth a warning. */
const manyMissed = 100;

/** The last moment that is not later than now, if there is one, and how many there were. */
interface MissedTimes {
  /** Where the search began. */
  readonly since: number;
  readonly last?: number;
  readonly count: number;
}

/**
 * Searches from the last moment that was served, or the CronJob's creation; `fault` when the
 * schedule never strikes.
 */
function missedTimes(
  { metadata, status }: CronJob,
  schedule: Striking,
  now: number,
  oldest: number,
): MissedTimes | { readonly since: number; readonly fault: string } {
  const since = Math.max(Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp), oldest);
  const first = schedule.next(since);
  if (first !== undefined && now < first) return { since, count: 0 };
  const second = first === undefined ? undefined : schedule.next(first);
  if (second !== undefined && now < second) return { since, last: first!, count: 0 };
  const pause = second === undefined ? 0 : Math.round((second - first!) / 1000) * 1000;
  if (pause < 1000)
    return { since, fault: "time difference between two schedules is less than 1 second" };
  const count = Math.floor(Math.floor((now - first!) / 1000) / (pause / 1000)) + 1;
  let last: number | undefined;
  // Pauses differ: the search begins two of the first kind before the last moment that they let
  // expect.
  for (
    let at = schedule.next(first! + (count - 2) * pause);
    at !== undefined && at <= now;
    at = schedule.next(at)
  )
    last = at;
  return { since, count, ...(last === undefined ? {} : { last }) };
}

/** The moment to serve now, if any. Moments past the starting deadline do not count. */
export function dueTime(
  cronJob: CronJob,
  schedule: Striking,
  now: number,
): { readonly at?: number; readonly isMany: boolean } | { readonly fault: string } {
  const { startingDeadlineSeconds } = cronJob.spec;
  const missed = missedTimes(
    cronJob,
    schedule,
    now,
    startingDeadlineSeconds === undefined ? -Infinity : now - startingDeadlineSeconds * 1000,
  );
  if ("fault" in missed) return { fault: missed.fault };
  return missed.last === undefined
    ? { isMany: false }
    : { at: missed.last, isMany: missed.count > manyMissed };
}

/** Milliseconds until the moment after the last one; 0 for a schedule that never strikes. */
export function nextLookMs(cronJob: CronJob, schedule: Striking, now: number): number {
  const missed = missedTimes(cronJob, schedule, now, -Infinity);
  const from = "fault" in missed ? now : (missed.last ?? (missed.count === 0 ? missed.since : now));
  const next = schedule.next(from);
  return next === undefined ? 0 : Math.max(0, next + paddingMs - now);
}
