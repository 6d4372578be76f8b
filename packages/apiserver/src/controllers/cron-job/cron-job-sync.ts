// One sync of one CronJob: deletes jobs beyond the history limits, tracks active jobs, and starts
// the job that is due.
// Upstream: k8s.io/kubernetes/pkg/controller/cronjob/cronjob_controllerv2.go (sync, syncCronJob).
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { createObject } from "../../component-helpers/meta/write-object.ts";
import { isAlreadyExists, isControlledBy } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import { zoneFault } from "../../kinds/batch/cron-schedule.ts";
import { eventsAbout, type ObjectEvents } from "../../component-helpers/controller/events-about.ts";
import type { EventRecorder } from "homeostat/events";
import { endCondition, trueCondition } from "../job/job-state.ts";
import { Job, CronJob, type CronJobStatus } from "homeostat/k8s/batch/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { isNamespaceTerminating } from "../../component-helpers/errors/terminating-namespace.ts";
import { jobManifest, jobName, oldestJobs, referenceTo } from "./job-manifest.ts";
import { dueTime, nextSyncMs } from "./missed-times.ts";
import { readSchedule, type ScheduleTimes } from "./next-time.ts";

/** The tools of a sync. */
export interface CronJobTools {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly recorder: EventRecorder;
}

/** Syncs a CronJob and the jobs that it controls. */
export class CronJobSync {
  readonly #tools: CronJobTools;
  readonly #cronJob: CronJob;
  readonly #jobs: readonly Job[];
  #status: CronJobStatus;

  constructor(tools: CronJobTools, cronJob: CronJob, jobs: readonly Job[]) {
    this.#tools = tools;
    this.#cronJob = cronJob;
    this.#jobs = jobs;
    this.#status = cronJob.status;
  }

  /**
   * Resolves to the milliseconds until the next sync, if any. The status is written even after a
   * failure.
   */
  async run(): Promise<number | undefined> {
    await this.#cleanupFinishedJobs();
    const failure: { error?: unknown } = {};
    const afterMs = await this.#syncJobs().catch((error: unknown) => void (failure.error = error));
    if (!deepEqual(this.#status, this.#cronJob.status))
      await this.#tools.client.update(
        CronJob,
        { ...this.#cronJob, status: this.#status },
        { subresource: "status" },
      );
    if ("error" in failure) throw failure.error;
    return afterMs ?? undefined;
  }

  async #cleanupFinishedJobs(): Promise<void> {
    const { successfulJobsHistoryLimit = Infinity, failedJobsHistoryLimit = Infinity } =
      this.#cronJob.spec;
    const ended = (type: string): readonly Job[] =>
      this.#jobs.filter((job) => endCondition(job)?.type === type);
    for (const job of [
      ...oldestJobs(ended("Complete"), successfulJobsHistoryLimit),
      ...oldestJobs(ended("Failed"), failedJobsHistoryLimit),
    ])
      await this.#delete(job);
  }

  async #syncJobs(): Promise<number | undefined> {
    for (const job of this.#jobs) await this.#trackJob(job);
    await this.#dropMissing();
    const { timeZone, suspend } = this.#cronJob.spec;
    if (this.#cronJob.metadata.deletionTimestamp !== undefined) return undefined;
    const fault = timeZone === undefined ? undefined : zoneFault(timeZone);
    if (fault)
      return this.#events.warning(
        "UnknownTimeZone",
        `invalid timeZone: ${JSON.stringify(timeZone)}: ${fault}`,
      );
    if (suspend) return undefined;
    const schedule = this.#schedule();
    return schedule && this.#startDue(schedule);
  }

  /** Records a job that has finished, or that is unknown. */
  async #trackJob(job: Job): Promise<void> {
    const { name, uid } = job.metadata;
    const end = endCondition(job);
    if (!end) {
      if (this.#isActive(uid)) return;
      const { name: ownName, namespace } = this.#cronJob.metadata;
      const live = await this.#tools.client.get(CronJob, { name: ownName, namespace });
      if (live.status.active?.some((one) => one.uid === uid)) this.#status = live.status;
      else
        this.#events.warning(
          "UnexpectedJob",
          `Saw a job that the controller did not create or forgot: ${name}`,
        );
      return;
    }
    if (this.#isActive(uid)) {
      this.#setInactive(uid);
      this.#events.normal("SawCompletedJob", `Saw completed job: ${name}, condition: ${end.type}`);
    }
    const completed = trueCondition(job.status, "Complete") && job.status.completionTime;
    if (
      completed &&
      Date.parse(completed) > Date.parse(this.#status.lastSuccessfulTime ?? "1970-01-01T00:00:00Z")
    )
      this.#status = { ...this.#status, lastSuccessfulTime: completed };
  }

  /** Removes deleted jobs from the active ones. */
  async #dropMissing(): Promise<void> {
    const known = new Set(this.#jobs.map(({ metadata }) => metadata.uid));
    for (const { uid = "", name = "", namespace } of this.#status.active ?? []) {
      if (known.has(uid) || (await this.#tools.client.find(Job, { name, namespace }))) continue;
      this.#events.normal("MissingJob", `Active job went missing: ${name}`);
      this.#setInactive(uid);
    }
  }

  #schedule(): ScheduleTimes | undefined {
    const { schedule } = this.#cronJob.spec;
    if (schedule.includes("TZ"))
      this.#events.warning(
        "UnsupportedSchedule",
        `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
      );
    const read = readSchedule(this.#cronJob.spec);
    if ("schedule" in read) return read.schedule;
    return this.#events.warning(
      "UnparseableSchedule",
      `unparseable schedule: ${JSON.stringify(schedule)} : ${read.fault}`,
    );
  }

  /** Starts a job if one is due; resolves to the time until the next. */
  async #startDue(schedule: ScheduleTimes): Promise<number | undefined> {
    const { spec } = this.#cronJob;
    const now = this.#tools.runtime.clock.now();
    const due = dueTime(this.#cronJob, schedule, now);
    if ("fault" in due)
      return this.#events.warning(
        "InvalidSchedule",
        `invalid schedule: ${spec.schedule} : ${due.fault}`,
      );
    const { at } = due;
    if (due.isMany)
      this.#events.warning(
        "TooManyMissedTimes",
        "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
      );
    if (at !== undefined && this.#mayStart(at, now)) {
      if (spec.concurrencyPolicy === "Replace") await this.#replaceActive();
      if (!(await this.#start(at))) return undefined;
    }
    return nextSyncMs({ ...this.#cronJob, status: this.#status }, schedule, now);
  }

  /** Whether the job may start: in time, not started yet, and not forbidden by an active one. */
  #mayStart(at: number, now: number): boolean {
    const { startingDeadlineSeconds = Infinity, concurrencyPolicy } = this.#cronJob.spec;
    const { active = [], lastScheduleTime } = this.#status;
    if (at + startingDeadlineSeconds * 1000 < now) {
      this.#events.warning(
        "MissSchedule",
        `Missed scheduled time to start a job: ${new Date(at).toUTCString().replace(/GMT$/, "+0000")}`,
      );
      return false;
    }
    if (
      active.some(({ name }) => name === jobName(this.#cronJob, at)) ||
      lastScheduleTime === formatTime(at)
    )
      return false;
    if (concurrencyPolicy !== "Forbid" || active.length === 0) return true;
    this.#events.normal(
      "JobAlreadyActive",
      "Not starting job because prior execution is running and concurrency policy is Forbid",
    );
    return false;
  }

  async #replaceActive(): Promise<void> {
    for (const { name = "", namespace } of this.#status.active ?? []) {
      const job = await this.#tools.client.get(Job, { name, namespace }).catch((error: unknown) => {
        this.#events.warning("FailedGet", `Get job: ${reasonOf(error)}`);
        throw error;
      });
      if (!(await this.#delete(job))) throw new Error(`could not replace job ${namespace}/${name}`);
    }
  }

  /** Creates the job of a scheduled time; false if another controller created it. */
  async #start(at: number): Promise<boolean> {
    const job =
      (await this.#create(at)) ??
      (await this.#tools.client.get(Job, {
        name: jobName(this.#cronJob, at),
        namespace: this.#cronJob.metadata.namespace,
      }));
    if (!isControlledBy(job, this.#cronJob) || this.#isActive(job.metadata.uid)) return false;
    this.#status = {
      ...this.#status,
      active: [...(this.#status.active ?? []), referenceTo(job)],
      lastScheduleTime: formatTime(at),
    };
    return true;
  }

  async #create(at: number): Promise<Job | undefined> {
    try {
      const job = await createObject(this.#tools.client, Job, jobManifest(this.#cronJob, at));
      this.#events.normal("SuccessfulCreate", `Created job ${job.metadata.name}`);
      return job;
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      if (!isNamespaceTerminating(error))
        this.#events.warning("FailedCreate", `Error creating job: ${reasonOf(error)}`);
      throw error;
    }
  }

  async #delete({ metadata: { name, namespace, uid } }: Job): Promise<boolean> {
    try {
      await this.#tools.client.delete(
        Job,
        { name, namespace },
        { propagationPolicy: "Background" },
      );
    } catch (error) {
      this.#events.warning("FailedDelete", `Deleted job: ${reasonOf(error)}`);
      return false;
    }
    this.#setInactive(uid);
    this.#events.normal("SuccessfulDelete", `Deleted job ${name}`);
    return true;
  }

  #isActive(uid: string): boolean {
    return this.#status.active?.some((one) => one.uid === uid) === true;
  }

  #setInactive(uid: string): void {
    const { active = [], ...rest } = this.#status;
    const left = active.filter((one) => one.uid !== uid);
    this.#status = left.length > 0 ? { ...rest, active: left } : rest;
  }

  get #events(): ObjectEvents {
    return eventsAbout(this.#tools.recorder, CronJob, this.#cronJob);
  }
}
