// The requests of one run that have no answer yet: whether it waits for the server, and since when.
import type { Clock } from "../../runtime/clock.ts";

/** Requests without an answer. */
export class OpenRequests {
  readonly #clock: Clock;
  /** When each began, in the order of their beginning. */
  readonly #began = new Map<Promise<unknown>, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a request until it settles. */
  add(answered: Promise<unknown>): void {
    this.#began.set(answered, this.#clock.monotonic());
    const settle = (): void => void this.#began.delete(answered);
    answered.then(settle, settle);
  }

  /** How long the oldest has waited, in ms; undefined without one. */
  waitedMs(): number | undefined {
    for (const began of this.#began.values()) return this.#clock.monotonic() - began;
    return undefined;
  }
}
