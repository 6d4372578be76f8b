// Drives the queue machine: one timer for the earliest delayed key, one list of waiting workers.
import type { Timer } from "../runtime/clock.ts";
import { Fifo } from "../util/fifo.ts";
import type { QueueItem, WorkQueue, WorkQueueOptions } from "./workqueue.ts";
import { WorkQueueMachine } from "./workqueue.machine.ts";
import { checkArgument } from "../util/call-options.ts";

interface Waiter {
  settled: boolean;
  settle(item: QueueItem | undefined): void;
}

/** Creates an empty queue. Defaults are client-go's: 5 ms to 1000 s per key. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  return new DrivenQueue(options);
}

class DrivenQueue implements WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #machine: WorkQueueMachine;
  readonly #waiters = new Fifo<Waiter>();
  #timer: Timer | undefined;
  #timerDue = Infinity;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: WorkQueueOptions) {
    checkArgument("createWorkQueue(…)", ["its argument", options], "an object");
    checkArgument("createWorkQueue(…)", ["runtime", options.runtime], "a runtime");
    this.#options = options;
    const { firstMs, maxMs } = options.backoff ?? { firstMs: 5, maxMs: 1_000_000 };
    this.#machine = new WorkQueueMachine({
      firstMs,
      maxMs,
      causesKept: options.causesKept ?? 8,
      idleKept: options.idleKept ?? 10_000,
      retryRate: options.retryRate,
      groupOf: options.groupOf,
    });
  }

  add: WorkQueue["add"] = (key, options = {}) => {
    if (options === null)
      checkArgument("queue.add(…)", ["its second argument", options], "an object");
    if (this.#machine.closed) return;
    this.#options.observer?.added?.(key, options.priority ?? 0);
    this.#machine.add(key, this.#now(), this.#wall(), options);
    this.#pump();
  };

  addRateLimited: WorkQueue["addRateLimited"] = (key, options = {}) => {
    if (options === null)
      checkArgument("queue.addRateLimited(…)", ["its second argument", options], "an object");
    this.#options.observer?.retried?.(key);
    const delay = this.#machine.addRateLimited(key, this.#now(), this.#wall(), options);
    this.#pump();
    return delay;
  };

  forget: WorkQueue["forget"] = (key) => this.#machine.forget(key);
  discard: WorkQueue["discard"] = (key) => this.#machine.discard(key);
  ignore: WorkQueue["ignore"] = (key, cause) => this.#machine.ignore(key, this.#wall(), cause);
  explain: WorkQueue["explain"] = (key) => this.#machine.explain(key, this.#now(), this.#wall());
  depth: WorkQueue["depth"] = () => this.#machine.depth();
  counts: WorkQueue["counts"] = () => this.#machine.counts();
  dirty: WorkQueue["dirty"] = () => this.#machine.dirty();
  unfinished: WorkQueue["unfinished"] = () => this.#machine.unfinished(this.#now());

  isIdle: WorkQueue["isIdle"] = () => {
    const { readyTotal, processing } = this.#machine.depth();
    return readyTotal === 0 && processing === 0;
  };

  get: WorkQueue["get"] = (signal) => {
    if (signal?.aborted) return Promise.resolve(undefined);
    const item = this.#take();
    if (item || this.#machine.closed) return Promise.resolve(item);
    return new Promise((resolve) => this.#waiters.push(createWaiter(resolve, signal)));
  };

  done: WorkQueue["done"] = (key) => {
    const workedMs = this.#machine.done(key, this.#now());
    if (workedMs !== undefined) this.#options.observer?.done?.(key, workedMs);
    this.#pump();
  };

  shutDown: WorkQueue["shutDown"] = () => {
    this.#machine.close();
    this.#drained ??= Promise.withResolvers();
    this.#pump();
    return this.#drained.promise;
  };

  /**
   * Hands ready keys to waiting workers and sets the timer; after a shutdown, releases all workers.
   */
  #pump(): void {
    this.#machine.tick(this.#now());
    while (this.#nextWaiter()) {
      const item = this.#take();
      if (!item) break;
      this.#waiters.shift()!.settle(item);
    }
    this.#arm();
    if (this.#machine.closed) this.#release();
  }

  #release(): void {
    while (this.#nextWaiter()) this.#waiters.shift()!.settle(undefined);
    if (this.isIdle()) this.#drained?.resolve();
  }

  #nextWaiter(): Waiter | undefined {
    for (let waiter = this.#waiters.peek(); waiter; waiter = this.#waiters.peek()) {
      if (!waiter.settled) return waiter;
      this.#waiters.shift();
    }
    return undefined;
  }

  #take(): QueueItem | undefined {
    const item = this.#machine.take(this.#now());
    if (item) this.#options.observer?.taken?.(item.key, item.waitedMs);
    return item;
  }

  #arm(): void {
    const due = this.#machine.nextDue() ?? Infinity;
    if (due === this.#timerDue) return;
    this.#timer?.cancel();
    this.#timerDue = due;
    if (due === Infinity) return;
    this.#timer = this.#options.runtime.clock.timer(due - this.#now(), () => {
      this.#timerDue = Infinity;
      this.#pump();
    });
  }

  #now(): number {
    return this.#options.runtime.clock.monotonic();
  }

  #wall(): number {
    return this.#options.runtime.clock.now();
  }
}

/** A waiting worker; `settle` removes its listener from the signal, which outlives many waits. */
function createWaiter(
  resolve: (item: QueueItem | undefined) => void,
  signal: AbortSignal | undefined,
): Waiter {
  const waiter: Waiter = {
    settled: false,
    settle(item) {
      waiter.settled = true;
      signal?.removeEventListener("abort", abort);
      resolve(item);
    },
  };
  const abort = (): void => waiter.settle(undefined);
  signal?.addEventListener("abort", abort);
  return waiter;
}
