// One process of the controllers of a test cluster: a client, a manager and a life that a test can
// end. Several follow each other when a test restarts it.
import { createManager, type Manager, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import type { Disturbances } from "../faults/disturbances.ts";
import { Life } from "./mortal.ts";
import type { Place } from "./place.ts";
import { startManager } from "./start-manager.ts";
import type { TestClusterOptions } from "./test-cluster-options.ts";

/** A process of controllers. */
export interface OperatorProcess {
  readonly manager: Manager;
  /** Ends it as SIGKILL does. */
  kill(): void;
  /** Ends it as SIGTERM does. */
  stop(): Promise<void>;
}

/** Any port. */
const loopback = { url: "https://127.0.0.1", port: 0 } as const;

/** Time for running reconciles at close before their signals abort. */
const drainMs = 500;

/** Makes a process, which does nothing before its manager starts; undefined without controllers. */
export function createOperatorProcess(
  { controllers, webhooks, operator = "test", log = silentLog }: TestClusterOptions,
  place: Place,
  disturbances: Disturbances,
): OperatorProcess | undefined {
  if (!controllers?.length) return undefined;
  const life = new Life();
  const runtime = life.runtime(place.runtime);
  const client: Client = place.client({
    wrap: (transport) => life.transport(disturbances.through(transport)),
    runtime,
    operator,
  });
  const manager = createManager({
    operator,
    client,
    runtime,
    controllers,
    ...(place.namespace === undefined ? {} : { namespace: place.namespace, allowReplicas: true }),
    ...(webhooks ? { webhooks: { serve: webhooks(client), ...loopback } } : {}),
    log,
    reports: { metadata: true },
    shutdownTimeoutMs: drainMs,
  });
  return {
    manager,
    kill: () => life.end(),
    stop: () => stopManager(manager, place.runtime.clock),
  };
}

/** Starts the manager of a process. @throws ERR_TEST_OPTION for kinds that are not served */
export const startProcess = ({ manager }: OperatorProcess, place: Place): Promise<void> =>
  startManager(manager, () => place.pause());

/** Stops the manager and warns of reconciles that keep running, beside later tests. */
async function stopManager(manager: Manager, clock: { now(): number }): Promise<void> {
  const closing = clock.now();
  await manager.stop();
  const hung = manager
    .states()
    .filter(
      ({ progress, since }) =>
        progress.at === "running" || (progress.at === "stalled" && since >= closing),
    );
  if (hung.length === 0) return;
  const names = hung
    .map(({ kind, key, controller }) => `${kind} ${key} (${controller})`)
    .join(", ");
  process.emitWarning(
    `closing a test cluster: these reconciles ignored their signal: ${names}; pass the context's signal on to what they wait for`,
    { type: "HomeostatWarning" },
  );
}
