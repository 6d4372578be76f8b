// The worker loop that every controller repeats: take a key, process it, forget it or back off.
// Knows no kind, no client and no informer.
// Upstream: processNextWorkItem of the controllers under k8s.io/kubernetes/pkg/controller.
import type { Runtime } from "../runtime/runtime.ts";
import { paceWorker } from "./pace-worker.ts";
import { createWorkQueue } from "./create-workqueue.ts";
import type { WorkQueue } from "./workqueue.ts";
import { checkArgument } from "../util/call-options.ts";

/**
 * Processes one key. Resolves to the milliseconds after which to process it again, or to undefined.
 * Rejects to be retried with back-off.
 */
export type SyncKey = (key: string) => Promise<number | undefined | void>;

export interface KeyedWorkersOptions {
  readonly runtime: Runtime;
  /** Keys that are processed at the same time; default 1. */
  readonly workers?: number;
  /** First and longest delay after failures, doubling; default 5 ms and 1000 s. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
  /** Called once when a key has failed {@link reportAfterFailures} times in a row. */
  readonly failing?: (key: string, error: unknown) => void;
}

/** Workers over one queue. */
export interface KeyedWorkers {
  /** Adds a key, before or after the start; nothing after {@link stop}. */
  add(key: string, afterMs?: number): void;
  /** Starts the workers once `ready` resolves, which it must in the end. To be called once. */
  start(sync: SyncKey, ready?: Promise<unknown>): void;
  /** Drops waiting keys. Resolves when the keys being processed are done. */
  stop(): Promise<void>;
}

/** Failures in a row after which a key is reported. */
export const reportAfterFailures = 10;

/** Creates a queue and its workers. */
export function createKeyedWorkers(options: KeyedWorkersOptions): KeyedWorkers {
  checkArgument("createKeyedWorkers(…)", ["its argument", options], "an object");
  const { runtime, workers = 1, backoff, failing } = options;
  checkArgument("createKeyedWorkers(…)", ["workers", workers], "a number");
  const queue = createWorkQueue({ runtime, ...(backoff ? { backoff } : {}) });
  const stopped = Promise.withResolvers<void>();
  let isStopping = false;
  let running: Promise<unknown> = Promise.resolve();
  const loop = (sync: SyncKey): Promise<void> =>
    runWorker(queue, sync, {
      isStopping: () => isStopping,
      failing,
      rest: paceWorker(runtime.clock, stopped.promise),
    });
  return {
    add: (key, afterMs) => queue.add(key, afterMs === undefined ? {} : { afterMs }),
    start(sync, ready = Promise.resolve()) {
      running = ready.then(() => Promise.all(Array.from({ length: workers }, () => loop(sync))));
    },
    async stop() {
      isStopping = true;
      stopped.resolve();
      // Takes out what waits, also when the workers were never started.
      await Promise.all([queue.shutDown(), loop(async () => undefined)]);
      await running;
    },
  };
}

async function runWorker(
  queue: WorkQueue,
  sync: SyncKey,
  {
    isStopping,
    failing,
    rest,
  }: {
    isStopping(): boolean;
    failing: KeyedWorkersOptions["failing"];
    rest(): Promise<void> | undefined;
  },
): Promise<void> {
  for (let item = await queue.get(); item; item = await queue.get()) {
    const { key, failures } = item;
    try {
      const afterMs = isStopping() ? undefined : await sync(key);
      queue.forget(key);
      if (typeof afterMs === "number" && afterMs >= 0) queue.add(key, { afterMs });
    } catch (error) {
      queue.addRateLimited(key);
      if (failures + 1 === reportAfterFailures) report(failing, key, error);
    } finally {
      queue.done(key);
    }
    const resting = isStopping() ? undefined : rest();
    if (resting) await resting;
  }
}

/** A report that throws must not end the worker; the key is retried either way. */
function report(failing: KeyedWorkersOptions["failing"], key: string, error: unknown): void {
  try {
    failing?.(key, error);
  } catch {
    // There is no other place to report to.
  }
}
