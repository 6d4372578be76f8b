// Until when a stop waits for what is under way. It may come nearer, and never moves away.
import type { Clock, Timer } from "../../runtime/clock.ts";

/** After the deadline: enough for a server that answers to hear that this process has ended. */
const farewellMs = 1000;

export class StopDeadline {
  readonly #clock: Clock;
  readonly #passed = new AbortController();
  readonly #over = new AbortController();
  #timer: Timer | undefined;
  #at = Infinity;
  #isMet = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aborts at the deadline: what is still under way is cut. */
  get passed(): AbortSignal {
    return this.#passed.signal;
  }

  /** Aborts a second after the deadline: the last requests are broken off, too. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The deadline is in so many milliseconds, unless it is earlier. */
  within(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (at >= this.#at || this.#isMet) return;
    this.#at = at;
    this.#timer?.cancel();
    if (ms <= 0) this.#pass();
    else this.#timer = this.#clock.timer(ms, () => this.#pass());
  }

  #pass(): void {
    if (this.#passed.signal.aborted) return;
    this.#timer = this.#clock.timer(farewellMs, () =>
      this.#over.abort(new Error("the stop takes too long")),
    );
    this.#passed.abort();
  }

  /** Nothing is under way any more. */
  met(): void {
    this.#isMet = true;
    this.#timer?.cancel();
  }
}
