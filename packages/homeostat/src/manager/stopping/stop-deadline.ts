// Until when a stop waits for what is under way. It may come nearer, and never moves away.
import type { Clock, Timer } from "../../runtime/clock.ts";

export class StopDeadline {
  readonly #clock: Clock;
  readonly #passed = new AbortController();
  #timer: Timer | undefined;
  #at = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts at the deadline: what is still under way is cut. */
  get passed(): AbortSignal {
    return this.#passed.signal;
  }

  /** The deadline is in so many milliseconds, unless it is earlier. */
  within(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (at >= this.#at) return;
    this.#at = at;
    this.#timer?.cancel();
    if (ms <= 0) this.#passed.abort();
    else this.#timer = this.#clock.timer(ms, () => this.#passed.abort());
  }

  /** Nothing is under way any more. */
  met(): void {
    this.#timer?.cancel();
  }
}
