// Reports an event loop that is blocked: all code of a process shares one loop, so a function that
// computes for seconds holds up every controller, probe and lease, and nothing of the process can
// say so but another thread. The loop beats in shared memory, and writes there whose reconcile
// runs.
import type { Worker } from "node:worker_threads";
import type { Attempt, AttemptObserver } from "../../controller/run/attempt-observer.ts";
import type { Clock, Timer } from "../../runtime/clock.ts";
import { describeError } from "../../util/describe-error.ts";
import { guardLog, type Log } from "../../util/guard-log.ts";
import { createLog, silentLog } from "../log/create-log.ts";
import { places, SharedHeartbeat, slots, textBytes, textsAt } from "./shared-heartbeat.ts";
import { watchLoop, type WatchLoopData } from "./watch-loop.ts";

const beatMs = 100;

/** Blocks that are kept. */
const mostKept = 10;

/** One time that the loop was blocked. */
export interface Block {
  /** Wall time in ms of its end. */
  readonly at: number;
  readonly ms: number;
  /** e.g. `in the reconcile of orders shop/a`; "" when no reconcile ran. */
  readonly where: string;
}

/** How often the loop was blocked since the start. */
export interface Blocks {
  readonly times: number;
  readonly longestMs: number;
  /** The latest, the oldest first. */
  readonly last: readonly Block[];
}

/** What a watchdog needs. */
export interface WatchdogSettings {
  readonly clock: Clock;
  readonly afterMs: number;
  /** Default: as a manager's. */
  readonly log: Log | undefined;
}

export class Watchdog {
  readonly #settings: WatchdogSettings;
  readonly #heart = new SharedHeartbeat();
  #log: Log = silentLog;
  #worker: Worker | undefined;
  #beating: Timer | undefined;
  #unmarking: Timer | undefined;
  #beatAt = 0;
  #seen = 0;
  #blocks: Blocks = { times: 0, longestMs: 0, last: [] };

  constructor(settings: WatchdogSettings) {
    this.#settings = settings;
  }

  /** Starts the thread, which keeps no process alive. Without it there is a line in the log. */
  async open(): Promise<void> {
    const { afterMs, log: given } = this.#settings;
    const log = guardLog(given ?? (await createLog()));
    this.#log = log;
    const failed = (error: unknown): void =>
      log.warn(`there is no watchdog of the event loop: ${describeError(error)}`, { error });
    const { memory } = this.#heart;
    const layout = { places, slots, textBytes, textsAt };
    const workerData: WatchLoopData = { memory, afterMs, everyMs: afterMs / 10, layout };
    this.#beat();
    try {
      const { Worker: Thread } = await import("node:worker_threads");
      this.#worker = new Thread(`(${watchLoop.toString()})()`, {
        eval: true,
        name: "homeostat-watchdog",
        workerData,
        env: {},
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
      });
      this.#worker.on("error", failed);
      this.#worker.unref();
    } catch (error) {
      failed(error);
    }
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    this.#beating?.cancel();
    this.#unmarking?.cancel();
    this.#heart.stop();
    await this.#worker?.terminate();
  }

  blocks(): Blocks {
    return this.#blocks;
  }

  /** Notes whose code runs, for a controller of this name. */
  controller(name: string, cluster: string | undefined): AttemptObserver {
    const where = cluster === undefined ? "" : ` of cluster ${cluster}`;
    return { begin: ({ key }) => this.#begin(`${name} ${key}${where}`) };
  }

  #begin(title: string): Attempt {
    const slot = this.#heart.begin(title);
    this.#unmarkSoon();
    const goOn = (): void => {
      this.#heart.mark(slot);
      this.#unmarkSoon();
    };
    let hasEnded = false;
    return {
      stepped: () => void (hasEnded || goOn()),
      answered: () => void (hasEnded || goOn()),
      wrote() {},
      ended: () => {
        hasEnded = true;
        this.#heart.end(slot);
      },
    };
  }

  /** Other code runs in a moment, of which nothing is known. */
  #unmarkSoon(): void {
    this.#unmarking ??= this.#settings.clock.timer(0, () => {
      this.#unmarking = undefined;
      this.#heart.mark(undefined);
    });
  }

  #beat(): void {
    const { clock } = this.#settings;
    const now = clock.monotonic();
    if (this.#heart.seen !== this.#seen) this.#wasBlocked(now - this.#beatAt);
    this.#beatAt = now;
    this.#heart.beat();
    this.#beating = clock.timer(beatMs, () => this.#beat());
  }

  #wasBlocked(ms: number): void {
    const { clock } = this.#settings;
    this.#seen = this.#heart.seen;
    const what = this.#heart.said;
    this.#log.warn(`the event loop was blocked for ${Math.round(ms / 100) / 10} s${what}`);
    const { times, longestMs, last } = this.#blocks;
    const block = { at: clock.now(), ms, where: what.replace(/^, /, "") };
    this.#blocks = {
      times: times + 1,
      longestMs: Math.max(longestMs, ms),
      last: [...last, block].slice(-mostKept),
    };
  }
}
