// A cluster for one test: an API server in this process, with definitions installed and controllers
// running. Uses no file, and no socket but for webhooks; any number can run side by side.
import { pathToFileURL } from "node:url";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import {
  createManager,
  HomeostatError,
  installDefinitions,
  type Kind,
  type Manager,
  type ManagerOptions,
  type ObjectOf,
  type ObjectState,
  silentLog,
} from "homeostat";
import { type Client, createClient } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import { createKeepAlive, createUnheldRuntime, keepAliveBy } from "./keep-alive.ts";
import { refuseBreaches } from "./refuse-breaches.ts";
import { refuseFailures } from "./refuse-failures.ts";
import { startManager } from "./start-manager.ts";
import type { TestClusterOptions } from "./test-cluster-options.ts";
import { assertOptions, toClusterError } from "./validate-options.ts";

/** A running test cluster. Declare it with `await using`, or close it. */
export interface TestCluster extends AsyncDisposable {
  readonly client: Client;
  readonly server: ApiServer;
  /** The manager of the controllers; undefined without controllers. */
  readonly manager: Manager | undefined;
  /** The state of every object with its controller. */
  states(): readonly ObjectState[];
  /**
   * Resolves when no controller has anything to do: no object is queued, running, in a loop with
   * itself, or due for a retry within `horizonMs` (default 1 s). @throws ERR_TEST_NOT_SETTLED
   * naming the busy objects after `timeoutMs` (default 10 s), ERR_TEST_FAILING naming the objects
   * whose reconcile goes on failing, ERR_TEST_BREACH when a controller depends on something that it
   * does not declare, or drops a result.
   */
  settle(options?: { readonly timeoutMs?: number; readonly horizonMs?: number }): Promise<void>;
  /**
   * Reads the object until `test` returns true, and resolves to it; a `test` that throws counts as
   * false. @throws ERR_TEST_NEVER with the last object and the last error of `test`, after
   * `timeoutMs` (default 10 s).
   */
  eventually<K extends Kind>(
    kind: K,
    name: string,
    test: (object: ObjectOf<K>) => boolean,
    options?: { readonly namespace?: string; readonly timeoutMs?: number },
  ): Promise<ObjectOf<K>>;
  /**
   * Stops everything within a second; idempotent. A process warning names reconciles that ignored
   * their aborted signals; another one a cluster that is not closed, which keeps the process alive
   * for 5 s after the last use of its client. @throws ERR_TEST_BREACH, unless `settle` has
   */
  close(): Promise<void>;
}

const pollMs = 5;
/** Consecutive idle polls that count as settled: a watch event may arrive between two polls. */
const quietPolls = 4;

/** Any port. */
const loopback = { url: "https://127.0.0.1", port: 0 } as const;

/** Time for running reconciles at close before their signals abort. */
const drainMs = 500;

/** Starts a cluster in this process. @throws ERR_TEST_OPTION or a ServerError. */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  assertOptions(options);
  const operator = options.operator ?? "test";
  const opened = placeOf(testCluster);
  const runtime = createUnheldRuntime();
  const server = await startServer(options, runtime);
  const keepAlive = createKeepAlive((idleMs) => warnOfOpen(opened, idleMs));
  const client = createClient({
    transport: server.transport(),
    fieldManager: operator,
    userAgent: operator,
  });
  const closeServer = async (): Promise<void> => {
    await client.close();
    await server.close();
    keepAlive.stop();
  };
  const manager = await orClose(closeServer, () =>
    openManager(options, { operator, client, runtime }),
  );
  const refuse = refuseBreaches(options.breaches === "report" ? undefined : manager);
  const close = async (): Promise<void> => {
    if (manager) await stopManager(manager);
    await closeServer();
    refuse("closing a test cluster");
  };
  await orClose(close, async () => {
    if (options.resources?.length) await installDefinitions(client, options.resources);
    if (manager) await startManager(manager, pause);
  });
  const held = keepAliveBy(client, keepAlive);
  return {
    client: held,
    server,
    manager,
    states: () => manager?.states() ?? [],
    async settle(limits) {
      await settle(manager, limits);
      if (options.failures !== "report") refuseFailures(manager);
      refuse("settling");
    },
    eventually: (kind, name, test, where) =>
      eventually({ client: held, manager }, { kind, name, ...where }, test),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Runs `work`, and closes what is open if it fails. */
async function orClose<T>(close: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await close();
    throw error;
  }
}

function openManager(
  { controllers, webhooks, log = silentLog }: TestClusterOptions,
  connection: Pick<ManagerOptions, "operator"> & {
    readonly client: Client;
    readonly runtime: Runtime;
  },
): Manager | undefined {
  if (!controllers?.length) return undefined;
  return createManager({
    ...connection,
    controllers,
    ...(webhooks ? { webhooks: { serve: webhooks(connection.client), ...loopback } } : {}),
    log,
    reports: { metadata: true },
    shutdownTimeoutMs: drainMs,
  });
}

/** Where a test calls `called`, e.g. ` at src/order.test.ts:7:30`; "" where that is unknown. */
function placeOf(called: (...args: never[]) => unknown): string {
  const error = { stack: "" };
  Error.captureStackTrace(error, called);
  const frame = /\n {4}at (?:.*\()?(?:async )?(.*?)\)?(?:\n|$)/.exec(error.stack)?.[1];
  return frame === undefined
    ? ""
    : ` at ${frame.replace(`${pathToFileURL(process.cwd()).href}/`, "")}`;
}

function warnOfOpen(place: string, idleMs: number): void {
  process.emitWarning(
    `the test cluster opened${place} is not closed, and no test has used it for ${idleMs / 1000} s: it keeps the process alive no longer; declare it with \`await using\`, or close it when its tests have ended`,
    { type: "HomeostatWarning" },
  );
}

async function startServer(
  { controlPlane, fakeNodes, stages, audit }: TestClusterOptions,
  runtime: Runtime,
): Promise<ApiServer> {
  try {
    return await startApiServer({
      listen: false,
      runtime,
      ...(controlPlane === undefined ? {} : { controllers: controlPlane }),
      ...(fakeNodes === undefined ? {} : { fakeNodes }),
      ...(stages === undefined ? {} : { stages }),
      ...(audit === undefined ? {} : { audit }),
    });
  } catch (error) {
    throw toClusterError(error);
  }
}

/** Stops the manager and warns of reconciles that keep running, beside later tests. */
async function stopManager(manager: Manager): Promise<void> {
  const closing = Date.now();
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

async function settle(
  manager: Manager | undefined,
  {
    timeoutMs = 10_000,
    horizonMs = 1_000,
  }: { readonly timeoutMs?: number; readonly horizonMs?: number } = {},
): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (let quiet = 0; manager && quiet < quietPolls;) {
    const moving = movingStates(manager, horizonMs);
    quiet = manager.isIdle() && moving.length === 0 ? quiet + 1 : 0;
    if (performance.now() > end)
      throw new HomeostatError(
        "ERR_TEST_NOT_SETTLED",
        `the controllers did not settle within ${timeoutMs} ms:\n${moving.map(describe).join("\n") || "  the queue is never empty"}`,
        {
          hint: "a reconcile that writes a different value each time never settles",
        },
      );
    await pause();
  }
}

function movingStates(manager: Manager, horizonMs: number): readonly ObjectState[] {
  const soon = Date.now() + horizonMs;
  return manager
    .states()
    .filter(
      ({ progress, loop }) =>
        loop !== undefined ||
        progress.at === "running" ||
        (progress.at === "retrying" && progress.nextAt <= soon),
    );
}

function describe({ kind, key, controller, progress, loop }: ObjectState): string {
  return `  ${kind} ${key} (${controller}): ${loop ? `it keeps triggering itself, writing ${loop.join(", ") || "nothing"} each time; ` : ""}${JSON.stringify(progress)}`;
}

interface Expected<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  readonly namespace?: string;
  readonly timeoutMs?: number;
}

async function eventually<K extends Kind>(
  { client, manager }: { readonly client: Client; readonly manager: Manager | undefined },
  { kind, name, namespace, timeoutMs = 10_000 }: Expected<K>,
  test: (object: ObjectOf<K>) => boolean,
): Promise<ObjectOf<K>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const object = await client.find(kind, namespace === undefined ? name : { name, namespace });
    const outcome = attempt(object, test);
    if (object !== undefined && outcome.held) return object;
    if (performance.now() > end)
      throw neverError({ title: `${kind.kind} ${name}`, timeoutMs, object }, outcome, manager);
    await pause();
  }
}

function neverError(
  { title, timeoutMs, object }: { title: string; timeoutMs: number; object: unknown },
  { threw }: { readonly threw?: Error },
  manager: Manager | undefined,
): HomeostatError {
  const shown = JSON.stringify(object, (name, value: unknown) =>
    name === "managedFields" ? undefined : value,
  );
  const active = (manager?.states() ?? []).filter(({ progress }) => progress.at !== "done");
  const lines = [
    `${title}: the condition did not become true within ${timeoutMs} ms`,
    ...(threw === undefined ? [] : [`  the condition threw: ${threw.message}`]),
    `  the object ${object === undefined ? "does not exist" : `is ${shown}`}`,
    ...active.map(describe),
  ];
  return new HomeostatError("ERR_TEST_NEVER", lines.join("\n"), {
    hint:
      active.length === 0
        ? "a controller that is done with an object has no reason to change it: is what it reads declared?"
        : "see above what the controllers wait for, or fail with",
    cause: threw,
  });
}

/** A condition that throws counts as false: the fields that it reads may appear later. */
function attempt<O>(
  object: O | undefined,
  test: (object: O) => boolean,
): { readonly held: boolean; readonly threw?: Error } {
  try {
    return { held: object !== undefined && test(object) };
  } catch (error) {
    return { held: false, threw: error instanceof Error ? error : new Error(String(error)) };
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, pollMs));
