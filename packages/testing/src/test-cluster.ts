// A cluster for one test: a real API server in this process, the definitions installed, the
// controllers at work. No socket and no file; several can live side by side.
import { type ApiServer, type ApiServerOptions, startApiServer } from "@homeostat/apiserver";
import {
  type Controller,
  createManager,
  HomeostatError,
  installDefinitions,
  type Kind,
  type Manager,
  type ObjectState,
  silentLog,
  type ReconcileLog,
  type ResourceDefinition,
} from "homeostat";
import { type Client, createClient } from "homeostat/client";

/** What a test cluster holds. */
export interface TestClusterOptions {
  /** Resources to install before the controllers start. */
  readonly resources?: readonly { readonly definition: ResourceDefinition }[];
  readonly controllers?: readonly Controller[];
  /** The operator's name in field managers; default `test`. */
  readonly operator?: string;
  /**
   * Simulated controllers of the control plane, as `--controllers` words them; default `default`.
   */
  readonly controlPlane?: NonNullable<ApiServerOptions["controllers"]>;
  /** Makes so many nodes, behind which nothing is, and lets pods live on them. */
  readonly fakeNodes?: number;
  /**
   * What becomes of pods, nodes and other objects, and when, beside what becomes of pods by
   * themselves.
   */
  readonly stages?: NonNullable<ApiServerOptions["stages"]>;
  /** Default: silent. */
  readonly log?: ReconcileLog;
}

/** A running test cluster. Use with `await using`, or close it. */
export interface TestCluster extends AsyncDisposable {
  readonly client: Client;
  readonly server: ApiServer;
  /** The manager of the controllers given; undefined when there are none. */
  readonly manager: Manager | undefined;
  /** Where every object stands with its controller. */
  states(): readonly ObjectState[];
  /**
   * Resolves when no controller has anything to do: nothing ready, nothing running, nothing to be
   * tried again within `horizonMs` (default 1 s), nothing in a loop with itself. @throws
   * ERR_TEST_NOT_SETTLED naming what is still moving after `timeoutMs` (default 10 s).
   */
  settle(options?: { readonly timeoutMs?: number; readonly horizonMs?: number }): Promise<void>;
  /**
   * Reads until `test` holds and resolves to the object; a `test` that throws does not hold yet.
   * @throws ERR_TEST_NEVER with the last state seen and what `test` threw last.
   */
  eventually<K extends Kind>(
    kind: K,
    name: string,
    test: (object: K["~types"]["object"]) => boolean,
    options?: { readonly namespace?: string; readonly timeoutMs?: number },
  ): Promise<K["~types"]["object"]>;
  /**
   * Stops everything within a second; idempotent. A process warning names the reconciles that did
   * not end when their signals aborted.
   */
  close(): Promise<void>;
}

const pollMs = 5;
/**
 * Looks in a row that must find nothing to do: a watch event may be on its way between two of them.
 */
const quietLooks = 4;

/** How long reconciles may go on at close before their signals abort. */
const drainMs = 500;

/** Starts a cluster in this process. */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const operator = options.operator ?? "test";
  const { controlPlane, fakeNodes, stages } = options;
  const server = await startApiServer({
    listen: false,
    ...(controlPlane === undefined ? {} : { controllers: controlPlane }),
    ...(fakeNodes === undefined ? {} : { fakeNodes }),
    ...(stages === undefined ? {} : { stages }),
  });
  const client = createClient({
    transport: server.transport(),
    fieldManager: operator,
    userAgent: operator,
  });
  const manager = options.controllers?.length
    ? createManager({
        operator,
        controllers: options.controllers,
        client,
        log: options.log ?? silentLog,
        shutdownTimeoutMs: drainMs,
      })
    : undefined;
  const close = async (): Promise<void> => {
    if (manager) await stopManager(manager);
    await client.close();
    await server.close();
  };
  try {
    if (options.resources?.length) await installDefinitions(client, options.resources);
    await manager?.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    client,
    server,
    manager,
    states: () => manager?.states() ?? [],
    settle: (how) => settle(manager, how),
    eventually: (kind, name, test, how) => eventually(client, kind, name, test, how),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Stops it and warns of what was left behind: it still runs, in the tests that come after. */
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
    `closing a test cluster: these reconciles did not end when they were asked to: ${names}; pass the context's signal on to whatever they wait for`,
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
  for (let quiet = 0; manager && quiet < quietLooks;) {
    const moving = movingStates(manager, horizonMs);
    quiet = manager.isIdle() && moving.length === 0 ? quiet + 1 : 0;
    if (performance.now() > end)
      throw new HomeostatError(
        "ERR_TEST_NOT_SETTLED",
        `the controllers did not settle within ${timeoutMs} ms:\n${moving.map(describe).join("\n") || "  the queue is never empty"}`,
        {
          hint: "a reconcile that writes something else each time never settles; an object that retries is named above",
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
  return `  ${kind} ${key} (${controller}): ${loop ? `it keeps waking itself, writing ${loop.join(", ")} each time; ` : ""}${JSON.stringify(progress)}`;
}

async function eventually<K extends Kind>(
  client: Client,
  kind: K,
  name: string,
  test: (object: K["~types"]["object"]) => boolean,
  {
    namespace,
    timeoutMs = 10_000,
  }: { readonly namespace?: string; readonly timeoutMs?: number } = {},
): Promise<K["~types"]["object"]> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const object = await client.find(kind, namespace === undefined ? name : { name, namespace });
    const outcome = attempt(object, test);
    if (object !== undefined && outcome.held) return object;
    if (performance.now() > end)
      throw new HomeostatError(
        "ERR_TEST_NEVER",
        `${kind.kind} ${name}: the condition did not hold within ${timeoutMs} ms; it is ${object === undefined ? "not there" : JSON.stringify(object)}${outcome.threw === undefined ? "" : `; the condition threw: ${outcome.threw.message}`}`,
        { hint: "see the states of the controllers: cluster.states()", cause: outcome.threw },
      );
    await pause();
  }
}

/** A condition that throws does not hold yet: what it reads may come later. */
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
