// What is around the managers of clusters, once in a manager: metrics.
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import type {
  CoreManager,
  Manager,
  ManagerOptions,
  MultiClusterOptions,
} from "./manager-options.ts";
import { OperatorMetrics } from "./metrics/operator-metrics.ts";
import { runUntilAsked } from "./run-until-asked.ts";

/** What a manager is operated with. */
export interface Operations {
  /** Undefined when nothing is counted. */
  readonly metrics: OperatorMetrics | undefined;
}

export function createOperations({
  metrics,
  runtime = createSystemRuntime(),
}: ManagerOptions | MultiClusterOptions): Operations {
  return { metrics: metrics && new OperatorMetrics(runtime, metrics.custom) };
}

/** The manager with its operations: they start before it and end after it. */
export function operated(core: CoreManager, { metrics }: Operations): Manager {
  const stopping = new AbortController();
  let stopped: Promise<void> | undefined;
  const manager: Manager = {
    ...core,
    async start() {
      const starting = core.start();
      metrics?.start();
      await starting;
    },
    stop() {
      stopping.abort();
      stopped ??= core.stop().finally(() => metrics?.stop());
      return stopped;
    },
    run: (given) => runUntilAsked(manager, given, stopping.signal),
    metrics: () => metrics?.text() ?? "",
  };
  return manager;
}
