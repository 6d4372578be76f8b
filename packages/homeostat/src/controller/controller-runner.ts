// Runs a controller: takes keys from its queue, reconciles them under a deadline, and handles each
// outcome. One object is reconciled at a time, different objects concurrently; an abandoned
// reconcile frees its worker but keeps its key until it settles.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go.
import { parseDuration } from "../api/duration.ts";
import type { Kind } from "../api/kind.ts";
import { parseObjectKey } from "../api/object-meta.ts";
import { isConflict, isNotFound } from "../api/status.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../client/client.ts";
import type { QueueItem, QueueKeyReport, WorkQueue } from "../queue/workqueue.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { withDeadline } from "./deadline.ts";
import type { ControllerDefinition, ReconcileLog } from "./define-controller.ts";
import { createObjectStates, type ObjectState, type Progress } from "./object-state.ts";
import type { ControllerNames } from "./names.ts";
import { type Loop, LoopDetector } from "./loop-detector.ts";
import { isTerminal } from "./outcome.ts";
import { type Reconciled, reconcileObject } from "./reconcile.ts";
import type { ReconcileCall } from "./reconcile-dependencies.ts";
import { connectSources } from "./sources.ts";

/** Options of a runner. The informers belong to the caller. */
export interface RunnerOptions {
  readonly definition: ControllerDefinition;
  readonly names: ControllerNames;
  readonly runtime: Runtime;
  readonly client: Client;
  readonly queue: WorkQueue;
  readonly log: ReconcileLog;
  /** The namespace that informers watch; undefined when they watch all. */
  readonly namespace: string | undefined;
  informer(kind: Kind): Informer;
  /** Called for every change of an object's state. */
  readonly changed?: (state: ObjectState) => void;
}

/** A running controller. */
export interface ControllerRunner {
  readonly name: string;
  readonly kind: Kind;
  /** Starts the workers, once informers have synced. */
  start(): void;
  states(): readonly ObjectState[];
  explain(key: string): {
    readonly state: ObjectState | undefined;
    readonly queue: QueueKeyReport | undefined;
  };
  /** True when no key is queued or being processed. */
  isIdle(): boolean;
  /** Waits for running reconciles; aborts them after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

/** Creates a runner and connects its sources; reconciles begin with `start`. */
export function createControllerRunner(options: RunnerOptions): ControllerRunner {
  const { definition, queue } = options;
  const stopping = new AbortController();
  const states = statesOf(options);
  const primary = options.informer(definition.kind);
  const loops = new LoopDetector();
  const sources = connectSources({
    definition,
    queue,
    primary,
    informer: options.informer,
    gone(key) {
      states.delete(key);
      loops.forget(key);
    },
  });
  const dependencies = {
    ...options,
    primary,
    stepping: (key: string, step: string | undefined) =>
      states.set(key, step === undefined ? { at: "running" } : { at: "running", step }),
  };
  const timeoutMs =
    definition.timeout === undefined ? undefined : parseDuration(definition.timeout);
  const workers: Promise<void>[] = [];
  const context: RunContext = {
    options,
    states,
    loops,
    stopping: stopping.signal,
    reconcile: (item, call) => reconcileObject(dependencies, parseObjectKey(item.key), call),
    timeoutMs,
  };
  return {
    name: definition.name,
    kind: definition.kind,
    start() {
      for (let i = 0; i < definition.concurrency; i++) workers.push(work(context));
    },
    states: () => states.all(),
    explain: (key) => ({ state: states.get(key), queue: queue.explain(key) }),
    isIdle: () => queue.isIdle(),
    async stop(drainMs) {
      sources.remove();
      await drain(options, stopping, drainMs);
      await Promise.all(workers);
    },
  };
}

function statesOf({ definition, runtime, log, changed }: RunnerOptions) {
  return createObjectStates({
    controller: definition.name,
    kind: definition.kind.kind,
    now: () => runtime.clock.now(),
    ...(changed ? { changed } : {}),
    failed: (error) => log.error("the manager's `changed` callback threw", { error }),
  });
}

/** Waits for running reconciles, and aborts them after `drainMs`. */
async function drain(
  { runtime, queue }: RunnerOptions,
  stopping: AbortController,
  drainMs: number,
): Promise<void> {
  const timer = runtime.clock.timer(drainMs, () =>
    stopping.abort(new Error("the manager is shutting down")),
  );
  await Promise.race([queue.shutDown(), aborted(stopping.signal)]);
  timer.cancel();
  stopping.abort(new Error("the manager has stopped"));
}

interface RunContext {
  readonly options: RunnerOptions;
  readonly states: ReturnType<typeof createObjectStates>;
  readonly stopping: AbortSignal;
  readonly loops: LoopDetector;
  readonly timeoutMs: number | undefined;
  reconcile(item: QueueItem, call: ReconcileCall): Promise<Reconciled>;
}

/**
 * Longest time before a worker yields to timers and sockets: with an in-process transport every
 * await may be a microtask.
 */
const yieldAfterMs = 10;

async function work(context: RunContext): Promise<void> {
  const { queue, runtime } = context.options;
  let rested = runtime.clock.monotonic();
  for (
    let item = await queue.get(context.stopping);
    item;
    item = await queue.get(context.stopping)
  ) {
    await processItem(context, item);
    if (runtime.clock.monotonic() - rested < yieldAfterMs) continue;
    await new Promise<void>((resolve) => runtime.clock.timer(0, resolve));
    rested = runtime.clock.monotonic();
  }
}

async function processItem(context: RunContext, item: QueueItem): Promise<void> {
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

function isCached({ definition, informer }: RunnerOptions, key: string): boolean {
  return informer(definition.kind).entry(key) !== undefined;
}

/** Handles the outcome and releases the key, once work that outlived its reconcile has settled. */
function settleKey(
  { options }: RunContext,
  key: string,
  open: ReadonlySet<Promise<unknown>>,
  decide: () => void,
): void {
  decide();
  if (open.size === 0) options.queue.done(key);
  else void Promise.allSettled(open).then(() => options.queue.done(key));
}

function succeeded(
  context: RunContext,
  { key, causes }: QueueItem,
  { outcome, writes }: Reconciled,
): void {
  const { options, states, loops } = context;
  const { queue, runtime } = options;
  queue.forget(key);
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

function reportLoop({ options }: RunContext, key: string, { runs, wrote, wokenBy }: Loop): void {
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
function failed(
  { options, states, stopping }: RunContext,
  { key, failures }: QueueItem,
  error: unknown,
): void {
  if (stopping.aborted) return;
  const { queue, runtime, log, definition } = options;
  const because = error instanceof Error ? error.message : String(error);
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

/**
 * The key stays in processing, and so in quarantine, until the promise settles; then it is retried.
 */
function abandon(
  { options, states, stopping }: RunContext,
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}
