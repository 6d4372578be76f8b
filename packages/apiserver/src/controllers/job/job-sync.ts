// One sync of one job: manages its pods, counts finished pods, writes its status. Decisions are in
// sync-context.ts, job-end.ts, pods-plan.ts and count-pods.ts. Writes come in the order that
// loses no pod if one fails: status, finalizers, status.
// Upstream: k8s.io/kubernetes/pkg/controller/job/job_controller.go (syncJob,
// trackJobStatusAndRemoveFinalizers).
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { isNotFound } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import { eventsAbout, type ObjectEvents } from "../../component-helpers/controller/events-about.ts";
import type { EventRecorder } from "homeostat/events";
import { type PodControl, slowStart } from "../../component-helpers/workloads/pod-control.ts";
import { Job, type JobCondition, type JobStatus } from "homeostat/k8s/batch/v1";
import { Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import {
  countReleased,
  hasUncountedPods,
  isSameStatus,
  recordUncounted,
  writableStatus,
} from "./count-pods.ts";
import { newCondition, setCondition } from "./job-conditions.ts";
import { completionOf, deadlineInMs, endOf, finalCondition } from "./job-end.ts";
import { isSuspended, isTracked, trackingFinalizer, trueCondition } from "./job-state.ts";
import { jobPodTemplate, podNamePrefix } from "./job-pod-template.ts";
import { countReady, type SyncContext, createSyncContext } from "./sync-context.ts";
import type { FailureStreak } from "./pod-backoff.ts";
import { planPods } from "./pods-plan.ts";

/** The shortest delay before failed pods are replaced. */
const shortestWaitMs = 1000;

/** The tools of a sync. */
export interface JobTools {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly recorder: EventRecorder;
  readonly control: PodControl;
}

/**
 * Syncs a job and the pods that it controls. `streak` returns the failures so far; `keep` receives
 * them once they are recorded.
 */
export class JobSync {
  readonly #tools: JobTools;
  readonly #context: SyncContext;
  readonly #streak: FailureStreak;
  readonly #keep: (streak: FailureStreak) => void;
  /** The job as last read or written. */
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
      readonly streak: (context: SyncContext) => FailureStreak;
      readonly keep: (streak: FailureStreak) => void;
    },
  ) {
    this.#tools = tools;
    this.#job = job;
    this.#context = createSyncContext(job, pods);
    this.#streak = failures.streak(this.#context);
    this.#keep = failures.keep;
    this.#status = {
      ...job.status,
      uncountedTerminatedPods: job.status.uncountedTerminatedPods ?? {},
    };
    if (this.#status.startTime === undefined && !isSuspended(job))
      this.#status = { ...this.#status, startTime: formatTime(this.#now()) };
    this.#active = this.#context.active.length;
    this.#ready = countReady(this.#context.active);
    this.#terminating = this.#context.terminating.length;
  }

  /** Resolves to the milliseconds until the next sync, if any. */
  async run(): Promise<number | undefined> {
    let end = endOf(this.#context, this.#status, this.#now());
    if (end) {
      await this.#remove(this.#context.active, (pod) => this.#tools.control.delete(this.#job, pod));
      if (this.#failure) end = undefined;
    } else {
      const left = deadlineInMs(this.#job, this.#status, this.#now());
      if (left !== undefined) this.#wait(left);
      if (!isTerminating(this.#job)) await this.#manage();
      end = completionOf(this.#context, this.#active, this.#now());
      if (!end && !isTerminating(this.#job)) this.#updateSuspension();
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

  /** Creates or deletes pods; a failure is thrown after the status is written. */
  async #manage(): Promise<void> {
    const { remove, create, waitMs } = planPods(this.#context, this.#streak, this.#now());
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
      index === undefined ? undefined : this.#context.indexes?.awaitingSuccessor.get(index);
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

  /** Surplus pods are not counted. */
  async #releaseAndDelete(pod: Pod): Promise<void> {
    if (await this.#release(pod)) await this.#tools.control.delete(this.#job, pod);
  }

  /** Removes the finalizer; false if the pod is gone. */
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

  #updateSuspension(): void {
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
    this.#events.normal(suspended ? "Suspended" : "Resumed", message);
    const { startTime: _, ...rest } = this.#status;
    this.#status = { ...rest, conditions, ...(suspended ? {} : { startTime: formatTime(now) }) };
  }

  /**
   * Records finished pods as uncounted, removes their finalizers, counts them, and ends the job if
   * nothing is left to wait for.
   */
  async #account(end: JobCondition | undefined): Promise<void> {
    const held = new Set(this.#context.pods.filter(isTracked).map(({ metadata }) => metadata.uid));
    const { status, release, isFull } = recordUncounted(
      this.#context,
      countReleased(this.#status, held),
      end,
    );
    this.#status = status;
    const last = end && this.#addInterimCondition(end);
    if (await this.#write()) this.#keep(this.#streak);
    const released = await Promise.allSettled(release.map((pod) => this.#release(pod)));
    for (const [i, outcome] of released.entries())
      if (outcome.status === "fulfilled") held.delete(release[i]!.metadata.uid);
    this.#status = countReleased(this.#status, held);
    const failed = released.find((one) => one.status === "rejected");
    if (failed) {
      await this.#write();
      throw new Error(`tracking status: ${reasonOf(failed.reason)}`, { cause: failed.reason });
    }
    const isOver =
      last !== undefined && !isFull && !hasUncountedPods(this.#status) && this.#terminating === 0;
    if (isOver) this.#end(last);
    await this.#write();
    if (isOver) this.#recordFinished(last);
  }

  /** Adds the interim condition and returns the final one. */
  #addInterimCondition(end: JobCondition): JobCondition {
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

  #recordFinished({ type, reason = "", message = "" }: JobCondition): void {
    if (type !== "Complete") return this.#events.warning(reason, message);
    const { completions } = this.#job.spec;
    if (completions !== undefined && (this.#status.succeeded ?? 0) > completions)
      this.#events.warning(
        "TooManySucceededPods",
        "Too many succeeded pods running after completion count reached",
      );
    this.#events.normal("Completed", "Job completed");
  }

  /** Writes the status if it has changed; resolves to whether it did. */
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

  get #events(): ObjectEvents {
    return eventsAbout(this.#tools.recorder, Job, this.#job);
  }
}
