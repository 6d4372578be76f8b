// The depth of a queue by priority, as the label values of `workqueue_depth`.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/internal/metrics/workqueue.go
// (depthWithPriorityMetric).
import type { WorkQueue } from "../../queue/workqueue.ts";

/** Priorities that users compute could be any number of series. */
const mostPriorities = 25;
const exceeded = "exceeded_cardinality_limit";

/** Remembers the priorities that it has seen, so that their series do not end at 0 keys. */
export class QueueDepth {
  /** First those that the runtime itself gives: changes, and the initial list. */
  readonly #seen = new Set([0, -100]);

  /** Keys that are ready, those that wait for the end of their own run included, by priority. */
  read(queue: Pick<WorkQueue, "depth" | "dirty">): readonly (readonly [string, number])[] {
    const depth = new Map(queue.depth().ready);
    for (const priority of queue.dirty()) depth.set(priority, (depth.get(priority) ?? 0) + 1);
    for (const priority of depth.keys()) this.#seen.add(priority);
    if (this.#seen.size > mostPriorities) {
      const all = [...depth.values()].reduce((sum, keys) => sum + keys, 0);
      return [[exceeded, all]];
    }
    return Array.from(this.#seen, (priority) => [`${priority}`, depth.get(priority) ?? 0] as const);
  }
}
