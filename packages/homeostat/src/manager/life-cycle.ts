// Start and shutdown of a manager. Start-up: names, webhooks, caches, controllers; shutdown:
// webhooks ask their clients to leave, controllers drain, the Lease is released, caches stop, then
// webhooks. All of it has one deadline. A start that fails or is stopped leaves nothing behind.
import type { Cache } from "../cache/index.ts";
import { guardLog } from "../util/guard-log.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { claimNames } from "./claim-names.ts";
import { createLog } from "./log/create-log.ts";
import { logAwaited, logLeft } from "./log/log-awaited.ts";
import { logLossyVersions } from "./log/log-lossy-versions.ts";
import { logFreshness } from "./log/log-freshness.ts";
import { createTransitions, type LifeCycle, refuseIfStopped } from "./transitions.ts";
import { createRunner } from "./create-runner.ts";
import { createElected, defaultDrainMs, isCold } from "./election/elected-work.ts";
import { createTerms } from "./sharding/create-terms.ts";
import { needsElection } from "./election/needs-election.ts";
import type { ManagerState } from "./manager-state.ts";
import { ControllerStart, type DeclaredRunner } from "./start-controllers.ts";
import { resignTerm } from "./stopping/end-term.ts";
import { stopRunners } from "./stopping/stop-runners.ts";
import { startWebhooks } from "./start-webhooks.ts";

/** Creates the life cycle of a manager. */
export function createLifeCycle(state: ManagerState): LifeCycle & {
  /** Rejects when the manager stops by itself, with the reason. */
  readonly ended: Promise<never>;
} {
  const { options, stopping, names } = state;
  const claim = { release(): void {} };
  const lifeCycle = createTransitions(options.operator, {
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
    hurry: (ms) => state.deadline.within(ms),
    stop: (starting) => stop(state, starting).finally(() => claim.release()),
  });
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  state.end = (error) => {
    ended.reject(error);
    void lifeCycle.stop();
  };
  return { ...lifeCycle, ended: ended.promise };
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
  logLossyVersions(definitions, log);
  // Without replicas and webhooks everything up to the first request is one step.
  const terms = createTerms(state);
  if (terms) {
    await terms.open();
    refuseIfStopped(operator, state.stopping);
    state.leadership = terms;
  }
  if (options.webhooks) await startWebhooks(state, options.webhooks);
  const controllers = createControllers(state);
  const starting = new ControllerStart({
    operator,
    controllers,
    scope,
    runtime,
    log,
    synced: () => logSynced(state, began),
    isHeld: (definition) => needsElection(definition) && state.leadership?.isLeading === false,
    ready: () => state.leadership?.stand(),
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
  state.sayStarted = () => {
    if (!starting.isComplete || starting.isPartial || state.leadership?.isLeading === false) return;
    log.info(`started ${operator}`);
    state.sayStarted = () => {};
  };
  if ((await startControllers(state, starting)) === "all") state.sayStarted();
}

/** Those of a cold standby that need election are made when it leads. */
function createControllers(state: ManagerState): readonly DeclaredRunner[] {
  const { definitions, leadership } = state;
  const independent = leadership ? definitions.filter((one) => !needsElection(one)) : definitions;
  const made = independent.map((definition) => {
    return { definition, runner: createRunner(state, definition) };
  });
  state.runners = made.map(({ runner }) => runner);
  return leadership && !isCold(state) ? [...made, ...createElected(state)] : made;
}

function logSynced({ runtime, cache, log }: ManagerState, began: number): void {
  const objects = cache
    .informers()
    .map((informer) => `${informer.kind.kind} ${informer.stats().objects}`);
  log.info(`caches synced in ${Math.round(runtime.clock.monotonic() - began)} ms`, {
    objects: objects.join(", "),
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
  const hold = state.runtime.clock.hold?.();
  await shutDownParts(state).finally(() => hold?.cancel());
}

async function shutDownParts(state: ManagerState): Promise<void> {
  state.hasEnded = true;
  state.starting?.stop();
  state.webhooks?.drain();
  state.deadline.within(state.options.shutdownTimeoutMs ?? defaultDrainMs);
  const stopped = stopRunners(state);
  state.leadership?.leave();
  await stopped;
  state.freshnessLog?.stop();
  await resignTerm(state);
  await Promise.all(Array.from(state.recorders.values(), (recorder) => recorder.close()));
  await state.leadership?.close();
  state.scope.release();
  await state.cache.stop();
  state.log.debug("caches stopped");
  await state.webhooks?.stop(state.deadline.passed);
  state.deadline.met();
  state.options.metrics?.release();
}
