// Reconciles one key under the deadline, and releases it once nothing of the run is left.
import type { QueueItem } from "../../queue/workqueue.ts";
import { withDeadline } from "../deadline.ts";
import type { Progress } from "../object-state.ts";
import { failed, succeeded } from "./handle-result.ts";
import { isCached, type RunnerState } from "./runner-state.ts";

/** Never rejects. */
export async function processItem(context: RunnerState, item: QueueItem): Promise<void> {
  const { options, states, loops } = context;
  const { queue, runtime } = options;
  const open = new Set<Promise<unknown>>();
  const settle = (decide: () => void): void => settleKey(context, item.key, open, decide);
  if (!isCached(options, item.key))
    return settle(() => (queue.forget(item.key), states.delete(item.key)));
  const pauseMs = loops.delayMs(item.key, item.causes);
  if (pauseMs > 0)
    return settle(() => queue.add(item.key, { afterMs: pauseMs, cause: loops.pacedCause() }));
  states.set(item.key, { at: "running" });
  const finish = await withDeadline(runtime.clock, context.timeoutMs, context.stopping, (signal) =>
    context.reconcile(item, { signal, outliving: (work) => void open.add(work) }),
  );
  if (finish.at === "settled") return settle(() => succeeded(context, item, finish.value));
  if (finish.at === "failed") return settle(() => failed(context, item, finish.error));
  abandon(context, item, Promise.allSettled([finish.settled, ...open]));
}

/** Handles the outcome and releases the key, once work that outlived its reconcile has settled. */
function settleKey(
  { options }: RunnerState,
  key: string,
  open: ReadonlySet<Promise<unknown>>,
  decide: () => void,
): void {
  decide();
  if (open.size === 0) options.queue.done(key);
  else void Promise.allSettled(open).then(() => options.queue.done(key));
}

/**
 * The key stays in processing, and so in quarantine, until the promise settles; then it is retried.
 */
function abandon(
  { options, states, stopping }: RunnerState,
  { key }: QueueItem,
  settled: Promise<unknown>,
): void {
  const { queue, log, definition } = options;
  const step = stepOf(states.get(key)?.progress);
  const because = stopping.aborted
    ? "reconcile did not end when the manager stopped"
    : `reconcile did not end within ${typeof definition.timeout === "number" ? `${definition.timeout} ms` : definition.timeout}; waiting for it to settle`;
  states.set(key, { at: "stalled", because: step ? `${because} (in step "${step}")` : because });
  log.error(`abandoned: ${because}`, {
    controller: definition.name,
    object: `${definition.kind.kind} ${key}`,
    ...(step ? { step } : {}),
  });
  void settled.then(() => {
    if (!stopping.aborted)
      queue.addRateLimited(key, {
        cause: { what: "an abandoned reconcile has settled", source: "deadline" },
      });
    queue.done(key);
  });
}

const stepOf = (progress: Progress | undefined): string | undefined =>
  progress?.at === "running" ? progress.step : undefined;
