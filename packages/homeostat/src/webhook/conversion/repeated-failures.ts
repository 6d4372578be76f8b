// Failures that come again and again, because the API server repeats what fails: each is said once,
// and then once a minute with a count.
import type { HookEffects } from "../exchange.ts";

const everyMs = 60_000;
/** Different failures that are counted at a time; others are said each time. */
const mostCounted = 1000;

/** The failures of one path. */
export class RepeatedFailures {
  /** Repetitions since a failure was said last. */
  readonly #counts = new Map<string, number>();

  failed(message: string, fields: Readonly<Record<string, unknown>>, effects: HookEffects): void {
    const count = this.#counts.get(message);
    if (count !== undefined) return void this.#counts.set(message, count + 1);
    effects.log.error(message, fields);
    if (this.#counts.size < mostCounted) this.#countOn(message, fields, effects);
  }

  #countOn(message: string, fields: Readonly<Record<string, unknown>>, effects: HookEffects): void {
    this.#counts.set(message, 0);
    effects.runtime.clock.timer(everyMs, () => {
      const count = this.#counts.get(message) ?? 0;
      this.#counts.delete(message);
      if (count === 0) return;
      effects.log.error(`${message} (${count} more in the last minute)`, fields);
      this.#countOn(message, fields, effects);
    });
  }
}
