// The composition root: one client, one cache, one runner per controller, started and stopped in
// order. Start-up: caches, then controllers; shutdown: controllers drain, then caches stop, then
// the connection closes.
import type { Kind } from "../api/kind.ts";
import { type Cache, createCache } from "../cache/index.ts";
import { describeCacheError } from "../cache/create-cache.ts";
import { ServerPace } from "../cache/server-pace.ts";
import type { ControllerRunner } from "../controller/controller-runner.ts";
import { type ControllerDefinition, definitionOf } from "../controller/define-controller.ts";
import { type ControllerNames, nameController } from "../controller/names.ts";
import { signalSet } from "../controller/signals/write-signal.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { createLifeCycle, type ManagerState } from "./life-cycle.ts";
import { silentLog } from "./log/create-log.ts";
import type { Manager, ManagerOptions } from "./manager-options.ts";
import { runUntilAsked } from "./run-until-asked.ts";
import { createWatchedScope } from "./scope/watched-scope.ts";

/**
 * Creates a manager. Nothing is read or written before `start`.
 * @throws ERR_CONTROLLER_NAME for an invalid name, or one that two controllers share;
 * ERR_MANAGER_NAMESPACES for namespaces that cannot be watched.
 */
export function createManager(options: ManagerOptions): Manager {
  const definitions = options.controllers.map((controller) => definitionOf(controller));
  const names = new Map(
    definitions.map((definition) => [definition, nameController(options.operator, definition)]),
  );
  refuseSharedNames(definitions);
  const runtime = options.runtime ?? createSystemRuntime();
  const retryPace = new ServerPace(runtime);
  const cache = createCache({
    client: options.client,
    runtime,
    ...(options.cache ? { kinds: options.cache.kinds } : {}),
    recovered: () => retryPace.recovered(),
    keepManagers: keepManagersOf(names.values(), definitions),
    onError: (error, kind, key) => state.log.error(describeCacheError(error, kind, key), { error }),
  });
  const scope = createWatchedScope({
    cache,
    namespace: options.namespace,
    namespaces: options.namespaces,
    failed: (message, error) => state.log.error(message, { error }),
  });
  const state: ManagerState = {
    options,
    definitions,
    names,
    runtime,
    cache,
    retryPace,
    recorders: [],
    scope,
    runners: [],
    stopping: new AbortController(),
    log: silentLog,
  };
  return toManager(state);
}

/**
 * Managers of the controllers, and of signals, which any operator may set; those of named sets are
 * below them.
 */
function keepManagersOf(
  names: Iterable<ControllerNames>,
  definitions: readonly ControllerDefinition[],
): (manager: string) => boolean {
  const own = [...names].flatMap(({ managers }) => managers);
  const signals = definitions.flatMap((one) =>
    one.signals.map(({ name }) => `/${signalSet(name)}`),
  );
  return (manager) =>
    own.some((one) => manager === one || manager.startsWith(`${one}/`)) ||
    signals.some((one) => manager.endsWith(one));
}

function toManager(state: ManagerState): Manager {
  const lifeCycle = createLifeCycle(state);
  const manager: Manager = {
    start: lifeCycle.start,
    stop: lifeCycle.stop,
    run: ({ signal } = {}) => runUntilAsked(manager, signal),
    states: () => state.runners.flatMap((runner) => runner.states()),
    explain: (kind, key) => runnersOf(state, kind).map((runner) => runner.explain(key)),
    pause: (kind, key) => runnersOf(state, kind).forEach((runner) => runner.pause(key)),
    resume: (kind, key) => runnersOf(state, kind).forEach((runner) => runner.resume(key)),
    breaches: () => state.runners.flatMap((runner) => runner.breaches()),
    isIdle: () => state.runners.every((runner) => runner.isIdle()),
    readiness: () => readinessOf(state.cache),
    cacheStats: () =>
      state.cache
        .informers()
        .map((informer) => ({ kind: informer.kind, scope: informer.scope, ...informer.stats() })),
    freshness: () =>
      state.cache
        .informers()
        .map((informer) => ({ kind: informer.kind, freshness: informer.freshness() })),
  };
  return manager;
}

function runnersOf({ runners }: ManagerState, kind: Kind): readonly ControllerRunner[] {
  return runners.filter(
    (runner) => runner.kind.kind === kind.kind && runner.kind.apiVersion === kind.apiVersion,
  );
}

function readinessOf(cache: Cache): ReturnType<Manager["readiness"]> {
  const reasons = cache.informers().flatMap((informer) => {
    const { ready, reason } = informer.freshness();
    return ready ? [] : [`${informer.kind.kind}: ${reason}`];
  });
  return { ready: reasons.length === 0, reasons };
}

function refuseSharedNames(definitions: readonly ControllerDefinition[]): void {
  const twice = definitions.find(
    (one, i) => definitions.findIndex((other) => other.name === one.name) !== i,
  );
  if (twice)
    throw new HomeostatError(
      "ERR_CONTROLLER_NAME",
      `two controllers have the name "${twice.name}"; they would own each other's fields`,
      { hint: "give one of them another `name`" },
    );
}
