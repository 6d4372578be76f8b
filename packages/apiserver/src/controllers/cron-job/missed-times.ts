// The scheduled time for which a CronJob starts a job now, and the time of its next sync. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/cronjob/utils.go.
import type { CronJob } from "homeostat/k8s/batch/v1";
import type { ScheduleTimes } from "./next-time.ts";

/** Clocks differ: a sync is delayed by this much after its scheduled time. */
const paddingMs = 100;
/** More missed times than this cause a warning. */
const manyMissed = 100;

/** The latest scheduled time that has passed, if any, and the number of missed ones. */
interface MissedTimes {
  /** The start of the search. */
  readonly since: number;
  readonly last?: number;
  readonly count: number;
}

/**
 * Searches from the last scheduled time, or the creation of the CronJob; `fault` if the schedule
 * never fires.
 */
function missedTimes(
  { metadata, status }: CronJob,
  schedule: ScheduleTimes,
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
  // Intervals vary: the search starts two of the first interval before the expected last time.
  for (
    let at = schedule.next(first! + (count - 2) * pause);
    at !== undefined && at <= now;
    at = schedule.next(at)
  )
    last = at;
  return { since, count, ...(last === undefined ? {} : { last }) };
}

/**
 * The scheduled time for which to start a job, if any. Times past the starting deadline do not
 * count.
 */
export function dueTime(
  cronJob: CronJob,
  schedule: ScheduleTimes,
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

/** Milliseconds until the next scheduled time; 0 for a schedule that never fires. */
export function nextSyncMs(cronJob: CronJob, schedule: ScheduleTimes, now: number): number {
  const missed = missedTimes(cronJob, schedule, now, -Infinity);
  const from = "fault" in missed ? now : (missed.last ?? (missed.count === 0 ? missed.since : now));
  const next = schedule.next(from);
  return next === undefined ? 0 : Math.max(0, next + paddingMs - now);
}
