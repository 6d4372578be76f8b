// Start and shutdown of a manager. Start-up: names, webhooks, caches, controllers; shutdown:
// controllers drain, then caches stop, then webhooks. A start that fails or is stopped leaves
// nothing behind.
import { parseObjectKey } from "../api/object-meta.ts";
import type { ContestedObjects } from "../cache/contested-objects.ts";
import type { Cache } from "../cache/index.ts";
import { type ControllerRunner, createControllerRunner } from "../controller/controller-runner.ts";
import type { ControllerDefinition, ReconcileLog } from "../controller/define-controller.ts";
import { guardLog } from "../util/guard-log.ts";
import type { Signal } from "../controller/signals/signal.ts";
import type { ControllerNames } from "../controller/names.ts";
import { createEventRecorder, type EventRecorder } from "../events/index.ts";
import { createWorkQueue, type QueueObserver, type WorkQueue } from "../queue/index.ts";
import type { WriteChains } from "../controller/loop/write-chains.ts";
import type { StatusTurns } from "../controller/status-turns.ts";
import type { Narrowing } from "../controller/watching/narrow-kinds.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Webhooks } from "../webhook/create-webhooks.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { claimNames } from "./claim-names.ts";
import { createLog } from "./log/create-log.ts";
import { logAwaited, logLeft } from "./log/log-awaited.ts";
import { logFreshness } from "./log/log-freshness.ts";
import { createTransitions, type LifeCycle, refuseIfStopped } from "./transitions.ts";
import type { ClusterManagerOptions } from "./manager-options.ts";
import type { WatchedScope } from "./scope/watched-scope.ts";
import { ControllerStart } from "./start-controllers.ts";
import { startWebhooks } from "./start-webhooks.ts";

/** The state of a manager. */
export interface ManagerState {
  readonly options: ClusterManagerOptions;
  readonly definitions: readonly ControllerDefinition[];
  readonly names: ReadonlyMap<ControllerDefinition, ControllerNames>;
  /** Aborts when the manager is asked to stop. */
  readonly stopping: AbortController;
  readonly runtime: Runtime;
  readonly cache: Cache;
  readonly recorders: EventRecorder[];
  readonly scope: WatchedScope;
  readonly narrowing: Narrowing;
  readonly statusTurns: StatusTurns;
  readonly writeChains: WriteChains;
  readonly contested: ContestedObjects;
  runners: readonly ControllerRunner[];
  starting?: ControllerStart;
  /** Its controllers have been stopped, also because its start has failed. */
  hasEnded?: true;
  /** Silent until the start. */
  log: ReconcileLog;
  freshnessLog?: { stop(): void };
  webhooks?: Webhooks;
}

/** Creates the life cycle of a manager. */
export function createLifeCycle(state: ManagerState): LifeCycle {
  const { options, stopping, names } = state;
  const claim = { release(): void {} };
  return createTransitions(options.operator, {
    stopping,
    async start() {
      const claimed = claimNames({
        operator: options.operator,
        names: [...names.values()],
        transport: options.client.transport,
        allowsReplicas: options.allowReplicas === true,
      });
      Object.assign(claim, claimed);
      await start(state).catch(async (error: unknown) => {
        if (!stopping.signal.aborted) await shutDown(state).finally(() => claim.release());
        throw error;
      });
    },
    stop: (starting) => stop(state, starting).finally(() => claim.release()),
  });
}

async function start(state: ManagerState): Promise<void> {
  const began = state.runtime.clock.monotonic();
  const log = guardLog(state.options.log ?? (await createLog()));
  refuseIfStopped(state.options.operator, state.stopping);
  state.log = log;
  const { definitions, options, cache, scope, runtime } = state;
  const { operator } = options;
  log.info(`starting ${operator}`, {
    controllers: definitions.map(({ name }) => name).join(", "),
    namespaces: scope.namespaces.description,
  });
  if (options.webhooks) await startWebhooks(state, options.webhooks);
  const controllers = definitions.map((definition) => {
    return { definition, runner: createRunner(state, definition) };
  });
  state.runners = controllers.map(({ runner }) => runner);
  const starting = new ControllerStart({
    operator,
    controllers,
    scope,
    runtime,
    log,
    synced: () => logSynced(state, began),
  });
  state.starting = starting;
  cache.start();
  state.freshnessLog = logFreshness({
    cache,
    log,
    runtime,
    isLeftOut: (namespace) => scope.isLeftOut(namespace),
    waitingFor: (kind) => starting.waitingFor(kind),
  });
  const ended = await startControllers(state, starting);
  if (ended === "all" && !starting.isPartial) log.info(`started ${operator}`);
}

function logSynced({ runtime, cache, log }: ManagerState, began: number): void {
  const objects = cache
    .informers()
    .map((informer) => `${informer.kind.kind} ${informer.stats().objects}`);
  log.info(`caches synced in ${Math.round(runtime.clock.monotonic() - began)} ms`, {
    objects: objects.join(", "),
  });
}

function createRunner(state: ManagerState, definition: ControllerDefinition): ControllerRunner {
  const { options, runtime, names, log, scope } = state;
  const { client, changed } = options;
  const { manager } = names.get(definition)!;
  const recorder = createEventRecorder({
    client,
    runtime,
    controller: manager,
    api: "v1",
    warn: (message) => log.warn(message, { controller: definition.name }),
  });
  state.recorders.push(recorder);
  const { name, concurrency } = definition;
  const metrics = options.metrics?.controller({ name, concurrency });
  const queue = createQueue(definition, runtime, metrics?.queue);
  const runner = createControllerRunner({
    definition,
    names: names.get(definition)!,
    runtime,
    client,
    namespaces: scope.namespaces,
    queue,
    observer: metrics?.runs,
    log,
    informer: (kind) => scope.informer(kind),
    lease: (kind) => scope.lease(kind),
    narrowing: state.narrowing,
    recorder,
    statusTurns: state.statusTurns,
    writeChains: state.writeChains,
    contested: state.contested,
    signals: state.definitions.flatMap(({ signals }) => signals),
    limitedSignals: limitedSignals(state.definitions, definition),
    reports: {
      events: true,
      conditions: true,
      ...options.reports,
      ...definition.reports,
    },
    ...(changed ? { changed } : {}),
    cluster: options.cluster,
  });
  metrics?.read({ queue, states: () => runner.states() });
  return runner;
}

function createQueue(
  definition: ControllerDefinition,
  runtime: Runtime,
  observer: QueueObserver | undefined,
): WorkQueue {
  const { backoff, retryRate, fairBy } = definition;
  return createWorkQueue({
    runtime,
    ...(observer ? { observer } : {}),
    ...(backoff ? { backoff } : {}),
    ...(retryRate ? { retryRate } : {}),
    ...(fairBy ? { groupOf: (key: string) => parseObjectKey(key).namespace ?? "" } : {}),
  });
}

/**
 * The signals whose limit a controller reports: the one that sets a signal waits for its clearing.
 */
function limitedSignals(
  definitions: readonly ControllerDefinition[],
  definition: ControllerDefinition,
): readonly Signal[] {
  return definition.signals.filter((signal) => {
    if (signal.withinMs === undefined) return false;
    const declaring = definitions.filter(({ signals }) => signals.includes(signal));
    const setter = declaring.find(({ name }) => signal.setBy.includes(name));
    return definition === (setter ?? declaring[0]);
  });
}

/** @throws ERR_MANAGER_SYNC when no controller has started in time, ERR_MANAGER_STOPPED */
async function startControllers(
  { cache, options, runtime, stopping }: ManagerState,
  starting: ControllerStart,
): Promise<"all" | "late"> {
  const { operator, cluster, syncTimeoutMs: timeoutMs = 120_000 } = options;
  const all = starting.run().then(() => "all" as const);
  all.catch(() => {});
  const late = Promise.withResolvers<"late">();
  const isAwaited = cluster !== undefined;
  const timer = isAwaited ? undefined : runtime.clock.timer(timeoutMs, () => late.resolve("late"));
  const began = await Promise.race([all, late.promise])
    .catch((error: unknown) => {
      refuseIfStopped(operator, stopping);
      throw error;
    })
    .finally(() => timer?.cancel());
  refuseIfStopped(operator, stopping);
  if (began === "all" || starting.hasBegun) return began;
  throw new HomeostatError(
    "ERR_MANAGER_SYNC",
    `starting ${operator}: no complete first list within ${timeoutMs} ms of ${describeUnsynced(cache) || "its kinds"}`,
    {
      hint: "check that the definitions are installed and that this user may list and watch them",
    },
  );
}

function describeUnsynced(cache: Cache): string {
  return cache
    .informers()
    .filter((informer) => !informer.hasSynced())
    .map((informer) => {
      const { lastError, reason } = informer.freshness();
      return `${informer.kind.kind} (${lastError ?? reason})`;
    })
    .join(", ");
}

async function stop(state: ManagerState, starting: Promise<void> | undefined): Promise<void> {
  const { log, options, runtime } = state;
  log.info(`stopping ${options.operator}`);
  state.starting?.stop();
  await starting?.catch(() => {});
  const awaited = logAwaited({ log, runtime, runners: state.runners });
  await shutDown(state);
  awaited.stop();
  log.info(`stopped ${options.operator}`);
  logLeft(options.operator, { log, runtime, runners: state.runners });
}

async function shutDown(state: ManagerState): Promise<void> {
  state.hasEnded = true;
  state.starting?.stop();
  const drainMs = state.options.shutdownTimeoutMs ?? 30_000;
  await Promise.all(state.runners.map((runner) => runner.stop(drainMs)));
  state.freshnessLog?.stop();
  await Promise.all(state.recorders.map((recorder) => recorder.close()));
  state.scope.release();
  await state.cache.stop();
  await state.webhooks?.stop(drainMs);
  state.options.metrics?.release();
}
