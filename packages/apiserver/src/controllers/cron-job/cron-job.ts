// The controller of CronJobs. Enqueues a CronJob when it or one of its jobs changes, and when its
// schedule is due.
// Upstream: k8s.io/kubernetes/pkg/controller/cronjob/cronjob_controllerv2.go.
import { controllerOf, parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { Job, CronJob } from "homeostat/k8s/batch/v1";
import type { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { startKeyed } from "../../component-helpers/controller/start-keyed.ts";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";
import { CronJobSync, type CronJobTools } from "./cron-job-sync.ts";
import { nextSyncMs } from "./missed-times.ts";
import { readSchedule } from "./next-time.ts";

/** Starts `cronjob`. */
export const startCronJobController = startKeyed(
  "the cronjob controller",
  (context, controller) => new CronJobController(context, controller),
);

class CronJobController {
  readonly #controller: KeyedController;
  readonly #cronJobs: Informer<Kind<CronJob>>;
  readonly #jobs: Informer<Kind<Job>>;
  readonly #tools: CronJobTools;

  constructor({ client, runtime }: ControllerContext, controller: KeyedController) {
    this.#controller = controller;
    const recorder = controller.createRecorder("cronjob-controller");
    this.#tools = { client, runtime, recorder };
    this.#cronJobs = controller.acquire(CronJob);
    this.#jobs = controller.acquire(Job);
    const enqueue = ({ key }: CachedObject): void => controller.add(key);
    controller.follow(this.#cronJobs, {
      added: enqueue,
      updated: (old, object) =>
        controller.add(object.key, this.#untilSync(old.read(), object.read())),
    });
    controller.follow(this.#jobs, {
      added: (job) => this.#enqueueOwner(job.read()),
      updated: (old, job) => {
        this.#enqueueOwner(old.read());
        this.#enqueueOwner(job.read());
      },
      deleted: (job) => this.#enqueueOwner(job.read()),
    });
  }

  #enqueueOwner(job: Job): void {
    const reference = controllerOf(job);
    if (reference?.kind !== CronJob.kind) return;
    const owner = this.#cronJobs.entry(`${job.metadata.namespace ?? ""}/${reference.name}`);
    if (owner?.uid === reference.uid) this.#controller.add(owner.key);
  }

  /**
   * A new schedule applies from its next time on: earlier times are not made up for. Other changes
   * are synced at once.
   */
  #untilSync({ spec: before }: CronJob, cronJob: CronJob): number | undefined {
    const { spec } = cronJob;
    const read =
      spec.schedule === before.schedule && spec.timeZone === before.timeZone
        ? undefined
        : readSchedule(spec);
    return read && "schedule" in read
      ? nextSyncMs(cronJob, read.schedule, this.#tools.runtime.clock.now())
      : undefined;
  }

  async sync(key: string): Promise<number | undefined> {
    const cronJob = this.#cronJobs.get(parseObjectKey(key));
    if (!cronJob) return undefined;
    const { name, namespace } = cronJob.metadata;
    const jobs = this.#jobs.list({ namespace }).filter((job) => controllerOf(job)?.name === name);
    return new CronJobSync(this.#tools, cronJob, jobs).run();
  }
}
