// One run: a server, an operator whose processes may die, a workload, and the end state. Everything
// begins anew with each run.
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { installDefinitions, type ObjectState } from "homeostat";
import { type Client, createClient } from "homeostat/client";
import type { ProcessRuntime } from "../time/process-runtime.ts";
import { Agenda } from "../faults/agenda.ts";
import { downMs, lateMs } from "../faults/deed.ts";
import { type Accomplices, Interfering } from "../faults/interfere.ts";
import type { Interference } from "../wire/interference.ts";
import { Ledger } from "./ledger.ts";
import { operatorName, userAgent } from "./actors.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { Plan } from "./plan.ts";
import type { Externals, SimulationSetup } from "./simulation-setup.ts";
import { World } from "./world.ts";

/** The agent of the operator's requests, by which the server knows them. */
const agent = "simulated-operator";

/** One run, while it goes on. */
export class Simulation {
  readonly world: World;
  readonly ledger = new Ledger();
  readonly processes: OperatorProcess[] = [];
  readonly server: ApiServer;
  readonly agenda: Agenda;
  readonly #setup: SimulationSetup;
  /** The fakes of external systems. */
  readonly externals: Externals;
  #startError: unknown;
  #since = "0";
  /** Deeds that are not over: a process that is down, a watch that is late. */
  #pending = 0;

  private constructor(world: World, server: ApiServer, setup: SimulationSetup, plan: Plan) {
    this.world = world;
    this.server = server;
    this.#setup = setup;
    this.agenda = new Agenda(plan.deeds);
    this.externals = setup.externals?.() ?? {};
  }

  /** Starts a server with the definitions; drive the world meanwhile. */
  static async open(setup: SimulationSetup, plan: Plan): Promise<Simulation> {
    const world = new World(plan);
    try {
      const server = await openServer(world, setup);
      const simulation = new Simulation(world, server, setup, plan);
      const { resources = [] } = setup;
      if (resources.length > 0)
        await world.drive(installDefinitions(simulation.observer(), resources));
      return simulation;
    } catch (error) {
      world.close();
      throw error;
    }
  }

  /** A client that leaves no trace. */
  observer(): Client {
    return this.world.observe(this.server.transport());
  }

  /** The client of the workload, as of a user with kubectl. */
  user(runtime: ProcessRuntime): Client {
    const of = { process: "user", runtime, interference: harmless };
    const transport = this.world.connect(this.server.transport(), of);
    return createClient({
      transport,
      runtime,
      fieldManager: userAgent,
      userAgent,
    });
  }

  /** Starts the operator's first process; `since` is the revision before anybody does anything. */
  startOperator(since: string): void {
    this.#since = since;
    this.#start();
  }

  get living(): readonly OperatorProcess[] {
    return this.processes.filter(({ isAlive }) => isAlive);
  }

  /** Ends everything; drive the world meanwhile. */
  async close(): Promise<void> {
    for (const one of this.processes) one.kill();
    try {
      await this.world.drive(this.server.close());
    } finally {
      this.world.close();
    }
  }

  /** What no process of the operator is done with. */
  unsettled(): readonly ObjectState[] {
    return this.living.flatMap(({ manager }) =>
      manager
        .states()
        .filter(
          ({ progress, loop }) =>
            loop !== undefined || progress.at === "running" || isFailing(progress),
        ),
    );
  }

  /** Nothing is queued, running, failing, late or down. */
  isSettled(): boolean {
    if (this.#startError !== undefined) throw this.#startError;
    return (
      this.#pending === 0 &&
      this.living.length > 0 &&
      this.living.every(
        ({ hasStarted, manager, inFlight }) => hasStarted && manager.isIdle() && inFlight === 0,
      ) &&
      this.unsettled().length === 0
    );
  }

  #start(isLate?: Promise<void>): OperatorProcess {
    const { world, server, ledger } = this;
    const { operator, controllers } = this.#setup;
    const name = operatorName(this.processes.length + 1);
    const interference = new Interfering({
      process: name,
      ledger,
      agenda: this.agenda,
      isLate,
      since: this.#since,
      accomplices: this.#accomplices(() => started),
    });
    const started: OperatorProcess = new OperatorProcess({
      world,
      name,
      operator,
      agent,
      server: server.transport(),
      controllers: (externals) => controllers(externals),
      externals: this.externals,
      interference,
      failed: (error) => void (this.#startError = error),
    });
    this.processes.push(started);
    world.trace.add(world.time.elapsed, name, "starts");
    started.start();
    return started;
  }

  #accomplices(process: () => OperatorProcess): Accomplices {
    const { world } = this;
    const kill = (): void => {
      world.trace.add(world.time.elapsed, process().name, "is killed");
      process().kill();
    };
    return {
      now: () => world.time.elapsed,
      crash: () => {
        kill();
        this.#later(downMs, () => this.#start());
      },
      killForGood: kill,
      rival: () => {
        this.#start();
        return this.#after(lateMs);
      },
      late: () => this.#after(lateMs),
      setClockBy: (ms) => process().runtime.setWallBy(ms),
      travelBackTo: (resourceVersion) => {
        kill();
        const on = { userAgent: agent };
        const { id } = this.server.faults!.add({ on, effect: { type: "stale", resourceVersion } });
        this.#later(downMs, () => {
          const isLate = this.#after(lateMs);
          this.#start(isLate);
          void isLate.then(() => this.server.faults!.remove(id));
        });
      },
    };
  }

  /** What cannot be started again is said at the next look, as nobody waits for it. */
  #later(ms: number, start: () => void): void {
    this.#after(ms)
      .then(start)
      .catch((error: unknown) => void (this.#startError = error));
  }

  /** Resolves after virtual ms; until then nothing is settled. */
  #after(ms: number): Promise<void> {
    this.#pending++;
    return new Promise((resolve) => {
      this.world.time.timer(ms, () => {
        this.#pending--;
        resolve();
      });
    });
  }
}

async function openServer(
  world: World,
  { controlPlane, fakeNodes, stages }: SimulationSetup,
): Promise<ApiServer> {
  const opening = startApiServer({
    listen: false,
    runtime: world.createRuntime(),
    // The operator is the administrator: roles would only have to be made in each run.
    authorizationModes: ["AlwaysAllow"],
    faults: "in-process",
    compactionIntervalMs: 0,
    controllers: controlPlane ?? "default",
    ...(fakeNodes === undefined ? {} : { fakeNodes }),
    ...(stages === undefined ? {} : { stages }),
    warn: () => {},
  });
  return world.drive(opening);
}

const isFailing = (progress: ObjectState["progress"]): boolean =>
  progress.at === "retrying" && progress.failures > 0;

const harmless: Interference = {
  request: () => "send",
  answer: () => "deliver",
  event: () => "deliver",
};
