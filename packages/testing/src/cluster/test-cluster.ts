// A cluster for one test: an API server in this process, with definitions installed and controllers
// running. Uses no file, and no socket but for webhooks; any number can run side by side.
import type { ApiServer } from "@homeostat/apiserver";
import {
  HomeostatError,
  installDefinitions,
  type Kind,
  type Manager,
  type ObjectOf,
  type ObjectState,
} from "homeostat";
import type { Client } from "homeostat/client";
import { createTestClock, type TestClock } from "../clock/test-clock.ts";
import { Disturbances, type TestCache } from "../faults/disturbances.ts";
import type { TestFaults } from "../faults/test-fault.ts";
import type { Activity } from "../traffic/until-idle.ts";
import { describeState } from "./describe-state.ts";
import { openEmbedded } from "./embedded-place.ts";
import { eventually } from "./eventually.ts";
import { createKeepAlive, type KeepAlive, keepAliveBy } from "./keep-alive.ts";
import { placeOf, warnOfOpen } from "./opened-at.ts";
import { embeddedOnly, openReal, realKubeconfig } from "./real-place.ts";
import { createOperatorProcess, type OperatorProcess, startProcess } from "./operator-process.ts";
import type { Place } from "./place.ts";
import { refuseBreaches } from "./refuse-breaches.ts";
import { refuseFailures } from "./refuse-failures.ts";
import { settle, type SettleOptions } from "./settle.ts";
import type { TestClusterOptions } from "./test-cluster-options.ts";
import { assertOptions } from "./validate-options.ts";

/** A running test cluster. Declare it with `await using`, or close it. */
export interface TestCluster extends AsyncDisposable {
  /** The test's own client, which no fault hits. */
  readonly client: Client;
  /** The embedded server. @throws ERR_TEST_REAL_CLUSTER where there is none */
  readonly server: ApiServer;
  /** The manager of the controllers; undefined without controllers, and after `kill`. */
  readonly manager: Manager | undefined;
  /** The time of the cluster, which a test can advance. */
  readonly clock: TestClock;
  /** Makes requests of the controllers fail. */
  readonly faults: TestFaults;
  /** What the controllers cache of a kind. */
  cache(kind: Kind): TestCache;
  /**
   * Ends the controllers as SIGKILL does: their requests have no answer any more, their timers do
   * not run, and no `catch` or `finally` of theirs learns of it. What waits for something else,
   * such as a `fetch`, goes on. @throws ERR_TEST_PROCESS
   */
  kill(): void;
  /**
   * Starts the controllers again with empty caches, as a new process would; those that run are
   * stopped before, as by SIGTERM. @throws ERR_TEST_PROCESS
   */
  restart(): Promise<void>;
  /** Cuts the controllers off from the server, until `heal`: open requests break, new ones fail. */
  partition(): void;
  heal(): void;
  /** The state of every object with its controller. */
  states(): readonly ObjectState[];
  /**
   * Resolves when nothing is left to do: no request is without an answer, no event is under way, no
   * timer is due, and no object is queued, running, in a loop with itself, or due for a retry
   * within `horizonMs` (default 1 s). @throws ERR_TEST_NOT_SETTLED
   * naming the busy objects after `timeoutMs` (default 10 s), ERR_TEST_FAILING naming the objects
   * whose reconcile goes on failing, ERR_TEST_BREACH when a controller depends on something that it
   * does not declare, or drops a result.
   */
  settle(options?: SettleOptions): Promise<void>;
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

/**
 * Starts a cluster in this process, or takes a namespace of the real one whose kubeconfig
 * HOMEOSTAT_TEST_KUBECONFIG names. @throws ERR_TEST_OPTION, ERR_TEST_REAL_CLUSTER or a ServerError
 */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  assertOptions(options);
  const opened = placeOf(testCluster);
  const real = realKubeconfig();
  const place = real === undefined ? await openEmbedded(options) : await openReal(real, options);
  const keepAlive = createKeepAlive((idleMs) => warnOfOpen(opened, idleMs));
  const running = new RunningCluster(options, place);
  const close = async (): Promise<void> => {
    await running.close();
    keepAlive.stop();
    running.refuse("closing a test cluster");
  };
  try {
    await running.start();
  } catch (error) {
    await close();
    throw error;
  }
  const client = keepAliveBy(running.client, keepAlive);
  return toCluster(running, { client, close, during: (work) => keepAlive.during(work) });
}

/** What runs, behind the public handle. */
class RunningCluster {
  readonly options: TestClusterOptions;
  readonly place: Place;
  readonly client: Client;
  readonly disturbances = new Disturbances();
  readonly clock: TestClock;
  readonly refuse: (during: string) => void;
  readonly activity: Activity;
  isClosed = false;
  #closing: Promise<void> | undefined;
  #process: OperatorProcess | undefined;
  /** Of all processes, those that ended included. */
  readonly #managers: Manager[] = [];

  constructor(options: TestClusterOptions, place: Place) {
    this.options = options;
    this.place = place;
    const { runtime, traffic } = place;
    this.client = place.client({ runtime, operator: options.operator ?? "test" });
    this.activity = { traffic, atWork: () => this.#atWork() };
    this.refuse = refuseBreaches(() =>
      options.breaches === "report" ? [] : this.#managers.flatMap((one) => one.breaches()),
    );
    this.clock = place.jumping
      ? createTestClock({
          runtime: place.jumping,
          activity: this.activity,
          restless: () => this.#restless(),
          isClosed: () => this.isClosed,
        })
      : realClock(runtime);
  }

  get manager(): Manager | undefined {
    return this.#process?.manager;
  }

  states(): readonly ObjectState[] {
    return this.manager?.states() ?? [];
  }

  /** Lines for messages. */
  disturbed(): readonly string[] {
    const isDown = this.#managers.length > 0 && this.#process === undefined;
    const lines = [
      ...this.disturbances.active(),
      ...(isDown ? ["the controllers are killed"] : []),
    ];
    return lines.map((line) => `  the test disturbs: ${line}`);
  }

  async start(): Promise<void> {
    const { options, place } = this;
    const first = this.#create();
    if (options.resources?.length)
      await installDefinitions(this.client, options.resources, { runtime: place.runtime });
    if (first) await startProcess(first, place);
  }

  kill(): void {
    const killed = this.#process;
    this.#refuseWithoutControllers("killing");
    if (this.options.webhooks)
      throw processError("killing", "they serve webhooks, whose port would stay open", "`restart`");
    this.#process = undefined;
    killed?.kill();
  }

  async restart(): Promise<void> {
    this.#refuseWithoutControllers("restarting");
    const before = this.#process;
    this.#process = undefined;
    await before?.stop();
    const next = this.#create();
    if (next) await startProcess(next, this.place);
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.isClosed = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.disturbances.clear();
    await this.#process?.stop();
    await this.client.close();
    await this.place.close();
  }

  #create(): OperatorProcess | undefined {
    const made = createOperatorProcess(this.options, this.place, this.disturbances);
    this.#process = made;
    if (made) this.#managers.push(made.manager);
    return made;
  }

  #refuseWithoutControllers(what: string): void {
    if (this.#managers.length === 0) throw processError(what, "there are none", "`controllers`");
    if (this.isClosed) throw processError(what, "the cluster has been closed", "an open cluster");
  }

  #atWork(): readonly string[] {
    const { manager } = this;
    if (!manager || manager.isIdle()) return [];
    const running = manager.states().filter(({ progress }) => progress.at === "running");
    return running.length === 0
      ? ["queue"]
      : running.map(({ controller, key, since }) => `${controller} ${key} ${since}`);
  }

  #restless(): readonly string[] {
    const now = this.place.runtime.clock.now();
    return this.states()
      .filter(({ progress, loop }) => loop !== undefined || progress.at === "retrying")
      .map((state) => describeState(state, now));
  }
}

function toCluster(
  running: RunningCluster,
  { client, close, during }: Pick<TestCluster, "client" | "close"> & Pick<KeepAlive, "during">,
): TestCluster {
  const { options, place } = running;
  const seen = {
    nowMs: () => place.runtime.clock.now(),
    states: () => running.states(),
    disturbed: () => running.disturbed(),
    pause: () => place.pause(),
  };
  return {
    client,
    get server() {
      if (!place.server) throw embeddedOnly("the server of a test cluster");
      return place.server;
    },
    get manager() {
      return running.manager;
    },
    clock: {
      now: () => running.clock.now(),
      advance: (...skipped) => during(() => running.clock.advance(...skipped)),
    },
    ...disturbersOf(running),
    states: seen.states,
    async settle(limits) {
      await settle(
        {
          ...seen,
          activity: running.activity,
          manager: () => running.manager,
          isDue: () => place.jumping?.isDue() === true,
          looks: place.looks,
        },
        limits,
      );
      if (options.failures !== "report") refuseFailures(running.manager);
      running.refuse("settling");
    },
    eventually: (kind, name, test, where) =>
      eventually({ ...seen, client }, { kind, name, ...where }, test),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What disturbs the controllers. */
function disturbersOf(
  running: RunningCluster,
): Pick<TestCluster, "faults" | "cache" | "kill" | "restart" | "partition" | "heal"> {
  const { disturbances } = running;
  return {
    faults: disturbances.faults,
    cache: (kind) => disturbances.cache(kind),
    kill: () => running.kill(),
    restart: () => running.restart(),
    partition: () => disturbances.partition(),
    heal: () => disturbances.heal(),
  };
}

const realClock = ({ clock }: Place["runtime"]): TestClock => ({
  now: () => clock.now(),
  advance: () => Promise.reject(embeddedOnly("advancing the clock")),
});

const processError = (what: string, problem: string, use: string): HomeostatError =>
  new HomeostatError("ERR_TEST_PROCESS", `${what} the controllers of a test cluster: ${problem}`, {
    hint: `use ${use}`,
  });
