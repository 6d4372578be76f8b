// Reconciles every object again from time to time, for state that no watch shows, such as that of
// an external service. The objects get the low priority of a first list.
import { parseDuration } from "../api/duration.ts";
import type { Informer } from "../cache/informer.ts";
import type { WorkQueue } from "../queue/workqueue.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import { lowPriority } from "./sources.ts";

/** What a resync adds, and to which queue. */
export interface ResyncOptions {
  readonly clock: Clock;
  readonly queue: Pick<WorkQueue, "add">;
  readonly primary: Pick<Informer, "entries">;
  /** A duration such as `"10m"`. */
  readonly every: string | number;
}

/** Starts resyncs, the first after one interval, until `stop()`. */
export function startResync({ clock, queue, primary, every }: ResyncOptions): { stop(): void } {
  const everyMs = parseDuration(every);
  let timer: Timer;
  const later = (): void => {
    timer = clock.timer(everyMs, () => {
      const cause = { what: "periodic resync", source: "resync" };
      for (const { key } of primary.entries()) queue.add(key, { priority: lowPriority, cause });
      later();
    });
  };
  later();
  return { stop: () => timer.cancel() };
}
