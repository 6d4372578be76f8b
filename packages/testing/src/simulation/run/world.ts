// A simulated world: one API server, processes that use it, one time. One thing happens at a time,
// and what happens next is decided here, so that a run can be repeated, cut anywhere, and varied.
import type { Client } from "homeostat/client";
import { createClient } from "homeostat/client";
import type { Transport } from "homeostat/api";
import { HomeostatError } from "homeostat";
import { AmbientTime } from "../time/ambient-time.ts";
import { type Chance, createChance } from "../time/chance.ts";
import { createProcessRuntime, type ProcessRuntime } from "../time/process-runtime.ts";
import { VirtualTime } from "../time/virtual-time.ts";
import type { Interference } from "../wire/interference.ts";
import { createSimulatedTransport, type SimulatedTransport } from "../wire/simulated-transport.ts";
import { activeResources, type ActiveResources, realMs, startedSince, turn } from "./event-loop.ts";
import { Lanes } from "./lanes.ts";
import { Trace } from "./trace.ts";

/** How a world is varied. */
export interface WorldOptions {
  readonly seed: number;
  /** What happens next among what can: the oldest, or any. */
  readonly order: "oldest" | "random";
}

/** Something that is awaited, checked whenever nothing can happen without time. */
interface Waiter {
  /** True when the wait is over. */
  check(): boolean;
  /** Virtual ms since the start at which it gives up. */
  readonly until: number;
  resolve(): void;
  reject(error: Error): void;
  late(): Error;
}

/** Real ms that work outside of the world may take. */
const outsideMs = 2000;

/** One world. */
export class World {
  readonly time = new VirtualTime();
  readonly trace = new Trace();
  readonly lanes = new Lanes();
  readonly ambient = new AmbientTime();
  readonly #seed: number;
  readonly #chance: Chance | undefined;
  readonly #waiters = new Set<Waiter>();
  readonly #outside: ActiveResources = activeResources();
  #processes = 0;

  constructor({ seed, order }: WorldOptions) {
    this.#seed = seed;
    this.#chance = order === "random" ? createChance(seed) : undefined;
  }

  /** A runtime of a process of its own; each has other random numbers. */
  createRuntime(): ProcessRuntime {
    return createProcessRuntime(this.time, this.#seed * 1009 + this.#processes++);
  }

  /** The same for code of the user's, which gets this time from Node as well. */
  createAmbientRuntime(): ProcessRuntime {
    const within = (runtime: ProcessRuntime, code: () => void): void =>
      this.ambient.run(runtime, code);
    return createProcessRuntime(this.time, this.#seed * 1009 + this.#processes++, within);
  }

  /** Puts back what of Node was replaced. */
  close(): void {
    this.ambient.close();
  }

  /** A connection of a process, whose requests happen one at a time. */
  connect(
    inner: Transport,
    of: {
      readonly process: string;
      readonly runtime: ProcessRuntime;
      readonly interference: Interference;
    },
  ): SimulatedTransport {
    const { process, runtime, interference } = of;
    const within = (code: () => void): void => this.ambient.run(runtime, code);
    return createSimulatedTransport({ inner, process, lanes: this.lanes, interference, within });
  }

  /** A client whose requests take no turns and leave no trace, to look at the world. */
  observe(transport: Transport): Client {
    return createClient({ transport, runtime: this.createRuntime(), userAgent: "observer" });
  }

  /**
   * Resolves when `check` returns true at a moment at which nothing can happen without time.
   * Rejects with `late()` after `withinMs` of virtual time.
   */
  until(check: () => boolean, withinMs: number, late: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const until = this.time.elapsed + withinMs;
      this.#waiters.add({ check, until, resolve, reject, late });
    });
  }

  /** Resolves after virtual ms. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.time.timer(ms, resolve));
  }

  /** Lets things happen until `work` has ended. @throws ERR_SIMULATION_STUCK */
  async drive<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    work.then(over, over);
    for (;;) {
      await turn();
      if (isOver) return work;
      const next = this.lanes.take(this.#chance);
      if (next !== undefined) {
        this.trace.add(this.time.elapsed, next.process, next.what);
        next.run();
      } else if ((await this.#isQuiet()) && !isOver) this.#pass();
    }
  }

  /** Nothing can happen without time; waits for work outside of the world. */
  async #isQuiet(): Promise<boolean> {
    let since: number | undefined;
    for (;;) {
      const [outside] = startedSince(this.#outside);
      if (outside === undefined) return true;
      since ??= realMs();
      // Real work outside takes its time, but not for ever.
      if (outside !== "Immediate" && realMs() - since > outsideMs) return true;
      await turn();
      if (this.lanes.size > 0) return false;
    }
  }

  /** Ends waits that are over, or else lets time pass until the next timer. */
  #pass(): void {
    let isAnyOver = false;
    for (const waiter of this.#waiters) {
      const isOver = waiter.check();
      if (!isOver && this.time.nextAt() <= waiter.until) continue;
      this.#waiters.delete(waiter);
      isAnyOver = true;
      if (isOver) waiter.resolve();
      else waiter.reject(waiter.late());
    }
    if (isAnyOver) return;
    if (this.time.nextAt() === Infinity) throw stuck();
    this.time.fire();
  }
}

const stuck = (): HomeostatError =>
  new HomeostatError(
    "ERR_SIMULATION_STUCK",
    "simulating: nothing can happen any more, and the scenario has not ended: it awaits something that the simulation does not know",
    { hint: "await only what the scenario was given: its client, its clock, its fakes" },
  );
