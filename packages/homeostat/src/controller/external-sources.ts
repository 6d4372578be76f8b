// Keys from outside the cluster: a controller's own async iterables, such as the events of a cloud.
// A source that fails is opened again; one that ends is done.
import { formatObjectKey } from "../api/gvk.ts";
import type { WorkQueue } from "../queue/workqueue.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeError } from "../util/describe-error.ts";
import type { ReconcileLog } from "./define-controller.ts";
import type { ExternalSource } from "./external-source.ts";

/** What external sources need. */
export interface ExternalSourcesOptions {
  readonly clock: Clock;
  readonly queue: Pick<WorkQueue, "add">;
  readonly log: ReconcileLog;
  readonly controller: string;
}

/** Delay before a source that failed is opened again: doubling, reset by each key. */
const reopen = { firstMs: 1000, mostMs: 30_000 };

/** Follows the sources until `stop()`. */
export function followSources(
  sources: Readonly<Record<string, ExternalSource>>,
  options: ExternalSourcesOptions,
): { stop(): void } {
  const stopping = new AbortController();
  for (const [name, source] of Object.entries(sources))
    void follow(name, source, { ...options, signal: stopping.signal });
  return { stop: () => stopping.abort(new Error("the controller stops")) };
}

/** Never rejects. */
async function follow(
  name: string,
  source: ExternalSource,
  options: ExternalSourcesOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const { clock, queue, log, controller, signal } = options;
  const cause = { what: `external source ${name}`, source: `external ${name}` };
  let delayMs = reopen.firstMs;
  while (!signal.aborted) {
    try {
      for await (const key of source(signal)) {
        if (signal.aborted) return;
        queue.add(typeof key === "string" ? key : formatObjectKey(key), { cause });
        delayMs = reopen.firstMs;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const what = `external source ${name} failed, opening it again in ${delayMs} ms`;
      log.error(`${what}: ${describeError(error)}`, { controller, error });
      await pause(clock, delayMs, signal);
      delayMs = Math.min(reopen.mostMs, delayMs * 2);
    }
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.timer(ms, resolve);
    signal.addEventListener("abort", () => (timer.cancel(), resolve()), { once: true });
  });
}
