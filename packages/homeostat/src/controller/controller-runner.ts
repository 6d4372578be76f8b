// Runs a controller: takes keys from its queue, reconciles them under a deadline, and handles each
// outcome. One object is reconciled at a time, different objects concurrently; an abandoned
// reconcile frees its worker but keeps its key until it settles.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go.
import { parseDuration } from "../api/duration.ts";
import type { Kind } from "../api/kind.ts";
import { type KubeObject, parseObjectKey } from "../api/object-meta.ts";
import type { Informer } from "../cache/informer.ts";
import { objectReference } from "../events/index.ts";
import { paceWorker } from "../queue/pace-worker.ts";
import type { QueueKeyReport, WorkQueue } from "../queue/workqueue.ts";
import { describeError } from "../util/describe-error.ts";
import { locateError } from "../util/error-location.ts";
import { type Breach, Breaches } from "./boundaries/breaches.ts";
import { ThrownResults } from "./run/thrown-results.ts";
import { SampledRuns } from "./boundaries/sampled-runs.ts";
import { OwnEchoes } from "./echo/own-echoes.ts";
import { kindId } from "./echo/run-record.ts";
import { followSources } from "./external-sources.ts";
import { guardLog } from "../util/guard-log.ts";
import { holdKeys } from "./hold-keys.ts";
import { createObjectStates, type ObjectState } from "./object-state.ts";
import { cachedText } from "./loop/cached-text.ts";
import { LoopDetector } from "./loop/loop-detector.ts";
import { openDynamicWatches, reconcileWatching } from "./open-dynamic-watches.ts";
import { OwnMemory } from "./own/own-memory.ts";
import { PhaseCalls } from "./phase-machine/phase-calls.ts";
import { Pauses } from "./pauses.ts";
import { prioritised } from "./priority.ts";
import { startResync } from "./periodic-resync.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { Conflicts } from "./run/conflicts.ts";
import { drain } from "./run/drain.ts";
import { WorkerLender } from "./run/lend-worker.ts";
import { forget } from "./run/forget.ts";
import { catchStrayErrors } from "./run/stray-errors.ts";
import { Turns } from "./run/turns.ts";
import { isCached, isOwnKey, type RunnerOptions, type RunnerState } from "./run/runner-state.ts";
import { SharedApplies } from "./shared/shared-applies.ts";
import { followShards } from "./shard/follow-shards.ts";
import { shardQueue } from "./shard/shard-queue.ts";
import { connectSources } from "./sources.ts";
import { watchDeadlines } from "./signals/watch-deadlines.ts";
import { LoopWatch } from "./voice/loop-watch.ts";
import { ProgressWrites } from "./voice/progress-writes.ts";
import { RunVoice } from "./voice/run-voice.ts";
import { WarnOnce } from "./warn-once.ts";

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
  /** Reconciles an object no more until `resume`; a running reconcile goes on. */
  pause(key: string): void;
  resume(key: string): void;
  /** What the controller depends on and does not declare, and results that it drops. */
  breaches(): readonly Breach[];
  /** For reports. */
  readonly queue: Pick<WorkQueue, "depth" | "counts" | "unfinished">;
  /** True when no key is queued or being processed. */
  isIdle(): boolean;
  /** The number of keys that are being processed, abandoned reconciles included. */
  processing(): number;
  /**
   * Begins no reconcile any more. Waits for running ones; aborts them after `timeoutMs`.
   */
  stop(timeoutMs: number): Promise<void>;
}

/** Creates a runner and connects its sources; reconciles begin with `start`. */
export function createControllerRunner(given: RunnerOptions): ControllerRunner {
  const { options, warnings, release } = prepare(given);
  const { definition, queue, runtime } = options;
  const stopping = new AbortController();
  const draining = new AbortController();
  const primary = options.informer(definition.kind);
  const state = createState(options, { primary, warnings, stopping: stopping.signal });
  const sources = connectSources({
    definition,
    queue,
    primary,
    informer: options.informer,
    echoes: state.echoes,
    warnings,
    saw: (key, ...seen) => isOwnKey(options, key) && state.loops.saw(key, ...seen),
    gone: (key) => gone(state, key),
  });
  const following = followShards(state, primary);
  const lender = new WorkerLender(state);
  const workers: Promise<void>[] = [];
  const feeds: { stop(): void }[] = [];
  return {
    ...reportsOf(state),
    start() {
      release();
      catchStrayErrors();
      feeds.push(...startFeeds(options, primary, warnings));
      for (let i = 0; i < definition.concurrency; i++)
        workers.push(work(state, lender, draining.signal));
    },
    pause: (key) => state.pauses.pause(key),
    resume(key) {
      if (state.pauses.resume(key))
        queue.add(key, { cause: { what: "resumed", source: "resume" } });
    },
    async stop(drainMs) {
      sources.remove();
      following.remove();
      for (const feed of feeds) feed.stop();
      for (const key of stopTimers(state)) state.progress.unloop(key);
      draining.abort();
      const ended = workers.length > 0 ? queue.shutDown() : Promise.resolve();
      const settled = ended.then(() => state.progress.settled());
      await drain(settled, { ...runtime, stopping, drainMs });
      await Promise.all(workers);
      await lender.settled();
    },
  };
}

function prepare(given: RunnerOptions) {
  const log = guardLog(given.log);
  const warnings = new WarnOnce(log);
  const holding = given.standsBy ? holdKeys(given.queue, (key) => isCached(given, key)) : undefined;
  const queue = holding?.held ?? given.queue;
  const options = ofShard(withPriorities({ ...given, log, queue }, warnings));
  return { options, warnings, release: () => holding?.release() };
}

function withPriorities(options: RunnerOptions, warnings: WarnOnce): RunnerOptions {
  const { definition, queue, informer } = options;
  const { name: controller, priority: priorityOf, kind } = definition;
  if (!priorityOf) return options;
  const entry = (key: string) => informer(kind).entry(key);
  return { ...options, queue: prioritised({ queue, controller, priorityOf, entry, warnings }) };
}

const ofShard = (options: RunnerOptions): RunnerOptions =>
  options.shards ? { ...options, queue: shardQueue(options.queue, options.shards) } : options;

/** The functions of a runner that only report. */
function reportsOf(state: RunnerState) {
  const { options, states, breaches } = state;
  const { name, kind } = options.definition;
  return {
    name,
    kind,
    states: () => states.all(),
    explain: (key: string) => ({ state: states.get(key), queue: withHeld(state, key) }),
    breaches: () => breaches.all(),
    queue: options.queue,
    isIdle: () => options.queue.isIdle(),
    processing: () => options.queue.depth().processing,
  };
}

/** A pause ends with its object, and only then. */
function gone(state: RunnerState, key: string): void {
  state.pauses.resume(key);
  forget(state, key);
}

/** What adds keys beside the watches. */
function startFeeds(
  { definition, runtime, queue, log, cluster = "" }: RunnerOptions,
  primary: Informer,
  warnings: WarnOnce,
): readonly { stop(): void }[] {
  const { name: controller, kind, resyncEvery: every, sources } = definition;
  const { clock } = runtime;
  return [
    followSources(sources, { clock, queue, log, warnings, controller, kind, cluster }),
    ...(every === undefined ? [] : [startResync({ clock, queue, primary, every })]),
  ];
}

/** The queue's report, with the changes that are held until the run ends. */
function withHeld({ options, echoes }: RunnerState, key: string): QueueKeyReport | undefined {
  const report = options.queue.explain(key);
  return report && { ...report, causes: [...report.causes, ...echoes.held(key)] };
}

function createState(
  options: RunnerOptions,
  shared: Pick<ReconcileDependencies, "primary" | "warnings"> & Pick<RunnerState, "stopping">,
): RunnerState {
  const { primary, warnings, stopping } = shared;
  const loops = detectorOf(options, primary);
  const states = statesOf(options, loops);
  const { reports } = options;
  const loopWatch = watchLoops(options, loops);
  const voice = createVoice(options, primary);
  const breaches = new Breaches(options.definition.name, (key, one) => voice.breached(key, one));
  const dependencies = {
    ...options,
    primary,
    breaches,
    dynamicWatches: openDynamicWatches(options, loops, warnings),
    ...createMemories(),
    warnings,
    keepsConditions: reports.conditions,
    observesMetadata: reports.metadata,
    loopOf: (key: string) => loopWatch.messageOf(key),
    overdueOf: (key: string) => overdueSignals.messageOf(options.definition.kind.kind, key),
    stepping: (key: string, step: string | undefined) =>
      states.set(key, step === undefined ? { at: "running" } : { at: "running", step }),
  };
  const progress = new ProgressWrites(dependencies, states, stopping);
  const overdueSignals = watchDeadlines(options, { voice, progress });
  return {
    options,
    states,
    loops,
    turns: new Turns(options.client.pace),
    pauses: new Pauses(),
    echoes: new OwnEchoes(options.queue, () => options.runtime.clock.now()),
    echoingKinds: new Set([options.definition.kind, ...options.definition.owns].map(kindId)),
    conflicts: new Conflicts(),
    loopWatch,
    voice,
    breaches,
    overdueSignals,
    dynamicWatches: dependencies.dynamicWatches,
    stopping,
    progress,
    reconcile: ({ key }, scope) => reconcileWatching(dependencies, key, scope),
    timeoutMs: parseDuration(options.definition.timeout),
  };
}

/** What the runs of a controller remember together. */
const createMemories = () => ({
  ownMemory: new OwnMemory(),
  sharedApplies: new SharedApplies(),
  phaseCalls: new PhaseCalls(),
  sampledRuns: new SampledRuns(),
  thrownResults: new ThrownResults(),
});

function detectorOf(
  { names, writeChains, contested }: RunnerOptions,
  primary: Informer,
): LoopDetector {
  return new LoopDetector(names.manager, {
    find: (write) => cachedText(primary, write),
    isOurs: (cause) => writeChains.isOurs(cause),
    contested,
  });
}

function watchLoops({ queue, runtime }: RunnerOptions, loops: LoopDetector): LoopWatch {
  return new LoopWatch({
    clock: runtime.clock,
    isLooping: (key) => loops.isActive(key, runtime.clock.monotonic()),
    ended: (key) => queue.add(key, { cause: { what: "its loop has ended", source: "loop ended" } }),
  });
}

function createVoice(options: RunnerOptions, primary: Informer): RunVoice {
  const { definition, log, runtime, recorder, reports } = options;
  return new RunVoice({
    log,
    clock: runtime.clock,
    controller: definition.name,
    kind: definition.kind.kind,
    recorder: reports.events ? recorder : undefined,
    reference(key) {
      const object = primary.unchecked.get(parseObjectKey(key)) as KubeObject | undefined;
      return object && objectReference(definition.kind, object);
    },
    locate: (error) => locateError(error, { cwd: process.cwd() }),
  });
}

function statesOf(
  { definition, cluster, runtime, log, changed }: RunnerOptions,
  loops: LoopDetector,
) {
  return createObjectStates({
    cluster,
    controller: definition.name,
    kind: definition.kind.kind,
    now: () => runtime.clock.now(),
    loopOf: (key) => loops.active(key),
    ...(changed ? { changed } : {}),
    failed: (error) =>
      log.error(`the manager's \`changed\` callback threw: ${describeError(error)}`, { error }),
  });
}

/** Returns the keys that are in a reported loop. */
function stopTimers({
  turns,
  loopWatch,
  overdueSignals,
  dynamicWatches,
}: RunnerState): readonly string[] {
  turns.stop();
  overdueSignals.stop();
  dynamicWatches.stop();
  return loopWatch.stop();
}

async function work(
  context: RunnerState,
  lender: WorkerLender,
  draining: AbortSignal,
): Promise<void> {
  const { queue, runtime, observer } = context.options;
  const rest = paceWorker(runtime.clock);
  for (
    let item = await queue.get(context.stopping);
    item;
    item = await queue.get(context.stopping)
  ) {
    if (draining.aborted) {
      queue.done(item.key);
      continue;
    }
    observer?.working(1);
    await lender.process(item);
    observer?.working(-1);
    const resting = rest();
    if (resting) await resting;
  }
}
