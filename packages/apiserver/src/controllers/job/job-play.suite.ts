// Jobs and pods for the tests of this folder.
import type { Job, JobStatus } from "homeostat/k8s/batch/v1";
import type { Pod, PodPhase } from "homeostat/k8s/core/v1";
import { trackingFinalizer } from "./job-state.ts";

export const now = Date.parse("2026-01-01T01:00:00Z");
/** Wall time so many seconds ago. */
export const ago = (seconds: number): string =>
  new Date(now - seconds * 1000).toISOString().replace(".000Z", "Z");

/** A job with upstream's defaults. */
export const jobOf = (spec: Partial<Job["spec"]> = {}, status: JobStatus = {}): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: {
    name: "j",
    namespace: "n",
    uid: "j",
    resourceVersion: "1",
    creationTimestamp: ago(1000),
  },
  spec: {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    selector: {},
    template: {
      metadata: { labels: { a: "1" } },
      spec: { restartPolicy: "Never", containers: [{ name: "c" }] },
    },
    ...spec,
  },
  status,
});

/** A tracked pod. `ended` is its exit code, seconds ago. */
export function podOf(
  uid: string,
  more: {
    readonly phase?: PodPhase;
    readonly index?: number;
    readonly annotations?: Record<string, string>;
    readonly going?: true;
    readonly ended?: readonly [code: number, secondsAgo: number];
    readonly conditions?: readonly any[];
    readonly restarts?: number;
    readonly free?: true;
  } = {},
): Pod {
  const finished = more.ended?.[0] === 0 ? "Succeeded" : "Failed";
  const phase: PodPhase = more.phase ?? (more.ended ? finished : "Running");
  const state = more.ended
    ? { terminated: { exitCode: more.ended[0], finishedAt: ago(more.ended[1]) } }
    : { running: {} };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: uid,
      namespace: "n",
      uid,
      resourceVersion: "1",
      creationTimestamp: ago(500),
      finalizers: more.free ? [] : [trackingFinalizer],
      annotations: {
        ...(more.index === undefined
          ? {}
          : { "batch.kubernetes.io/job-completion-index": String(more.index) }),
        ...more.annotations,
      },
      ...(more.going ? { deletionTimestamp: ago(10) } : {}),
    },
    spec: { containers: [{ name: "c" }] },
    status: {
      phase,
      conditions: more.conditions ?? [],
      containerStatuses: [
        { name: "c", image: "", imageID: "", ready: true, restartCount: more.restarts ?? 0, state },
      ],
    },
  };
}

/** Names of pods. */
export const names = (pods: readonly Pod[]): readonly string[] =>
  pods.map(({ metadata }) => metadata.name);
