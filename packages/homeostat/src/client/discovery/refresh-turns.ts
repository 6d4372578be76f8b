// When discovery may be fetched again: five times at once, then once a second. A program that asks
// for a missing kind in a loop must not load the server.
import type { Clock } from "../../runtime/clock.ts";
import { sleep } from "../../runtime/sleep.ts";

const burst = 5;
const periodMs = 1000;

/** Hands out turns. Callers that wait share one. */
export class RefreshTurns {
  readonly #clock: Clock;
  #left = burst;
  #countedAt: number;
  #waiting: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAt = clock.monotonic();
  }

  /** Resolves when it is time. */
  next(): Promise<void> {
    this.#waiting ??= this.#take().finally(() => (this.#waiting = undefined));
    return this.#waiting;
  }

  async #take(): Promise<void> {
    this.#count();
    if (this.#left === 0) {
      const hold = this.#clock.hold?.();
      const restMs = periodMs - (this.#clock.monotonic() - this.#countedAt);
      await sleep(this.#clock, restMs, undefined).finally(() => hold?.cancel());
      this.#count();
    }
    this.#left--;
  }

  #count(): void {
    const gained = Math.floor((this.#clock.monotonic() - this.#countedAt) / periodMs);
    this.#left = Math.min(burst, this.#left + gained);
    this.#countedAt += gained * periodMs;
  }
}
