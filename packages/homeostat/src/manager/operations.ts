// What is around the managers of clusters, once in a manager: metrics, and the ports that serve
// them and the probes. The ports open first and close last.
import { createMetrics } from "../metrics/index.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import type {
  CoreManager,
  Manager,
  ManagerOptions,
  MultiClusterOptions,
} from "./manager-options.ts";
import { Introspection } from "./introspection/introspection.ts";
import { OperatorMetrics } from "./metrics/operator-metrics.ts";
import { runUntilAsked } from "./run-until-asked.ts";
import { OperatorServers } from "./serving/operator-servers.ts";
import { Tracing } from "./tracing/tracing.ts";
import { Watchdog } from "./watchdog/watchdog.ts";
import { blockedAfterMs } from "./watchdog/watchdog-options.ts";
import { createTransitions, refuseIfStopped } from "./transitions.ts";

type Options = ManagerOptions | MultiClusterOptions;

/** What a manager is operated with. */
export interface Operations {
  readonly options: Options;
  readonly runtime: Runtime;
  /** Undefined when nothing is counted. */
  readonly metrics: OperatorMetrics | undefined;
  /** Undefined when nothing is traced. */
  readonly tracing: Tracing | undefined;
  /** Undefined when nothing is recorded for introspection. */
  readonly introspection: Introspection | undefined;
  /** Undefined when nobody watches the event loop. */
  readonly watchdog: Watchdog | undefined;
}

const isInspected = ({ metrics }: Options): boolean =>
  metrics?.introspection === true && metrics.port !== false;

export function createOperations(options: Options): Operations {
  const { metrics, tracing, runtime = createSystemRuntime() } = options;
  return {
    options,
    runtime,
    metrics: metrics && new OperatorMetrics(runtime, metrics.custom),
    tracing: tracing && new Tracing(tracing, runtime.clock),
    introspection: isInspected(options) ? new Introspection(runtime) : undefined,
    watchdog: createWatchdog(options, runtime),
  };
}

function createWatchdog({ watchdog, log }: Options, { clock }: Runtime): Watchdog | undefined {
  const afterMs = blockedAfterMs(watchdog);
  return afterMs === undefined ? undefined : new Watchdog({ clock, afterMs, log });
}

/** The manager with its operations: they start before it and end after it. */
export function operated(
  { ended, inspect, ...core }: CoreManager,
  operations: Operations,
): Manager {
  const { metrics, tracing, introspection, watchdog, options, runtime } = operations;
  const { operator } = options;
  const stopping = new AbortController();
  const servers = createServers({ ...core, inspect }, operations, stopping.signal);
  const end = async (): Promise<void> => {
    metrics?.stop();
    introspection?.close();
    await Promise.all([servers?.stop(), watchdog?.close()]);
  };
  const lifeCycle = createTransitions(operator, {
    stopping,
    async start() {
      if (servers) await servers.start();
      try {
        refuseIfStopped(operator, stopping);
        for (const one of [watchdog, introspection, tracing]) {
          if (!one) continue;
          await one.open();
          refuseIfStopped(operator, stopping);
        }
        metrics?.start();
        await core.start();
      } catch (error) {
        if (!stopping.signal.aborted) await end();
        throw error;
      }
    },
    hurry: (timeoutMs) => void core.stop({ timeoutMs }),
    async stop(starting) {
      await core.stop();
      await starting?.catch(() => {});
      await end();
    },
  });
  const manager: Manager = {
    ...core,
    ...lifeCycle,
    run: (given) =>
      runUntilAsked(manager, given, { stopping: stopping.signal, lost: ended, runtime }),
    metrics: () => metrics?.text() ?? "",
    ports: () => servers?.ports() ?? {},
  };
  ended?.catch(() => manager.stop());
  return manager;
}

/** Undefined when no port is to be opened. */
function createServers(
  { readiness, inspect }: Pick<CoreManager, "readiness" | "inspect">,
  { options, runtime, metrics, introspection, watchdog }: Operations,
  stopping: AbortSignal,
): OperatorServers | undefined {
  const { health, metrics: { port, ...served } = { port: false }, client, log } = options;
  if (!health && port === false) return undefined;
  return new OperatorServers({
    runtime,
    log,
    health,
    metrics: port === false ? undefined : { ...served, ...(port === undefined ? {} : { port }) },
    set: metrics?.set ?? createMetrics(),
    client,
    readiness,
    isStopping: () => stopping.aborted,
    metricsText: () => metrics?.text() ?? "",
    introspection: {
      operator: options.operator,
      now: () => runtime.clock.now(),
      startedAt: runtime.clock.now(),
      inspect,
      readiness,
      recorded: introspection,
      blocks: () => watchdog?.blocks(),
    },
  });
}
