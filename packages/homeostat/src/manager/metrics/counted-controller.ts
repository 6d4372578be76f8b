// The metrics of a controller that gets a new queue and a new runner with each term of election.
import type { ControllerRunner } from "../../controller/controller-runner.ts";
import type { WorkQueue } from "../../queue/workqueue.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";

/** What is read when metrics are. */
interface Current {
  readonly queue: WorkQueue;
  readonly runner: Pick<ControllerRunner, "states">;
}

/** Metrics of the queue and runner that work now. */
export interface CountedController {
  readonly metrics: ControllerMetrics;
  follow(current: Current): void;
}

export function createCounted(metrics: ControllerMetrics): CountedController {
  let current: Current | undefined;
  const read = (next: Current): void => {
    current = next;
    const now = (): Current => current ?? next;
    metrics.read({
      queue: {
        counts: () => now().queue.counts(),
        depth: () => now().queue.depth(),
        dirty: () => now().queue.dirty(),
        unfinished: () => now().queue.unfinished(),
      },
      states: () => now().runner.states(),
    });
  };
  return {
    metrics,
    follow(next) {
      if (current) current = next;
      else read(next);
    },
  };
}
