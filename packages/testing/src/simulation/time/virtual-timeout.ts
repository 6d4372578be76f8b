// What setTimeout and setInterval return within a simulated process.
import type { Clock, Timer } from "homeostat/runtime";

interface TimeoutOptions {
  readonly run: () => void;
  readonly ms: number;
  readonly repeats: boolean;
}

/** A timer with the members of Node's. */
export class VirtualTimeout {
  readonly #clock: Clock;
  readonly #options: TimeoutOptions;
  #timer: Timer;

  constructor(clock: Clock, options: TimeoutOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#timer = this.#begin();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    this.#timer.cancel();
    this.#timer = this.#begin();
    return this;
  }

  close(): this {
    this.#timer.cancel();
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #begin(): Timer {
    const { run, ms, repeats } = this.#options;
    // As in Node, the shortest time is a millisecond.
    return this.#clock.timer(Math.max(1, ms || 0), () => {
      if (repeats) this.#timer = this.#begin();
      run();
    });
  }
}
