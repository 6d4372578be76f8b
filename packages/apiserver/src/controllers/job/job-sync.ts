// One look at one job: sees to its pods, counts those that have ended, tells how it stands. The
// decisions are job-survey.ts, job-conditions.ts, pods-plan.ts and count-pods.ts; this file writes
// them down, in the order that loses no pod when a write fails: status, finalizers, status.
// Upstream: k8s.io/kubernetes/pkg/controller/job/job_controller.go (syncJob,
// trackJobStatusAndRemoveFinalizers).
import { isNotFound } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import {
  eventObject,
  type SimulatorEventRecorder,
} from "../../component-helpers/events/event-recorder.ts";
import { type PodControl, slowStart } from "../../component-helpers/workloads/pod-control.ts";
import { Job, type JobCondition, type JobStatus } from "homeostat/k8s/batch/v1";
import { Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { countReleased, hasNotes, isSameStatus, notePods, writableStatus } from "./count-pods.ts";
import {
  completionOf,
  deadlineInMs,
  endOf,
  finalCondition,
  newCondition,
  setCondition,
} from "./job-conditions.ts";
import {
  isGoing,
  isSuspended,
  isTracked,
  trackingFinalizer,
  trueCondition,
} from "./job-objects.ts";
import { jobPodTemplate, podNamePrefix } from "./job-pod-template.ts";
import { countReady, type JobSurvey, surveyPods } from "./job-survey.ts";
import type { FailureStreak } from "./pod-backoff.ts";
import { planPods } from "./pods-plan.ts";

/** A wait for pods that failed is no shorter than this. */
const shortestWaitMs = 1000;

/** What a look works with. */
export interface JobTools {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly recorder: SimulatorEventRecorder;
  readonly control: PodControl;
}

/**
 * Works on a job and the pods that are its own. `streak` is of failures up to now; `keep` is told
 * when it is written down that they were seen.
 */
export class JobSync {
  readonly #tools: JobTools;
  readonly #survey: JobSurvey;
  readonly #streak: FailureStreak;
  readonly #keep: (streak: FailureStreak) => void;
  /** The job as it was last read or written. */
  #job: Job;
  #status: JobStatus;
  #active: number;
  #ready: number;
  #terminating: number;
  #waitMs: number | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    tools: JobTools,
    job: Job,
    pods: readonly Pod[],
    failures: {
      readonly streak: (survey: JobSurvey) => FailureStreak;
      readonly keep: (streak: FailureStreak) => void;
    },
  ) {
    this.#tools = tools;
    this.#job = job;
    this.#survey = surveyPods(job, pods);
    this.#streak = failures.streak(this.#survey);
    this.#keep = failures.keep;
    this.#status = {
      ...job.status,
      uncountedTerminatedPods: job.status.uncountedTerminatedPods ?? {},
    };
    if (this.#status.startTime === undefined && !isSuspended(job))
      this.#status = { ...this.#status, startTime: formatTime(this.#now()) };
    this.#active = this.#survey.active.length;
    this.#ready = countReady(this.#survey.active);
    this.#terminating = this.#survey.terminating.length;
  }

  /** Resolves to the milliseconds after which to look again, if at all. */
  async run(): Promise<number | undefined> {
    let end = endOf(this.#survey, this.#status, this.#now());
    if (end) {
      await this.#remove(this.#survey.active, (pod) => this.#tools.control.delete(this.#job, pod));
      if (this.#failure) end = undefined;
    } else {
      const left = deadlineInMs(this.#job, this.#status, this.#now());
      if (left !== undefined) this.#wait(left);
      if (!isGoing(this.#job)) await this.#manage();
      end = completionOf(this.#survey, this.#active, this.#now());
      if (!end && !isGoing(this.#job)) this.#tellSuspension();
    }
    this.#status = {
      ...this.#status,
      active: this.#active,
      ready: this.#ready,
      terminating: this.#terminating,
    };
    await this.#account(end);
    if (this.#failure) throw this.#failure.error;
    return this.#waitMs;
  }

  /** Makes or deletes pods; a failure is kept until the rest is written down. */
  async #manage(): Promise<void> {
    const { remove, create, waitMs } = planPods(this.#survey, this.#streak, this.#now());
    if (waitMs !== undefined) this.#wait(Math.max(waitMs, shortestWaitMs));
    if (remove.length > 0) return this.#remove(remove, (pod) => this.#releaseAndDelete(pod));
    const left = [...create];
    try {
      await slowStart(create.length, () => this.#create(left.shift()));
    } catch (error) {
      this.#failure = { error };
    }
  }

  async #create(index: number | undefined): Promise<void> {
    const predecessor =
      index === undefined ? undefined : this.#survey.indexes?.awaitingSuccessor.get(index);
    await this.#tools.control.create(
      this.#job,
      jobPodTemplate(this.#job, index, predecessor),
      index === undefined ? undefined : podNamePrefix(this.#job, index),
    );
    this.#active++;
  }

  async #remove(pods: readonly Pod[], remove: (pod: Pod) => Promise<void>): Promise<void> {
    const outcomes = await Promise.allSettled(pods.map(remove));
    const removed = pods.filter((_, i) => outcomes[i]!.status === "fulfilled");
    const failed = outcomes.find((one) => one.status === "rejected");
    if (failed) this.#failure = { error: failed.reason };
    this.#active -= removed.length;
    this.#terminating += removed.length;
    this.#ready -= countReady(removed);
  }

  /** A pod that is too many is not counted. */
  async #releaseAndDelete(pod: Pod): Promise<void> {
    if (await this.#release(pod)) await this.#tools.control.delete(this.#job, pod);
  }

  /** Takes the finalizer off; false when the pod is gone. */
  async #release({ metadata: { name, namespace } }: Pod): Promise<boolean> {
    try {
      await this.#tools.client.patch(
        Pod,
        { name, namespace },
        {
          type: "strategic",
          body: { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } },
        },
      );
      return true;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  }

  #tellSuspension(): void {
    const now = this.#now();
    const suspended = isSuspended(this.#job);
    const [status, reason, message] = suspended
      ? (["True", "JobSuspended", "Job suspended"] as const)
      : (["False", "JobResumed", "Job resumed"] as const);
    const conditions = setCondition(
      this.#status.conditions ?? [],
      newCondition("Suspended", status, { reason, message }, now),
    );
    if (!conditions) return;
    this.#tell("Normal", suspended ? "Suspended" : "Resumed", message);
    const { startTime: _, ...rest } = this.#status;
    this.#status = { ...rest, conditions, ...(suspended ? {} : { startTime: formatTime(now) }) };
  }

  /**
   * Notes what has ended, lets it go, counts it, and ends the job when nothing is left to wait for.
   */
  async #account(end: JobCondition | undefined): Promise<void> {
    const held = new Set(this.#survey.pods.filter(isTracked).map(({ metadata }) => metadata.uid));
    const { status, release, isFull } = notePods(
      this.#survey,
      countReleased(this.#status, held),
      end,
    );
    this.#status = status;
    const last = end && this.#tellEnd(end);
    if (await this.#write()) this.#keep(this.#streak);
    const released = await Promise.allSettled(release.map((pod) => this.#release(pod)));
    for (const [i, outcome] of released.entries())
      if (outcome.status === "fulfilled") held.delete(release[i]!.metadata.uid);
    this.#status = countReleased(this.#status, held);
    const failed = released.find((one) => one.status === "rejected");
    if (failed) {
      await this.#write();
      throw new Error(`tracking status: ${messageOf(failed.reason)}`, { cause: failed.reason });
    }
    const isOver =
      last !== undefined && !isFull && !hasNotes(this.#status) && this.#terminating === 0;
    if (isOver) this.#end(last);
    await this.#write();
    if (isOver) this.#tellOver(last);
  }

  /** Says that the job is about to end, and returns how. */
  #tellEnd(end: JobCondition): JobCondition {
    if (end.type === "Failed") return end;
    if (!trueCondition(this.#status, end.type))
      this.#status = { ...this.#status, conditions: [...(this.#status.conditions ?? []), end] };
    return finalCondition(end, this.#now());
  }

  #end(last: JobCondition): void {
    const conditions =
      setCondition(this.#status.conditions ?? [], last) ?? this.#status.conditions ?? [];
    const completed =
      last.type === "Complete" && last.lastTransitionTime
        ? { completionTime: last.lastTransitionTime }
        : {};
    this.#status = { ...this.#status, conditions, ...completed };
  }

  #tellOver({ type, reason = "", message = "" }: JobCondition): void {
    if (type !== "Complete") return this.#tell("Warning", reason, message);
    const { completions } = this.#job.spec;
    if (completions !== undefined && (this.#status.succeeded ?? 0) > completions)
      this.#tell(
        "Warning",
        "TooManySucceededPods",
        "Too many succeeded pods running after completion count reached",
      );
    this.#tell("Normal", "Completed", "Job completed");
  }

  /** Writes the status where it is new; true when it was. */
  async #write(): Promise<boolean> {
    if (this.#job.status && isSameStatus(this.#job.status, this.#status)) return false;
    this.#job = await this.#tools.client.update(
      Job,
      { ...this.#job, status: writableStatus(this.#status) },
      { subresource: "status" },
    );
    this.#status = { ...this.#job.status };
    return true;
  }

  #wait(ms: number): void {
    this.#waitMs = Math.min(this.#waitMs ?? Infinity, ms);
  }

  #now(): number {
    return this.#tools.runtime.clock.now();
  }

  #tell(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#tools.recorder.record({ object: eventObject(Job, this.#job), type, reason, message });
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
