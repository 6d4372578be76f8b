// An operator as a simulated process: a manager with a runtime, a connection and a memory of its
// own, which ends as by SIGKILL.
import { type Controller, createManager, type Manager, type ReconcileLog } from "homeostat";
import { type Client, createClient } from "homeostat/client";
import type { Transport } from "homeostat/api";
import type { ProcessRuntime } from "../time/process-runtime.ts";
import type { Interference } from "../wire/interference.ts";
import type { SimulatedTransport } from "../wire/simulated-transport.ts";
import { reachExternal } from "../wire/simulated-external.ts";
import type { Externals } from "./simulation-setup.ts";
import type { World } from "./world.ts";

/** What a process runs. */
export interface OperatorOptions {
  readonly world: World;
  /** Of this process, in the trace: `operator-2`. */
  readonly name: string;
  /** In field managers and finalizers. */
  readonly operator: string;
  /** The user agent of its requests. */
  readonly agent: string;
  readonly server: Transport;
  controllers(externals: Externals): readonly Controller[];
  /** The fakes of external systems. */
  readonly externals: Externals;
  readonly interference: Interference;
  /** The start has failed. */
  failed(error: unknown): void;
}

/** One process. */
export class OperatorProcess {
  readonly name: string;
  readonly manager: Manager;
  readonly runtime: ProcessRuntime;
  readonly logs: string[] = [];
  readonly #world: World;
  readonly #transport: SimulatedTransport;
  readonly #client: Client;
  readonly #failed: (error: unknown) => void;
  isAlive = true;
  /** Its caches have synced. */
  hasStarted = false;

  constructor(options: OperatorOptions) {
    const { world, name, operator, agent, server, interference, failed } = options;
    this.#world = world;
    this.name = name;
    this.#failed = failed;
    this.runtime = world.createAmbientRuntime();
    this.#transport = world.connect(server, {
      process: name,
      runtime: this.runtime,
      interference,
    });
    this.#client = createClient({
      transport: this.#transport,
      runtime: this.runtime,
      fieldManager: operator,
      userAgent: agent,
    });
    this.manager = createManager({
      operator,
      controllers: world.ambient.run(this.runtime, () => options.controllers(this.#reach(options))),
      client: this.#client,
      runtime: this.runtime,
      log: this.#log(),
      reports: { metadata: true },
      // The process before it has been killed, and has not said good-bye.
      allowReplicas: true,
    });
  }

  /** The external systems as this process sees them. */
  #reach({ world, name, externals, interference }: OperatorOptions): Externals {
    const way = {
      process: name,
      lanes: world.lanes,
      interference,
      within: (code: () => void): void => world.ambient.run(this.runtime, code),
      isAlive: () => this.isAlive,
    };
    return Object.fromEntries(
      Object.entries(externals).map(([external, fake]) => [
        external,
        reachExternal({ ...way, name: external, fake }),
      ]),
    );
  }

  start(): void {
    const start = (): Promise<void> => this.manager.start();
    this.#world.ambient.run(this.runtime, start).then(
      () => void (this.hasStarted = true),
      (error: unknown) => {
        if (this.isAlive) this.#failed(error);
      },
    );
  }

  kill(): void {
    this.isAlive = false;
    this.runtime.kill();
    this.#transport.kill();
  }

  /** Requests without an answer. */
  get inFlight(): number {
    return this.#transport.inFlight;
  }

  #log(): ReconcileLog {
    const line = (level: string) => (message: string) =>
      void this.logs.push(`${level}: ${message}`);
    return { debug: () => {}, info: line("info"), warn: line("warn"), error: line("error") };
  }
}
