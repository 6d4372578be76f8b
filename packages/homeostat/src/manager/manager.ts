// The composition root: one client, one cache, one runner per controller, started and stopped in
// order. Start-up: caches, then controllers; shutdown: controllers drain, then caches stop, then
// the connection closes.
import type { Kind } from "../api/kind.ts";
import {
  type Cache,
  createCache,
  type Freshness,
  type Informer,
  type InformerLease,
} from "../cache/index.ts";
import { ServerPace } from "../cache/server-pace.ts";
import type { Client } from "../client/client.ts";
import { type ControllerRunner, createControllerRunner } from "../controller/controller-runner.ts";
import {
  type Controller,
  type ControllerDefinition,
  definitionOf,
  type ReconcileLog,
} from "../controller/define-controller.ts";
import { type ControllerNames, nameController } from "../controller/names.ts";
import type { ObjectState } from "../controller/object-state.ts";
import { createWorkQueue } from "../queue/index.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { createPinoLog } from "./log.ts";

/** Options of a manager. */
export interface ManagerOptions {
  /** The operator's permanent name: field managers are `<operator>/<controller>`. */
  readonly operator: string;
  readonly controllers: readonly Controller[];
  /** The client; the caller closes it. */
  readonly client: Client;
  /** Restricts all watches to this namespace. Default: all namespaces. */
  readonly namespace?: string;
  readonly runtime?: Runtime;
  /** The log. Default: JSON lines on standard error. */
  readonly log?: ReconcileLog;
  /**
   * Time for running reconciles at shutdown before their signals abort. Default 30 s, as
   * controller-runtime (pkg/manager/internal.go).
   */
  readonly shutdownTimeoutMs?: number;
  /**
   * Time for the caches to sync. Default 2 min, as controller-runtime's CacheSyncTimeout
   * (pkg/controller/controller.go).
   */
  readonly syncTimeoutMs?: number;
  /** Called for every change of an object's state. Must not throw. */
  readonly changed?: (state: ObjectState) => void;
}

/** A manager of controllers. */
export interface Manager {
  /**
   * Resolves once caches are synced and workers run. A manager starts once. @throws
   * ERR_MANAGER_SYNC, ERR_MANAGER_STATE
   */
  start(): Promise<void>;
  /**
   * Drains and stops, also during the start; idempotent. Reconciles that do not end within
   * `shutdownTimeoutMs` are abandoned and logged.
   */
  stop(): Promise<void>;
  /**
   * Starts, and stops when `signal` aborts or on SIGINT or SIGTERM. Resolves once stopped.
   */
  run(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** The state of every object with each controller. */
  states(): readonly ObjectState[];
  /** What triggered an object last, what it waits for, when it runs next. */
  explain(kind: Kind, key: string): readonly ReturnType<ControllerRunner["explain"]>[];
  /** True when no key of any controller is queued or being processed. */
  isIdle(): boolean;
  /** Ready when every cache is known to be fresh; otherwise with one reason per cache. */
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] };
  freshness(): readonly { readonly kind: Kind; readonly freshness: Freshness }[];
}

/**
 * Creates a manager. Nothing is read or written before `start`.
 * @throws ERR_CONTROLLER_NAME for an invalid name, or one that two controllers share.
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
    recovered: () => retryPace.recovered(),
    keepManagers: keepManagersOf(names.values()),
  });
  const state: ManagerState = {
    options,
    definitions,
    names,
    runtime,
    cache,
    retryPace,
    leases: [],
    runners: [],
    stopping: new AbortController(),
  };
  return toManager(state);
}

/** Managers of the controllers; those of named sets are below them. */
function keepManagersOf(names: Iterable<ControllerNames>): (manager: string) => boolean {
  const own = [...names].flatMap(({ managers }) => managers);
  return (manager) => own.some((one) => manager === one || manager.startsWith(`${one}/`));
}

function toManager(state: ManagerState): Manager {
  const { options } = state;
  let started = false;
  let stopped: Promise<void> | undefined;
  const manager: Manager = {
    async start() {
      if (started || stopped)
        throw new HomeostatError(
          "ERR_MANAGER_STATE",
          `starting ${options.operator}: the manager ${stopped ? "is stopped" : "is already started"}`,
          {
            hint: "create a new manager for each start",
          },
        );
      started = true;
      await start(state);
    },
    stop() {
      state.stopping.abort(new Error(`the manager of ${options.operator} was stopped`));
      return (stopped ??= stop(state));
    },
    run: ({ signal } = {}) => runUntilAsked(manager, signal),
    states: () => state.runners.flatMap((runner) => runner.states()),
    explain: (kind, key) =>
      state.runners
        .filter(
          (runner) => runner.kind.kind === kind.kind && runner.kind.apiVersion === kind.apiVersion,
        )
        .map((runner) => runner.explain(key)),
    isIdle: () => state.runners.every((runner) => runner.isIdle()),
    readiness: () => readinessOf(state.cache),
    freshness: () =>
      state.cache
        .informers()
        .map((informer) => ({ kind: informer.kind, freshness: informer.freshness() })),
  };
  return manager;
}

/** Starts, and stops on a signal or when `signal` aborts, also while it starts. */
async function runUntilAsked(manager: Manager, signal: AbortSignal | undefined): Promise<void> {
  const ended = asked(signal);
  const running = manager.start();
  await Promise.race([ended.promise, running]).catch(() => {});
  try {
    if (!ended.isAsked()) await running;
    await ended.promise;
  } finally {
    ended.stopListening();
    await manager.stop();
  }
}

function readinessOf(cache: Cache): ReturnType<Manager["readiness"]> {
  const reasons = cache.informers().flatMap((informer) => {
    const { ready, reason } = informer.freshness();
    return ready ? [] : [`${informer.kind.kind}: ${reason}`];
  });
  return { ready: reasons.length === 0, reasons };
}

interface ManagerState {
  readonly options: ManagerOptions;
  readonly definitions: readonly ControllerDefinition[];
  readonly names: ReadonlyMap<ControllerDefinition, ControllerNames>;
  readonly stopping: AbortController;
  readonly runtime: Runtime;
  readonly cache: Cache;
  readonly retryPace: ServerPace;
  readonly leases: InformerLease[];
  runners: readonly ControllerRunner[];
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

/** Acquires one informer per kind, shared by all controllers. */
function informers(state: ManagerState): (kind: Kind) => Informer {
  const known = new Map<string, Informer>();
  return (kind) => {
    const id = `${kind.apiVersion}/${kind.kind}`;
    const found = known.get(id);
    if (found) return found;
    const lease = state.cache.acquire(
      kind,
      kind.scope === "Namespaced" ? { namespace: state.options.namespace } : {},
    );
    state.leases.push(lease);
    known.set(id, lease.informer);
    return lease.informer;
  };
}

async function start(state: ManagerState): Promise<void> {
  const { options, definitions, runtime, cache, names } = state;
  const log = options.log ?? (await createPinoLog());
  const informer = informers(state);
  const { client, namespace, changed } = options;
  state.runners = definitions.map((definition) =>
    createControllerRunner({
      definition,
      names: names.get(definition)!,
      runtime,
      client,
      namespace,
      queue: createWorkQueue({
        runtime,
        ...(definition.backoff ? { backoff: definition.backoff } : {}),
      }),
      log,
      informer,
      retryPace: state.retryPace,
      ...(changed ? { changed } : {}),
    }),
  );
  cache.start();
  await sync(state);
  if (!state.stopping.signal.aborted) for (const runner of state.runners) runner.start();
}

async function sync(state: ManagerState): Promise<void> {
  const timeoutMs = state.options.syncTimeoutMs ?? 120_000;
  const abort = new AbortController();
  const timer = state.runtime.clock.timer(timeoutMs, () => abort.abort());
  try {
    await state.cache.synced(AbortSignal.any([abort.signal, state.stopping.signal]));
  } catch (cause) {
    if (state.stopping.signal.aborted) throw state.stopping.signal.reason;
    const late = state.cache
      .informers()
      .flatMap((informer) =>
        informer.hasSynced()
          ? []
          : [
              `${informer.kind.kind} (${informer.freshness().lastError ?? informer.freshness().reason})`,
            ],
      );
    await stop(state);
    throw new HomeostatError(
      "ERR_MANAGER_SYNC",
      `starting ${state.options.operator}: no complete first list within ${timeoutMs} ms of ${late.join(", ") || "its kinds"}`,
      {
        hint: "check that the definitions are installed and that this user may list and watch them",
        cause,
      },
    );
  } finally {
    timer.cancel();
  }
}

async function stop(state: ManagerState): Promise<void> {
  const drainMs = state.options.shutdownTimeoutMs ?? 30_000;
  await Promise.all(state.runners.map((runner) => runner.stop(drainMs)));
  for (const lease of state.leases.splice(0)) lease.release();
  await state.cache.stop();
}

/** Listens for the signals that end the process. */
function asked(signal: AbortSignal | undefined): {
  readonly promise: Promise<void>;
  isAsked(): boolean;
  stopListening(): void;
} {
  let end = (): void => {};
  let isAsked = false;
  const promise = new Promise<void>((resolve) => {
    end = () => {
      isAsked = true;
      resolve();
    };
  });
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  return {
    promise,
    isAsked: () => isAsked,
    stopListening() {
      process.off("SIGINT", end);
      process.off("SIGTERM", end);
      signal?.removeEventListener("abort", end);
    },
  };
}
