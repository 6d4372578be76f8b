import assert from "node:assert/strict";
import { test } from "node:test";
import { jobManifest, jobName, oldestJobs } from "./job-manifest.ts";
import type { CronJob } from "homeostat/k8s/batch/v1";
import { dueTime, nextSyncMs } from "./missed-times.ts";
import { readSchedule, type ScheduleTimes } from "./next-time.ts";

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);
const cronJob = (spec: Partial<CronJob["spec"]> = {}, lastScheduleTime?: string): CronJob => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: {
    name: "c",
    namespace: "n",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T10:00:30Z",
  },
  spec: { schedule: "* * * * *", jobTemplate: { spec: { template: {} } }, ...spec },
  status: lastScheduleTime === undefined ? {} : { lastScheduleTime },
});
function scheduleOf({ spec }: CronJob): ScheduleTimes {
  const read = readSchedule(spec);
  assert.ok("schedule" in read);
  return read.schedule;
}
const due = (one: CronJob, now: number): ReturnType<typeof dueTime> =>
  dueTime(one, scheduleOf(one), now);

test("nothing is due before the first moment after creation", () => {
  const one = cronJob();
  assert.deepEqual(due(one, at("10:00:59")), { isMany: false });
  assert.equal(nextSyncMs(one, scheduleOf(one), at("10:00:59")), 1100);
  assert.deepEqual(due(one, at("10:01:00")), { at: at("10:01:00"), isMany: false });
});

test("of several missed times the last one starts a job, and many cause a warning", () => {
  const one = cronJob({}, "2026-01-01T10:01:00Z");
  assert.deepEqual(due(one, at("10:05:30")), { at: at("10:05:00"), isMany: false });
  assert.deepEqual(due(one, at("13:05:30")), { at: at("13:05:00"), isMany: true });
  assert.deepEqual(
    due(cronJob({ startingDeadlineSeconds: 120 }, "2026-01-01T10:01:00Z"), at("13:05:30")),
    { at: at("13:05:00"), isMany: false },
    "the deadline leaves few",
  );
  assert.equal(nextSyncMs(one, scheduleOf(one), at("13:05:30")), 30_100);
});

test("uneven schedules find the last moment too", () => {
  const one = cronJob({ schedule: "30 6-16/4 * * *" }, "2026-01-01T06:30:00Z");
  assert.deepEqual(due(one, at("15:00:00")), { at: at("14:30:00"), isMany: false });
});

test("a schedule that never fires is an error", () => {
  const one = cronJob({ schedule: "0 0 31 2 *" });
  assert.deepEqual(due(one, at("11:00:00")), {
    fault: "time difference between two schedules is less than 1 second",
  });
  assert.equal(nextSyncMs(one, scheduleOf(one), at("11:00:00")), 0);
});

test("a job is named after its minute, and its annotation has the time in the CronJob's zone", () => {
  const one = cronJob({
    timeZone: "Asia/Tokyo",
    jobTemplate: {
      metadata: { labels: { a: "1" }, annotations: { b: "2" } },
      spec: { parallelism: 2, template: {} },
    },
  });
  assert.equal(jobName(one, at("10:01:00")), `c-${at("10:01:00") / 60_000}`);
  const { metadata, spec } = jobManifest(one, at("10:01:00")) as {
    readonly metadata: Record<string, any>;
    readonly spec: object;
  };
  assert.deepEqual(metadata["annotations"], {
    b: "2",
    "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T19:01:00+09:00",
  });
  assert.deepEqual(
    [metadata["labels"], metadata["ownerReferences"][0].controller, spec],
    [{ a: "1" }, true, { parallelism: 2, template: {} }],
  );
});

test("history drops the jobs that started first, and one that never started last", () => {
  const job = (name: string, startTime?: string): any => ({
    metadata: { name },
    status: startTime === undefined ? {} : { startTime },
  });
  const jobs = [
    job("new", "2026-01-03T00:00:00Z"),
    job("never"),
    job("old", "2026-01-01T00:00:00Z"),
  ];
  assert.deepEqual(
    oldestJobs(jobs, 1).map(({ metadata }) => metadata.name),
    ["old", "new"],
  );
  assert.deepEqual(oldestJobs(jobs, 3), []);
});
