// CronJobs: wakes when one of them or one of its jobs changes, and when a schedule strikes, and
// looks at it.
// Upstream: k8s.io/kubernetes/pkg/controller/cronjob/cronjob_controllerv2.go.
import { controllerOf, parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { Job, CronJob } from "homeostat/k8s/batch/v1";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type {
  ControllerDescriptor,
  ControllerContext,
} from "../../component-helpers/controller/controller.ts";
import { CronJobSync, type CronJobTools } from "./cron-job-sync.ts";
import { nextLookMs } from "./missed-times.ts";
import { readSchedule } from "./next-time.ts";

/** Starts the controller of CronJobs. */
export const startCronJobs: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the cronjob controller");
  const cronJobs = new CronJobs(context, controller);
  return controller.start((key) => cronJobs.sync(key));
};

class CronJobs {
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
    const wake = ({ key }: CachedObject): void => controller.add(key);
    controller.follow(this.#cronJobs, {
      added: wake,
      updated: (old, object) =>
        controller.add(object.key, this.#untilLook(old.read(), object.read())),
    });
    controller.follow(this.#jobs, {
      added: (job) => this.#wakeOwner(job.read()),
      updated: (old, job) => {
        this.#wakeOwner(old.read());
        this.#wakeOwner(job.read());
      },
      deleted: (job) => this.#wakeOwner(job.read()),
    });
  }

  #wakeOwner(job: Job): void {
    const reference = controllerOf(job);
    if (reference?.kind !== CronJob.kind) return;
    const owner = this.#cronJobs.entry(`${job.metadata.namespace ?? ""}/${reference.name}`);
    if (owner?.uid === reference.uid) this.#controller.add(owner.key);
  }

  /**
   * A new schedule holds from its next moment on: what it would have had before is not made up for.
   * Anything else is looked at now.
   */
  #untilLook({ spec: before }: CronJob, cronJob: CronJob): number | undefined {
    const { spec } = cronJob;
    const read =
      spec.schedule === before.schedule && spec.timeZone === before.timeZone
        ? undefined
        : readSchedule(spec);
    return read && "schedule" in read
      ? nextLookMs(cronJob, read.schedule, this.#tools.runtime.clock.now())
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
