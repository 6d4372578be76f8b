// Remembers what was reported of the loops that objects are in, until they have come to rest: then
// one more run says that the object is well.
import type { Clock, Timer } from "../../runtime/clock.ts";

const lookEveryMs = 5000;

export interface LoopWatchOptions {
  readonly clock: Clock;
  /** True while the object is in its loop. */
  readonly isLooping: (key: string) => boolean;
  /** Called when the loop has ended. */
  readonly ended: (key: string) => void;
}

/** The reported loops of one controller. */
export class LoopWatch {
  readonly #options: LoopWatchOptions;
  readonly #messages = new Map<string, { readonly message: string; timer: Timer }>();
  #isStopped = false;

  constructor(options: LoopWatchOptions) {
    this.#options = options;
  }

  /** False after the stop: nothing would notice the end of the loop. */
  reported(key: string, message: string): boolean {
    if (this.#isStopped) return false;
    this.forget(key);
    this.#messages.set(key, { message, timer: this.#lookLater(key) });
    return true;
  }

  /** What was reported; undefined when the object is in no loop. */
  messageOf(key: string): string | undefined {
    return this.#messages.get(key)?.message;
  }

  forget(key: string): void {
    this.#messages.get(key)?.timer.cancel();
    this.#messages.delete(key);
  }

  /** Returns the keys that are in a reported loop. */
  stop(): readonly string[] {
    this.#isStopped = true;
    const keys = [...this.#messages.keys()];
    for (const key of keys) this.forget(key);
    return keys;
  }

  #lookLater(key: string): Timer {
    return this.#options.clock.timer(lookEveryMs, () => {
      const reported = this.#messages.get(key)!;
      if (this.#options.isLooping(key)) reported.timer = this.#lookLater(key);
      else {
        this.#messages.delete(key);
        this.#options.ended(key);
      }
    });
  }
}
