// Reconciles one key under the deadline, and releases it once nothing of the run is left.
import type { QueueItem } from "../../queue/workqueue.ts";
import { describeError } from "../../util/describe-error.ts";
import { type Finish, withDeadline } from "../deadline.ts";
import type { Progress } from "../object-state.ts";
import type { Reconciled } from "../reconcile.ts";
import { RunRecord } from "../echo/run-record.ts";
import { currentRun } from "./current-run.ts";
import { forget } from "./forget.ts";
import { failed, succeeded } from "./handle-result.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { RunResult } from "./run-observer.ts";
import { RunScope } from "./run-scope.ts";
import { isCached, isOwnKey, type RunnerState } from "./runner-state.ts";

/** Time for the rest of a run that has ended before its object counts as stalled. */
const settleGraceMs = 1000;

/** Time after which a run that goes on is logged. */
const slowAfterMs = 60_000;

/** Processes a key and releases it; `requests` receives the run's. Never rejects. */
export async function processItem(
  context: RunnerState,
  item: QueueItem,
  requests?: OpenRequests,
): Promise<void> {
  const { queue, log, definition } = context.options;
  try {
    await runItem(context, item, requests);
  } catch (error) {
    context.options.observer?.panicked();
    log.error(`processing failed: ${describeError(error)}`, {
      controller: definition.name,
      object: `${definition.kind.kind} ${item.key}`,
      error,
    });
    const cause = { what: "processing failed", source: "retry" };
    queue.addRateLimited(item.key, { priority: item.priority, cause });
    done(context, item.key);
  }
}

async function runItem(
  context: RunnerState,
  item: QueueItem,
  requests: OpenRequests | undefined,
): Promise<void> {
  const { options, states, loops } = context;
  const { queue, runtime } = options;
  const { key } = item;
  if (!isCached(options, key)) return done(context, key);
  if (waits(context, key)) return;
  const pauseMs = loops.delayMs(key, item.causes, runtime.clock.monotonic());
  if (pauseMs > 0) {
    const { priority } = item;
    queue.add(key, { afterMs: pauseMs, priority, cause: loops.pacedCause(item.causes) });
    return done(context, key);
  }
  states.set(key, { at: "running" });
  let scope: RunScope | undefined;
  const trace = options.tracer?.begin(item);
  const attempt = options.attempts?.begin(item);
  const began = runtime.clock.monotonic();
  const finish = await withDeadline(
    runtime.clock,
    {
      timeoutMs: context.timeoutMs,
      slow: { afterMs: slowAfterMs, report: () => reportSlow(context, key) },
    },
    context.stopping,
    (deadline) => {
      scope = openScope(context, item, deadline, requests);
      scope.trace = trace;
      scope.attempt = attempt;
      const work = () => currentRun.run(scope!, () => context.reconcile(item, scope!));
      return trace ? trace.run(work) : work();
    },
  );
  const result = finished(context, item, scope!, finish);
  options.observer?.ended(result, runtime.clock.monotonic() - began);
  const error = finish.at === "failed" ? finish.error : undefined;
  trace?.ended(result, error);
  attempt?.ended({ result, state: states.get(key), error });
}

function finished(
  context: RunnerState,
  item: QueueItem,
  scope: RunScope,
  finish: Finish<Reconciled>,
): RunResult {
  if (finish.at === "abandoned") return abandon(context, item, scope, finish.settled);
  scope.returned();
  const result =
    finish.at === "settled"
      ? succeeded(context, item, finish.value, scope)
      : failed(context, item, finish.error, scope);
  context.progress.ran(item.key);
  release(context, item.key, scope);
  return result;
}

/** Releases a paused key; what resumes it triggers it again. */
function waits(context: RunnerState, key: string): boolean {
  const { options, pauses, states } = context;
  const what = pauses.waitsFor(options.informer(options.definition.kind).entry(key)!);
  if (what === undefined) return false;
  options.queue.forget(key);
  states.set(key, { at: "waiting", what });
  done(context, key);
  return true;
}

function reportSlow({ options, states }: RunnerState, key: string): void {
  const { log, definition } = options;
  const step = stepOf(states.get(key)?.progress);
  log.warn(`reconcile still runs after 1m${step ? ` (in step "${step}")` : ""}`, {
    controller: definition.name,
    object: `${definition.kind.kind} ${key}`,
    deadline: definition.timeout,
  });
}

/** Releases the key: what has changed since its run began triggers the next one. */
function done(context: RunnerState, key: string): void {
  const { options, echoes } = context;
  echoes.end(key);
  if (!isCached(options, key) || !isOwnKey(options, key)) forget(context, key);
  options.queue.done(key);
}

function openScope(
  { options: { definition, log, writeChains, observer }, echoes, echoingKinds }: RunnerState,
  { key, causes, droppedCauses }: QueueItem,
  deadline: AbortSignal,
  requests: OpenRequests | undefined,
): RunScope {
  const title = `${definition.kind.kind} ${key}`;
  const record = new RunRecord(echoingKinds);
  echoes.begin(key, record);
  return new RunScope({
    title,
    deadline,
    record,
    chain: writeChains.begin(
      { id: `${definition.name} ${title}`, title: `${definition.name} of ${title}` },
      causes,
      droppedCauses,
    ),
    ...(requests ? { requests } : {}),
    late(error) {
      observer?.panicked();
      log.error(`after the end of a reconcile: ${describeError(error)}`, {
        controller: definition.name,
        object: title,
        error,
      });
    },
  });
}

/** Releases the key once all work of the run has settled, so that two runs never overlap. */
function release(context: RunnerState, key: string, scope: RunScope): void {
  const { options, states } = context;
  const { runtime } = options;
  if (scope.open().length === 0) return done(context, key);
  const timer = runtime.clock.timer(settleGraceMs, () =>
    states.set(key, {
      at: "stalled",
      because: `waiting for ${scope.open().join(", ")} of the last reconcile to settle`,
    }),
  );
  void scope.settled().then(() => {
    timer.cancel();
    done(context, key);
  });
}

/** The key stays in processing, and so in quarantine, until everything of the run has settled. */
function abandon(
  context: RunnerState,
  { key, priority }: QueueItem,
  scope: RunScope,
  settled: Promise<void>,
): RunResult {
  const { options, states, stopping } = context;
  const { queue, definition } = options;
  const step = stepOf(states.get(key)?.progress);
  const because = stopping.aborted
    ? "reconcile did not end when the manager stopped"
    : `reconcile did not end within ${typeof definition.timeout === "number" ? `${definition.timeout} ms` : definition.timeout}; waiting for it to settle`;
  scope.end();
  scope.record.isRetried();
  const message = step ? `${because} (in step "${step}")` : because;
  states.set(key, { at: "stalled", because: message });
  context.voice.abandoned(key, message);
  if (!stopping.aborted)
    void context.progress.write(key, { is: "stalled", reason: "DeadlineExceeded", message });
  void settled
    .then(() => scope.returned())
    .then(() => scope.settled())
    .then(() => {
      if (!stopping.aborted)
        queue.addRateLimited(key, {
          priority,
          cause: { what: "an abandoned reconcile has settled", source: "deadline" },
        });
      done(context, key);
    });
  return stopping.aborted ? "error" : "timeout";
}

const stepOf = (progress: Progress | undefined): string | undefined =>
  progress?.at === "running" ? progress.step : undefined;
