// The jobs that a CronJob creates: names and manifests. Pure.
// Upstream: k8s.io/api/batch/v1/types.go, k8s.io/kubernetes/pkg/controller/cronjob/utils.go.
import type { NewObject } from "../../component-helpers/meta/write-object.ts";
import { toControllerReference } from "homeostat/api";
import type { ObjectReference } from "homeostat/k8s/core/v1";
import { Job, CronJob } from "homeostat/k8s/batch/v1";
import { zoneClock } from "./zone-clock.ts";

const timestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The name of the job of a scheduled time; deterministic, so that no two are created. */
export const jobName = (cronJob: CronJob, scheduledAt: number): string =>
  `${cronJob.metadata.name}-${Math.floor(scheduledAt / 60_000)}`;

/** The job of a scheduled time. */
export function jobManifest(cronJob: CronJob, scheduledAt: number): NewObject<Job> {
  const { jobTemplate, timeZone = "UTC" } = cronJob.spec;
  const { labels = {}, annotations = {} } = jobTemplate.metadata ?? {};
  const { apiVersion, kind } = CronJob;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(cronJob, scheduledAt),
      namespace: cronJob.metadata.namespace,
      labels,
      annotations: {
        ...annotations,
        [timestampAnnotation]: zoneClock(timeZone).format(scheduledAt),
      },
      ownerReferences: [toControllerReference({ ...cronJob, apiVersion, kind })],
    },
    spec: jobTemplate.spec ?? { template: {} },
  };
}

/** The reference to a job in a status. */
export function referenceTo({ metadata }: Job): ObjectReference {
  const { apiVersion, kind } = Job;
  const { namespace = "", name, uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, apiVersion, resourceVersion };
}

/**
 * The jobs to delete so that no more than `limit` remain: those that started first; jobs that never
 * started come last.
 */
export function oldestJobs(jobs: readonly Job[], limit: number): readonly Job[] {
  const begin = ({ status }: Job): number =>
    status.startTime === undefined ? Infinity : Date.parse(status.startTime);
  const order = (a: Job, b: Job): number => {
    if (begin(a) !== begin(b)) return begin(a) - begin(b);
    return a.metadata.name < b.metadata.name ? -1 : 1;
  };
  return jobs.toSorted(order).slice(0, Math.max(0, jobs.length - limit));
}
