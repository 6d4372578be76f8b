// CronJobs and the jobs that they make. Types, names and the manifest of a job; pure.
// Upstream: k8s.io/api/batch/v1/types.go, k8s.io/kubernetes/pkg/controller/cronjob/utils.go.
import { type Kind, toControllerReference } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { type Job, jobKind } from "../job/job-objects.ts";
import type { Workload, WorkloadKind } from "../../component-helpers/workloads/workload-objects.ts";
import { zoneClock } from "./zone-clock.ts";

/** core/v1 ObjectReference. */
export interface JobReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion?: string;
}

/** batch/v1 CronJobStatus. */
export interface CronJobStatus {
  readonly active?: readonly JobReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

/** batch/v1 CronJob, with defaults applied. */
export interface CronJob extends Workload {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly startingDeadlineSeconds?: number;
    readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
    readonly suspend?: boolean;
    readonly successfulJobsHistoryLimit?: number;
    readonly failedJobsHistoryLimit?: number;
    readonly jobTemplate: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: object;
    };
  };
  readonly status?: CronJobStatus;
}

export const cronJobKind = dynamicKind({
  apiVersion: "batch/v1",
  kind: "CronJob",
  resource: "cronjobs",
  scope: "Namespaced",
}) as Kind as WorkloadKind<CronJob>;

const timestampAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The name of the job for a moment: the same for everybody, so that no two are made. */
export const jobName = (cronJob: CronJob, scheduledAt: number): string =>
  `${cronJob.metadata.name}-${Math.floor(scheduledAt / 60_000)}`;

/** The job for a moment. */
export function jobManifest(cronJob: CronJob, scheduledAt: number): object {
  const { jobTemplate, timeZone = "UTC" } = cronJob.spec;
  const { labels = {}, annotations = {} } = jobTemplate.metadata ?? {};
  const { apiVersion, kind } = cronJobKind;
  return {
    apiVersion: jobKind.apiVersion,
    kind: jobKind.kind,
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
    spec: jobTemplate.spec,
  };
}

/** Names a job in a status. */
export function referenceTo({ metadata }: Job): JobReference {
  const { apiVersion, kind } = jobKind;
  const { namespace = "", name, uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, apiVersion, resourceVersion };
}

/**
 * The jobs to be deleted so that no more than `limit` are left: those that began first; one that
 * never began is the last.
 */
export function oldestJobs(jobs: readonly Job[], limit: number): readonly Job[] {
  const begin = ({ status }: Job): number =>
    status?.startTime === undefined ? Infinity : Date.parse(status.startTime);
  const order = (a: Job, b: Job): number =>
    begin(a) === begin(b) ? (a.metadata.name < b.metadata.name ? -1 : 1) : begin(a) - begin(b);
  return jobs.toSorted(order).slice(0, Math.max(0, jobs.length - limit));
}
