// Observers of a client are users' code: one that throws or rejects must not disturb the requests
// that it observes.
import { describeError } from "../util/describe-error.ts";
import type { ClientObserver } from "./session-options.ts";

/** Calls the observers of one client. Their errors become one process warning. */
export class ObserverCalls {
  #hasWarned = false;

  call(observe: () => unknown): void {
    try {
      const result = observe();
      if (result instanceof Promise) result.catch((error: unknown) => this.#broken(error));
    } catch (error) {
      this.#broken(error);
    }
  }

  callAll<T>(observers: Iterable<(value: T) => unknown>, value: T): void {
    for (const observer of observers) this.call(() => observer(value));
  }

  /** An observer whose methods never throw. */
  guard(observer: ClientObserver): ClientObserver {
    return {
      answered: (...args) => this.call(() => observer.answered?.(...args)),
      retried: (...args) => this.call(() => observer.retried?.(...args)),
      warned: (...args) => this.call(() => observer.warned?.(...args)),
    };
  }

  #broken(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const what = `an observer of the client throws: ${describeError(error)}`;
    process.emitWarning(what, { type: "HomeostatWarning" });
  }
}
