// What follows from a run that has ended: the state of the object, the next run, the log.
import { isConflict, isNotFound } from "../../api/status.ts";
import type { QueueItem } from "../../queue/workqueue.ts";
import { describeError } from "../../util/describe-error.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { Loop } from "../loop-detector.ts";
import { isTerminal } from "../outcome.ts";
import type { Reconciled } from "../reconcile.ts";
import { isCached, type RunnerState } from "./runner-state.ts";

/** The run has returned. */
export function succeeded(
  context: RunnerState,
  { key, causes }: QueueItem,
  { outcome, writes }: Reconciled,
): void {
  const { options, states, loops } = context;
  const { queue, runtime } = options;
  queue.forget(key);
  context.retries.succeeded(key);
  const loop = loops.record(key, causes, { ...writes, at: runtime.clock.monotonic() });
  if (loop) reportLoop(context, key, loop);
  const looping = writes.wrote.length === 0 ? [] : loop?.wrote;
  const state = outcome?.["~outcome"];
  if (!isCached(options, key)) states.delete(key);
  else if (!state) states.set(key, { at: "done" }, looping);
  else if (state.at === "waiting") states.set(key, { at: "waiting", what: state.what }, looping);
  else {
    queue.add(key, {
      afterMs: state.afterMs,
      cause: { what: `retry: ${state.because}`, source: "retry" },
    });
    states.set(
      key,
      {
        at: "retrying",
        because: state.because,
        nextAt: runtime.clock.now() + state.afterMs,
        failures: 0,
      },
      looping,
    );
  }
}

function reportLoop({ options }: RunnerState, key: string, { runs, wrote, wokenBy }: Loop): void {
  const { log, definition } = options;
  const what =
    wokenBy === "self"
      ? `${runs} consecutive reconciles were triggered only by their own write of ${wrote.join(", ")}; write only values that stay the same from run to run`
      : `${runs} consecutive reconciles wrote ${wrote.join(", ")}, because another writer keeps changing it; let one of them own it`;
  log.warn(`ERR_RECONCILE_LOOP: ${what}`, {
    controller: definition.name,
    object: `${definition.kind.kind} ${key}`,
  });
}

/** Conflicts and deleted objects are normal; terminal errors stall; all other errors back off. */
export function failed(
  { options, states, stopping, retries }: RunnerState,
  { key, failures }: QueueItem,
  error: unknown,
): void {
  if (stopping.aborted) return;
  const { queue, runtime, log, definition } = options;
  const because = describeError(error);
  const hint = isHomeostatError(error) ? { hint: error.hint } : {};
  const about = { controller: definition.name, object: `${definition.kind.kind} ${key}`, error };
  if (isTerminal(error)) {
    queue.forget(key);
    states.set(key, { at: "stalled", because, ...hint });
    log.error(`stalled: ${because}`, about);
    return;
  }
  const ordinary = isConflict(error) || isNotFound(error);
  const afterMs = queue.addRateLimited(key, {
    cause: {
      what: ordinary ? `the object changed: ${because}` : `failed: ${because}`,
      source: "retry",
    },
  });
  retries.failed(key, error, afterMs, () =>
    queue.add(key, {
      cause: { what: "its turn to find out whether the server is well", source: "retry" },
    }),
  );
  states.set(key, {
    at: "retrying",
    because,
    ...hint,
    nextAt: runtime.clock.now() + afterMs,
    failures: failures + 1,
  });
  if (ordinary) log.debug(`trying again in ${afterMs} ms: ${because}`, about);
  else log.error(`failed, trying again in ${afterMs} ms: ${because}`, about);
}
