// The controller of jobs. Also removes the finalizer of pods that no job counts.
// Upstream: k8s.io/kubernetes/pkg/controller/job/job_controller.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { controllerOf, matchesLabels, parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import {
  claimDependents,
  orphanIndex,
} from "../../component-helpers/workloads/controller-ref-manager.ts";
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import { createEventRecorder } from "homeostat/events";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { PodControl } from "../../component-helpers/workloads/pod-control.ts";
import type { Start, ControllerContext } from "../../component-helpers/controller/controller.ts";
import { Job } from "homeostat/k8s/batch/v1";
import { Pod } from "homeostat/k8s/core/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { endCondition, isManagedElsewhere, isTracked, trackingFinalizer } from "./job-state.ts";
import { JobSync, type JobTools } from "./job-sync.ts";
import { continueStreak, type FailureStreak, noFailures } from "./pod-backoff.ts";

/**
 * Changes to pods within this time are handled in one sync: pods that end one after the other have
 * all ended, whatever the first one means.
 */
const batchMs = 1000;
const firstRetryMs = 1000;

/** Starts `job`. */
export const start: Start = async (context) => new JobController(context);

class JobController {
  readonly #forJobs: KeyedController;
  /** Keys of pods whose job may be gone. */
  readonly #forOrphans: KeyedController;
  readonly #jobs: Informer<Kind<Job>>;
  readonly #pods: Informer<Kind<Pod>>;
  readonly #tools: JobTools;
  /** Consecutive failures by the key of the job. */
  readonly #streaks = new Map<string, FailureStreak>();

  constructor(context: ControllerContext) {
    const { client, runtime } = context;
    const recorder = createEventRecorder({
      client,
      runtime,
      controller: "job-controller",
      api: "v1",
    });
    this.#tools = { client, runtime, recorder, control: new PodControl(client, recorder, Job) };
    this.#forJobs = new KeyedController(context, "the job controller", { firstRetryMs });
    this.#forOrphans = new KeyedController(context, "the orphan worker of the job controller", {
      firstRetryMs,
    });
    this.#jobs = this.#forJobs.acquire(Job);
    this.#pods = this.#forJobs.acquire(Pod, { orphan: orphanIndex });
    this.#forOrphans.acquire(Job);
    this.#forOrphans.acquire(Pod);
    this.#follow();
    this.#forJobs.start((key) => this.#sync(key));
    this.#forOrphans.start((key) => this.#releaseOrphan(key));
  }

  async stop(): Promise<void> {
    await Promise.all([this.#forJobs.stop(), this.#forOrphans.stop()]);
    await this.#tools.recorder.close();
  }

  #follow(): void {
    const enqueue = ({ key }: CachedObject): void => this.#forJobs.add(key);
    this.#forJobs.follow(this.#jobs, {
      added: enqueue,
      updated: (old, job) =>
        endCondition(job.read())
          ? this.#enqueueOrphans(job)
          : this.#forJobs.add(job.key, old.generation === job.generation ? batchMs : undefined),
      deleted: (job) => this.#enqueueOrphans(job),
    });
    this.#forJobs.follow(this.#pods, {
      added: (pod) => this.#podChanged(pod),
      updated: (old, pod) => {
        const before = controllerOf(old.read());
        if (before && before.uid !== controllerOf(pod.read())?.uid) this.#enqueueOwner(old);
        this.#podChanged(pod);
      },
      deleted: (pod) => this.#enqueueOwner(pod),
    });
  }

  /**
   * Enqueues the pod's job, or the jobs that may adopt it, or the pod itself if no job counts it.
   */
  #podChanged(entry: CachedObject<Pod>): void {
    const pod = entry.read();
    const job = this.#enqueueOwner(entry);
    if (job && !endCondition(job.read())) return;
    if (isTracked(pod) && (entry.deleting || !controllerOf(pod))) this.#forOrphans.add(entry.key);
    if (controllerOf(pod) || entry.deleting) return;
    for (const one of this.#jobs.list({ namespace: entry.namespace }))
      if (selects(one, pod)) this.#forJobs.add(keyFor(one), batchMs);
  }

  #enqueueOwner(entry: CachedObject<Pod>): CachedObject<Job> | undefined {
    const job = this.#jobOf(entry.read());
    if (job) this.#forJobs.add(job.key, batchMs);
    return job;
  }

  #jobOf(pod: Pod): CachedObject<Job> | undefined {
    const reference = controllerOf(pod);
    if (reference?.kind !== Job.kind) return undefined;
    const job = this.#jobs.entry(`${pod.metadata.namespace ?? ""}/${reference.name}`);
    return job?.uid === reference.uid ? job : undefined;
  }

  /** Enqueues the tracked pods of a job that has finished or is gone. */
  #enqueueOrphans(entry: CachedObject<Job>): void {
    this.#streaks.delete(entry.key);
    const job = entry.read();
    for (const pod of this.#pods.list({ namespace: entry.namespace }))
      if (isTracked(pod) && selects(job, pod)) this.#forOrphans.add(keyFor(pod));
  }

  async #sync(key: string): Promise<number | undefined> {
    const job = this.#jobs.get(parseObjectKey(key));
    if (!job || isManagedElsewhere(job)) return undefined;
    if (endCondition(job)) return void this.#streaks.delete(key);
    const selector = toSelector(job.spec.selector);
    if (!selector) return undefined;
    const claimant = {
      client: this.#tools.client,
      kind: Job,
      owner: job,
      selector,
      finalizers: [trackingFinalizer],
    };
    const pods = await claimDependents(claimant, this.#pods);
    const sync = new JobSync(this.#tools, job, pods, {
      streak: ({ newSucceeded, newFailed }) =>
        continueStreak(this.#streaks.get(key) ?? noFailures, newSucceeded, newFailed),
      keep: (streak) => void this.#streaks.set(key, streak),
    });
    return sync.run();
  }

  /** Removes the finalizer of a pod that no job counts. */
  async #releaseOrphan(key: string): Promise<undefined> {
    const pod = this.#pods.get(parseObjectKey(key));
    if (!pod || !isTracked(pod)) return;
    const reference = controllerOf(pod);
    if (reference && (reference.kind !== Job.kind || reference.apiVersion !== Job.apiVersion))
      return;
    const job = this.#jobOf(pod)?.read();
    if (job && (isManagedElsewhere(job) || !endCondition(job))) return;
    const { name, namespace } = pod.metadata;
    const body = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
    await this.#tools.client
      .patch(Pod, { name, namespace }, { type: "strategic", body })
      .catch(ignoreNotFound);
  }
}

function selects({ spec }: Job, { metadata }: Pod): boolean {
  const selector = toSelector(spec.selector);
  return (
    selector !== undefined && selector.length > 0 && matchesLabels(selector, metadata.labels ?? {})
  );
}
