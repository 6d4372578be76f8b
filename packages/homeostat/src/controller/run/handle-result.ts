// What follows from a run that has ended: the state of the object, the next run, the log.
import type { QueueItem } from "../../queue/workqueue.ts";
import { isMismatchError } from "../../cache/mismatch-error.ts";
import { describeError } from "../../util/describe-error.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { Progress } from "../object-state.ts";
import type { Loop } from "../loop/history.ts";
import { describeLoop } from "../loop/report-loop.ts";
import { isTerminal, type Rest, restIn } from "../outcome.ts";
import type { Reconciled } from "../reconcile.ts";
import { conflictDelayMs, isConflictOf } from "./conflicts.ts";
import type { RunResult } from "./run-observer.ts";
import type { RunScope } from "./run-scope.ts";
import { type ServerFault, serverFault } from "./turns.ts";
import { isCached, type RunnerOptions, type RunnerState } from "./runner-state.ts";

/** The run has returned. */
export function succeeded(
  context: RunnerState,
  item: QueueItem,
  { outcome }: Reconciled,
  scope: RunScope,
): RunResult {
  const { key } = item;
  const { options, states } = context;
  const { queue, runtime } = options;
  const rest = outcome && restIn(outcome);
  if (rest && isCached(options, key)) return rests(context, item, scope, rest);
  queue.forget(key);
  context.turns.succeeded(key, { hasAnswer: scope.record.hasAnswer });
  context.conflicts.clear(key);
  context.voice.succeeded(key);
  const state = outcome?.["~outcome"];
  detectLoop(context, item, scope, state?.at === "retrying" ? state.afterMs : undefined);
  if (!isCached(options, key)) states.delete(key);
  else if (!state) states.set(key, { at: "done" });
  else if (state.at === "waiting") states.set(key, { at: "waiting", what: state.what });
  else {
    queue.add(key, {
      afterMs: state.afterMs,
      priority: item.priority,
      cause: { what: `retry: ${state.because}`, source: "retry" },
    });
    states.set(key, {
      at: "retrying",
      because: state.because,
      nextAt: runtime.clock.now() + state.afterMs,
      failures: 0,
    });
    return "requeue_after";
  }
  return "success";
}

/** The run has done nothing: it fell into the back-off after a failure, which stays in force. */
function rests(
  context: RunnerState,
  item: QueueItem,
  scope: RunScope,
  { afterMs, failed: error }: Rest,
): RunResult {
  const { options, turns } = context;
  const { key, priority, failures } = item;
  turns.succeeded(key, { hasAnswer: scope.record.hasAnswer });
  detectLoop(context, item, scope, afterMs);
  const failure = describeFailure(context, key, error, scope);
  const cause = { what: `retry: ${failure.because}`, source: "retry" };
  options.queue.add(key, { afterMs, priority, cause });
  retrying(context, key, failure, { afterMs, failures });
  return "requeue_after";
}

/** Counts a run, and reports its object when it is in a loop. */
function detectLoop(
  context: RunnerState,
  { key, causes }: QueueItem,
  { record, chain }: RunScope,
  retryAfterMs?: number,
): void {
  const { options, loops } = context;
  const at = options.runtime.clock.monotonic();
  const writes = record.writes();
  const returned = chain?.returned();
  const found = loops.record(key, { causes, writes, retryAfterMs, returned, at });
  if (found) void reportLoop(context, key, found);
}

async function reportLoop(context: RunnerState, key: string, loop: Loop): Promise<void> {
  const what = describeLoop(loop, context.options.names.manager);
  context.voice.looped(key, what);
  if (context.loopWatch.reported(key, what))
    await context.progress.write(key, { is: "stalled", reason: "ReconcileLoop", message: what });
}

/** A shorter back-off needs no turn. */
const shortMs = 500;

interface Failure {
  readonly is: "terminal" | "conflict" | "failure";
  readonly error: unknown;
  readonly because: string;
  readonly hint: { readonly hint?: string };
}

/** Never throws, whatever the error is. */
function describeFailure(
  { options }: RunnerState,
  key: string,
  error: unknown,
  scope: RunScope,
): Failure {
  const because = describeError(error);
  try {
    const hint = isHomeostatError(error) ? { hint: error.hint } : mismatchHint(options, key);
    if (isTerminal(error) || isMismatchError(error))
      return { is: "terminal", error, because, hint };
    const isGone = !isCached(options, key);
    const is = isConflictOf(scope, error, { isGone }) ? "conflict" : "failure";
    return { is, error, because, hint };
  } catch {
    return { is: "failure", error, because, hint: {} };
  }
}

/** Why the user's code may have failed on an object that is not what its types say. */
function mismatchHint({ definition, informer }: RunnerOptions, key: string): Failure["hint"] {
  const mismatch = informer(definition.kind).entry(key)?.mismatch;
  return mismatch ? { hint: `it does not match its definition: ${mismatch.message}` } : {};
}

/** Terminal errors stall; conflicts run again soon; all other errors back off. */
export function failed(
  context: RunnerState,
  item: QueueItem,
  error: unknown,
  scope: RunScope,
): RunResult {
  const { stopping, conflicts } = context;
  if (stopping.aborted) return "error";
  const failure = describeFailure(context, item.key, error, scope);
  const leastMs = scope.phaseHost?.leastRetryMs ?? 0;
  if (failure.is !== "terminal") scope.record.isRetried();
  detectLoop(context, item, scope);
  if (failure.is === "conflict") return conflicted(context, item, failure, leastMs);
  conflicts.clear(item.key);
  if (failure.is === "terminal") return stalled(context, item.key, failure);
  return backOff(context, item, failure, leastMs);
}

function stalled(context: RunnerState, key: string, failure: Failure): RunResult {
  const { because, hint, error } = failure;
  context.options.queue.forget(key);
  context.states.set(key, withError({ at: "stalled", because, ...hint }, error));
  const isLogged = isMismatchError(error);
  context.voice.failed(key, { what: "stalled", because, ...hint, error, isLogged });
  return "terminal";
}

/** A conflict is an ordinary outcome, which is tried again; only many in a row are an error. */
function conflicted(
  context: RunnerState,
  item: QueueItem,
  failure: Failure,
  leastMs: number,
): RunResult {
  const { options, conflicts } = context;
  const { key } = item;
  const count = conflicts.add(key);
  const backoffMs = conflictDelayMs(count, options.runtime.entropy);
  if (backoffMs === undefined) return backOff(context, item, failure, leastMs);
  const { because, error } = failure;
  const delayMs = options.queue.addRateLimited(key, {
    backoffMs,
    leastMs,
    priority: item.priority,
    cause: { what: `the object changed: ${because}`, source: "retry" },
  });
  retrying(context, key, failure, { afterMs: delayMs, failures: count });
  const what = `trying again in ${Math.round(delayMs)} ms`;
  context.voice.conflicted(key, count, { what, because, error });
  return "requeue";
}

/** The next run is in its turn after a fault of the server, or after its back-off. */
function backOff(
  context: RunnerState,
  { key, failures, priority }: QueueItem,
  failure: Failure,
  leastMs: number,
): RunResult {
  const { queue } = context.options;
  const { because, hint, error } = failure;
  const fault = serverFault(error, leastMs);
  const backoffMs = queue.addRateLimited(key, {
    priority,
    cause: { what: `failed: ${because}`, source: "retry" },
    leastMs: fault ? leastOf(fault) : leastMs,
  });
  if (!fault) context.turns.forget(key);
  const turnMs =
    fault && backoffMs > shortMs
      ? context.turns.wait(key, { fault, failures }, () =>
          queue.add(key, {
            priority,
            isRetry: true,
            cause: { what: "its turn with the server", source: "retry" },
          }),
        )
      : Infinity;
  const afterMs = Math.min(backoffMs, turnMs);
  retrying(context, key, failure, { afterMs, failures: failures + 1 });
  const what = `failed, trying again in ${afterMs} ms`;
  context.voice.failed(key, { what, because, ...hint, error });
  return "error";
}

const leastOf = ({ isOfAll, retryAfterMs }: ServerFault): number =>
  isOfAll ? Infinity : retryAfterMs;

function retrying(
  { options, states }: RunnerState,
  key: string,
  { because, hint, error }: Failure,
  { afterMs, failures }: { readonly afterMs: number; readonly failures: number },
): void {
  const nextAt = options.runtime.clock.now() + afterMs;
  states.set(key, withError({ at: "retrying", because, ...hint, nextAt, failures }, error));
}

const withError = (progress: Progress, error: unknown): Progress =>
  Object.defineProperty(progress, "error", { value: error });
