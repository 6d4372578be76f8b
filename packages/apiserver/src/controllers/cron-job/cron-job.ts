// The controller of CronJobs. Enqueues a CronJob when it or one of its jobs changes, and when its
// schedule is due.
// Upstream: k8s.io/kubernetes/pkg/controller/cronjob/cronjob_controllerv2.go.
import { controllerOf, parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { Job, CronJob } from "homeostat/k8s/batch/v1";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { CronJobSync, type CronJobTools } from "./cron-job-sync.ts";
import { nextSyncMs } from "./missed-times.ts";
import { readSchedule } from "./next-time.ts";

/** Starts `cronjob`. */
export const start: Start = async (context) => new CronJobController(context);

class CronJobController extends KeyedController {
  readonly #tools: CronJobTools;
  readonly #cronJobs = this.acquire(CronJob);
  readonly #jobs = this.acquire(Job);

  constructor(context: ControllerContext) {
    super(context, "the cronjob controller");
    this.#tools = { ...context, recorder: this.createRecorder("cronjob-controller") };
    const enqueue = ({ key }: CachedObject): void => this.add(key);
    this.follow(this.#cronJobs, {
      added: enqueue,
      updated: (old, object) => this.add(object.key, this.#untilSync(old.read(), object.read())),
    });
    this.follow(this.#jobs, {
      added: (job) => this.#enqueueOwner(job.read()),
      updated: (old, job) => {
        this.#enqueueOwner(old.read());
        this.#enqueueOwner(job.read());
      },
      deleted: (job) => this.#enqueueOwner(job.read()),
    });
    this.start((key) => this.#sync(key));
  }

  #enqueueOwner(job: Job): void {
    const reference = controllerOf(job);
    if (reference?.kind !== CronJob.kind) return;
    const owner = this.#cronJobs.entry(`${job.metadata.namespace ?? ""}/${reference.name}`);
    if (owner?.uid === reference.uid) this.add(owner.key);
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

  async #sync(key: string): Promise<number | undefined> {
    const cronJob = this.#cronJobs.get(parseObjectKey(key));
    if (!cronJob) return undefined;
    const { name, namespace } = cronJob.metadata;
    const jobs = this.#jobs.list({ namespace }).filter((job) => controllerOf(job)?.name === name);
    return new CronJobSync(this.#tools, cronJob, jobs).run();
  }
}
