// A run that waits for one slow answer holds up its own object only: its worker takes the next key
// meanwhile. Only where the user has set no `concurrency`: an explicit 1 keeps runs exclusive. The
// run goes on by itself once its answer comes, keeps its key until it ends, and never takes its
// worker back, so that there is one worker at any time, and a few runs that waited.
import type { QueueItem } from "../../queue/workqueue.ts";
import { OpenRequests } from "./open-requests.ts";
import { processItem } from "./process-item.ts";
import type { RunnerState } from "./runner-state.ts";

/** A run whose request has no answer after this long lends its worker. */
const lendAfterMs = 1000;
/**
 * Runs without a worker, at most: a server that is slow for all must not get ever more requests.
 */
const mostLent = 8;

/** Processes keys, and remembers those whose worker has gone on. */
export class WorkerLender {
  readonly #state: RunnerState;
  readonly #lent = new Set<Promise<void>>();

  constructor(state: RunnerState) {
    this.#state = state;
  }

  /** Processes a key. Resolves when the worker is free. */
  process(item: QueueItem): Promise<void> {
    const { definition, runtime } = this.#state.options;
    if (!definition.lendsWorker) return processItem(this.#state, item);
    const requests = new OpenRequests(runtime.clock);
    const processed = processItem(this.#state, item, requests);
    return new Promise((resolve) => {
      const lendLater = (afterMs: number) =>
        runtime.clock.timer(afterMs, () => {
          const waited = requests.waitedMs();
          if (waited === undefined || waited < lendAfterMs || this.#lent.size >= mostLent) {
            const leftMs = lendAfterMs - (waited ?? 0);
            timer = lendLater(leftMs > 0 ? leftMs : lendAfterMs);
            return;
          }
          this.#lent.add(processed);
          resolve();
        });
      let timer = lendLater(lendAfterMs);
      void processed.then(() => {
        timer.cancel();
        this.#lent.delete(processed);
        resolve();
      });
    });
  }

  /** Resolves when the runs without a worker have ended. */
  async settled(): Promise<void> {
    while (this.#lent.size > 0) await Promise.all(this.#lent);
  }
}
