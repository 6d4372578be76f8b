// The manager of one cluster: one client, one cache, one runner per controller, started and stopped
// in order. Start-up: caches, then controllers; shutdown: controllers drain, then caches stop, then
// the connection closes.
import { assertKind } from "../api/check-kind.ts";
import { argumentError } from "../util/argument-error.ts";
import type { Kind } from "../api/kind.ts";
import { type Cache, createCache, type Informer } from "../cache/index.ts";
import type { Client } from "../client/client.ts";
import { ContestedObjects } from "../cache/contested-objects.ts";
import type { ControllerRunner } from "../controller/controller-runner.ts";
import { declaredKinds } from "../controller/declared-kinds.ts";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import { kindId } from "../controller/echo/run-record.ts";
import { signalSet } from "../controller/signals/write-signal.ts";
import type { ControllerNames } from "../controller/names.ts";
import { WriteChains } from "../controller/loop/write-chains.ts";
import { StatusTurns } from "../controller/status-turns.ts";
import { narrowKinds, type NarrowKind, scopeOf } from "../controller/watching/narrow-kinds.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import { answeredInAttempt } from "./follow-attempts.ts";
import { inspectCluster } from "./introspection/inspect-cluster.ts";
import { createLifeCycle } from "./life-cycle.ts";
import { silentLog } from "./log/create-log.ts";
import { logCacheErrors } from "./log/log-cache-errors.ts";
import { describeReason } from "./log/log-freshness.ts";
import { logServerWarnings } from "./log/log-server-warnings.ts";
import type { ClusterManagerOptions, CoreManager, Manager, RequestKey } from "./manager-options.ts";
import type { ManagerState } from "./manager-state.ts";
import { nameControllers } from "./name-controllers.ts";
import { createNarrowing } from "./scope/create-narrowing.ts";
import { webhookReasons } from "./start-webhooks.ts";
import { StopDeadline } from "./stopping/stop-deadline.ts";
import { createWatchedScope, type WatchedScope } from "./scope/watched-scope.ts";

/** A manager of one cluster. */
export interface ClusterManager extends CoreManager {
  /** Resolves once every cache has synced, or has failed at least once. */
  heard(): Promise<void>;
}

/** @throws ERR_CONTROLLER_NAME, ERR_MANAGER_NAMESPACES */
export function createClusterManager(given: ClusterManagerOptions): ClusterManager {
  const warned = logServerWarnings(() => state.log);
  const { metrics } = given;
  const answered = metrics?.requests(given.client.transport);
  const observed = { warned, ...(answered ? { answered } : {}) };
  const options = { ...given, client: followed(given.client.with(observed), given) };
  const names = nameControllers(options);
  const runtime = options.runtime ?? createSystemRuntime();
  const narrow = narrowed(options, [...names.keys()]);
  const contested = new ContestedObjects();
  const cache = createCache({
    client: options.client,
    runtime,
    ...(options.cache ? { kinds: options.cache.kinds } : {}),
    narrowed: narrow.map(({ kind, selection }) => [kind, scopeOf(selection)]),
    keepManagers: keepManagersOf(names),
    contested,
    onError: logCacheErrors({ log: () => state.log, clock: runtime.clock }),
  });
  metrics?.informers(() => cache.informers());
  const scope = createWatchedScope({
    cache,
    namespace: options.namespace,
    namespaces: options.namespaces,
    failed: (message, error) => state.log.error(message, { error }),
  });
  const state: ManagerState = {
    options,
    definitions: [...names.keys()],
    names,
    runtime,
    deadline: new StopDeadline(runtime.clock),
    cache,
    narrowing: createNarrowing(cache, narrow),
    recorders: new Map(),
    counted: new Map(),
    statusTurns: new StatusTurns(),
    writeChains: new WriteChains(),
    contested,
    scope,
    runners: [],
    elected: [],
    sayStarted: () => {},
    end: () => {},
    stopping: new AbortController(),
    log: silentLog,
  };
  return toManager(state);
}

/** With spans, and known to the attempts that use it, where these are asked for. */
function followed(client: Client, options: ClusterManagerOptions): Client {
  const { tracing, introspection, watchdog } = options;
  const traced = tracing ? client.with({ answered: tracing.answered }) : client;
  return introspection || watchdog ? traced.with({ answered: answeredInAttempt }) : traced;
}

/** The user's own selections of a kind decide. */
function narrowed(
  { cache }: ClusterManagerOptions,
  definitions: readonly ControllerDefinition[],
): readonly NarrowKind[] {
  const isSelected = ({ apiVersion, kind }: Kind): boolean =>
    cache?.kinds.some(
      ([one, { labelSelector, fieldSelector }]) =>
        one.apiVersion === apiVersion &&
        one.kind === kind &&
        (labelSelector ?? fieldSelector) !== undefined,
    ) === true;
  return narrowKinds(definitions).filter(({ kind }) => !isSelected(kind));
}

/**
 * Managers of the controllers, and of signals, which any operator may set; those of named sets are
 * below them.
 */
function keepManagersOf(
  names: ReadonlyMap<ControllerDefinition, ControllerNames>,
): (manager: string) => boolean {
  const own = [...names.values()].flatMap(({ managers }) => managers);
  const signals = [...names.keys()].flatMap((one) =>
    one.signals.map(({ name }) => `/${signalSet(name)}`),
  );
  return (manager) =>
    own.some((one) => manager === one || manager.startsWith(`${one}/`)) ||
    signals.some((one) => manager.endsWith(one));
}

function toManager(state: ManagerState): ClusterManager {
  const lifeCycle = createLifeCycle(state);
  const manager: ClusterManager = {
    heard: () => heard(state.cache),
    start: lifeCycle.start,
    stop: lifeCycle.stop,
    ended: lifeCycle.ended,
    states: () => state.runners.flatMap((runner) => runner.states()),
    explain: (kind, key) =>
      runnersOf(state, kind, key).map((runner) => ({
        ...clusterOf(state),
        ...runner.explain(nameOf(key)),
      })),
    pause: (kind, key) =>
      runnersOf(state, kind, key).forEach((runner) => runner.pause(nameOf(key))),
    resume: (kind, key) =>
      runnersOf(state, kind, key).forEach((runner) => runner.resume(nameOf(key))),
    breaches: () => state.runners.flatMap((runner) => runner.breaches()),
    isIdle: () => state.runners.every((runner) => runner.isIdle()),
    elections: () => {
      const report = state.leadership?.election();
      return report ? [{ ...clusterOf(state), ...report }] : [];
    },
    rings: () => {
      const report = state.leadership?.ring();
      return report ? [{ ...clusterOf(state), ...report }] : [];
    },
    inspect: () => [inspectCluster(state)],
    readiness: () => readinessOf(state),
    cacheStats: () =>
      state.cache.informers().map((informer) => ({
        ...clusterOf(state),
        kind: informer.kind,
        scope: informer.scope,
        ...informer.stats(),
      })),
    freshness: () =>
      state.cache.informers().map((informer) => ({
        ...clusterOf(state),
        kind: informer.kind,
        freshness: informer.freshness(),
      })),
  };
  return manager;
}

function runnersOf(
  { options, runners }: ManagerState,
  kind: Kind,
  key: RequestKey,
): readonly ControllerRunner[] {
  assertKind(kind, "naming an object to a manager");
  if (typeof nameOf(key) !== "string")
    throw argumentError(`naming a ${kind.kind} to a manager`, key, '"namespace/name"');
  if (typeof key === "object" && key.cluster !== (options.cluster ?? "")) return [];
  return runners.filter(
    (runner) => runner.kind.kind === kind.kind && runner.kind.apiVersion === kind.apiVersion,
  );
}

const nameOf = (key: RequestKey): string => (typeof key === "string" ? key : key?.key);

function clusterOf({ options: { cluster } }: ManagerState): { readonly cluster?: string } {
  return cluster === undefined ? {} : { cluster };
}

async function heard(cache: Cache): Promise<void> {
  const isHeard = (): boolean => {
    const informers = cache.informers();
    const heardOf = informers.filter(
      (informer) => informer.hasSynced() || informer.freshness().lastError !== undefined,
    );
    return informers.length > 0 && heardOf.length === informers.length;
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = cache.onFreshness(() => {
    if (isHeard()) resolve();
  });
  if (isHeard()) resolve();
  await promise;
  listener.remove();
}

function readinessOf(state: ManagerState): ReturnType<Manager["readiness"]> {
  const { cache, scope, starting, definitions, stopping, webhooks } = state;
  if (stopping.signal.aborted || state.hasEnded)
    return { ready: false, reasons: ["the manager is stopping"] };
  if (!starting)
    return {
      ready: false,
      reasons: ["the manager has not started", ...webhookReasons(webhooks)],
    };
  const behind = cache.informers().filter((informer) => !informer.freshness().ready);
  const reasons = behind.map((informer) => {
    const waiting = starting.waitingFor(informer.kind);
    return `${describeInformer(informer)}: ${describeReason(informer, waiting)}`;
  });
  const declared = new Set(definitions.flatMap(declaredKinds).map(kindId));
  const counts = (informer: Informer): boolean =>
    !isLeftOut(scope, informer) && (declared.has(kindId(informer.kind)) || isThere(informer));
  const waiting = [...webhookReasons(webhooks), ...(state.leadership?.reasons() ?? [])];
  return {
    ready: waiting.length === 0 && !behind.some(counts),
    reasons: [...reasons, ...waiting],
  };
}

/** What one object watches, and this user cannot have, is no fault of the operator. */
function isThere(informer: Informer): boolean {
  const { isServed, isAllowed } = informer.freshness();
  return isServed && isAllowed;
}

function isLeftOut(scope: WatchedScope, { scope: { namespace } }: Informer): boolean {
  return namespace !== undefined && scope.isLeftOut(namespace);
}

const describeInformer = ({ kind, scope: { namespace } }: Informer): string =>
  namespace === undefined ? kind.kind : `${kind.kind} in namespace ${namespace}`;
