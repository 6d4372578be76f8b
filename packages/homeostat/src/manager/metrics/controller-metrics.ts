// Metrics of controllers and their queues, under controller-runtime's names, labels and buckets, so
// that its dashboards show them.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/internal/controller/metrics/metrics.go,
// pkg/internal/controller/controller.go (reconcileHandler), pkg/internal/metrics/workqueue.go,
// pkg/controller/priorityqueue/metrics.go.
import type { RunObserver, RunResult } from "../../controller/run/run-observer.ts";
import type { ObjectState } from "../../controller/object-state.ts";
import {
  exponentialBuckets,
  type Labels,
  type MetricFamily,
  type Metrics,
  type Sample,
} from "../../metrics/index.ts";
import type { QueueObserver, WorkQueue } from "../../queue/workqueue.ts";
import { QueueDepth } from "./queue-depth.ts";

/** controller-runtime's buckets of the time of a reconcile. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** controller-runtime's buckets of times in queues. */
const queueBuckets = exponentialBuckets(10e-9, 10, 12);

/** The label `result` of each run. */
const resultLabels: Readonly<Record<RunResult, string>> = {
  success: "success",
  requeue: "requeue",
  requeue_after: "requeue_after",
  error: "error",
  terminal: "error",
  timeout: "error",
};

/** Where a controller's metrics come from when they are read. */
export interface ControllerSources {
  readonly queue: Pick<WorkQueue, "counts" | "depth" | "dirty" | "unfinished">;
  states(): readonly ObjectState[];
}

/** What one controller counts. */
export interface ControllerMetrics {
  readonly runs: RunObserver;
  readonly queue: QueueObserver;
  /** Reads the controller whenever metrics are read. */
  read(sources: ControllerSources): void;
}

/** The metrics of one controller. `labels` are those of its cluster. */
export function countController(
  set: Metrics,
  { name, concurrency }: { readonly name: string; readonly concurrency: number },
  labels: Labels,
): ControllerMetrics {
  const controller = { ...labels, controller: name };
  const queue = { ...controller, name };
  const reconciles = declareReconciles(set, controller);
  const queued = declareQueue(set, queue);
  reconciles.maxConcurrent.set(concurrency);
  return {
    runs: observeRuns(reconciles),
    queue: {
      taken: (_key, waitedMs) => queued.waited.observe(waitedMs / 1000),
      done: (_key, workedMs) => queued.worked.observe(workedMs / 1000),
    },
    read(sources) {
      const depth = new QueueDepth();
      set.collect(() => [
        ...queueFamilies(queue, sources.queue, depth),
        stateFamily(controller, sources.states()),
      ]);
    },
  };
}

type Reconciles = ReturnType<typeof declareReconciles>;

function declareReconciles(set: Metrics, series: Labels) {
  const labels = Object.keys(series);
  const counter = (name: string, help: string) =>
    set.counter({ name: `controller_runtime_${name}`, help, labels }).with(series);
  const gauge = (name: string, help: string) =>
    set.gauge({ name: `controller_runtime_${name}`, help, labels }).with(series);
  const total = set.counter({
    name: "controller_runtime_reconcile_total",
    help: "Total number of reconciliations per controller",
    labels: [...labels, "result"],
  });
  const results = Object.entries(resultLabels).map(([result, label]) => {
    return [result, total.with({ ...series, result: label })] as const;
  });
  return {
    results: new Map(results as [RunResult, (typeof results)[number][1]][]),
    errors: counter(
      "reconcile_errors_total",
      "Total number of reconciliation errors per controller",
    ),
    terminal: counter(
      "terminal_reconcile_errors_total",
      "Total number of terminal reconciliation errors per controller",
    ),
    panics: counter(
      "reconcile_panics_total",
      "Total number of reconciliation panics per controller",
    ),
    timeouts: counter(
      "reconcile_timeouts_total",
      "Total number of reconciliation timeouts per controller",
    ),
    time: set
      .histogram({
        name: "controller_runtime_reconcile_time_seconds",
        help: "Length of time per reconciliation per controller",
        labels,
        buckets: reconcileBuckets,
      })
      .with(series),
    maxConcurrent: gauge(
      "max_concurrent_reconciles",
      "Maximum number of concurrent reconciles per controller",
    ),
    active: gauge("active_workers", "Number of currently used workers per controller"),
  };
}

function observeRuns(reconciles: Reconciles): RunObserver {
  const { results, errors, terminal, panics, timeouts, time, active } = reconciles;
  return {
    working: (change) => active.add(change),
    panicked: () => panics.inc(),
    ended(result, tookMs) {
      time.observe(tookMs / 1000);
      results.get(result)!.inc();
      if (resultLabels[result] === "error") errors.inc();
      if (result === "terminal") terminal.inc();
      if (result === "timeout") timeouts.inc();
    },
  };
}

function declareQueue(set: Metrics, series: Labels) {
  const histogram = (name: string, help: string) =>
    set
      .histogram({
        name: `workqueue_${name}`,
        help,
        labels: Object.keys(series),
        buckets: queueBuckets,
      })
      .with(series);
  return {
    waited: histogram(
      "queue_duration_seconds",
      "How long in seconds an item stays in workqueue before being requested",
    ),
    worked: histogram(
      "work_duration_seconds",
      "How long in seconds processing an item from workqueue takes.",
    ),
  };
}

function queueFamilies(
  labels: Labels,
  queue: ControllerSources["queue"],
  depth: QueueDepth,
): MetricFamily[] {
  const { adds, retries } = queue.counts();
  const { seconds, longestSeconds } = queue.unfinished();
  const one = (value: number): readonly Sample[] => [{ labels, value }];
  return [
    {
      name: "workqueue_depth",
      type: "gauge",
      help: "Current depth of workqueue by workqueue and priority",
      samples: depth.read(queue).map(([priority, value]) => {
        return { labels: { ...labels, priority }, value };
      }),
    },
    {
      name: "workqueue_adds_total",
      type: "counter",
      help: "Total number of adds handled by workqueue",
      samples: one(adds),
    },
    {
      name: "workqueue_retries_total",
      type: "counter",
      help: "Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit RequeueAfter or AddAfter calls)",
      samples: one(retries),
    },
    {
      name: "workqueue_unfinished_work_seconds",
      type: "gauge",
      help: "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
      samples: one(seconds),
    },
    {
      name: "workqueue_longest_running_processor_seconds",
      type: "gauge",
      help: "How many seconds has the longest running processor for workqueue been running.",
      samples: one(longestSeconds),
    },
  ];
}

/** Ours: how many objects are done, and how many are not. */
function stateFamily(labels: Labels, states: readonly ObjectState[]): MetricFamily {
  const counts = { done: 0, retrying: 0, running: 0, stalled: 0, waiting: 0 };
  for (const { progress } of states) counts[progress.at]++;
  return {
    name: "homeostat_objects",
    type: "gauge",
    help: "Number of objects of a controller by how far it is with them",
    samples: Object.entries(counts).map(([state, value]) => {
      return { labels: { ...labels, state }, value };
    }),
  };
}
