// Deletes finished jobs after their `ttlSecondsAfterFinished`.
// Upstream: k8s.io/kubernetes/pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { endCondition } from "../job/job-state.ts";
import { Job } from "homeostat/k8s/batch/v1";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../component-helpers/controller/controller.ts";

/** Starts `ttl-after-finished`. */
export const start: Start = async (context) => {
  const { client, runtime } = context;
  const controller = new KeyedController(context, "the ttl-after-finished controller");
  const jobs = controller.acquire(Job);
  const enqueue = (job: CachedObject<Job>): void => {
    if (expiresAt(job.read()) !== undefined) controller.add(job.key);
  };
  controller.follow(jobs, { added: enqueue, updated: (_, job) => enqueue(job) });
  return controller.start(async (key) => {
    const address = parseObjectKey(key);
    const cached = jobs.get(address);
    const waitMs = cached && timeLeftMs(cached, runtime.clock.now());
    if (waitMs === undefined || waitMs > 0) return waitMs;
    // The cache may be stale, and a deletion cannot be undone.
    const job = await client.find(Job, address);
    const left = job && timeLeftMs(job, runtime.clock.now());
    if (!job || left === undefined || left > 0) return left;
    await client
      .delete(Job, address, {
        propagationPolicy: "Foreground",
        preconditions: { uid: job.metadata.uid },
      })
      .catch(ignoreNotFound);
    return undefined;
  });
};

/** Milliseconds until a job expires; undefined if it does not. */
export function timeLeftMs(job: Job, now: number): number | undefined {
  const at = expiresAt(job);
  return at === undefined ? undefined : at - now;
}

function expiresAt(job: Job): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  const end = endCondition(job)?.lastTransitionTime;
  return isTerminating(job) || ttlSecondsAfterFinished === undefined || !end
    ? undefined
    : Date.parse(end) + ttlSecondsAfterFinished * 1000;
}
