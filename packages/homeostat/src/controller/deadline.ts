// Runs work under a deadline: at the deadline the signal aborts and the caller continues, while the
// promise is observed until it settles, so that one object is never reconciled twice at once.
import type { Clock, Timer } from "../runtime/clock.ts";

/** The result of work under a deadline, for the caller. */
export type Finish<T> =
  | { readonly at: "settled"; readonly value: T }
  | { readonly at: "failed"; readonly error: unknown }
  | { readonly at: "abandoned"; readonly settled: Promise<void> };

/** The abort reason of an abandoned run. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Time for work to end after its parent's abort before it is abandoned. */
const abortGraceMs = 100;

/** When work is late. */
export interface DeadlineOptions {
  /** Undefined for no deadline. */
  readonly timeoutMs: number | undefined;
  /** Called once when the work still runs after this time. */
  readonly slow?: { readonly afterMs: number; report(): void };
}

/**
 * Runs `work`. After `timeoutMs` aborts its signal with a {@link DeadlineError} and resolves to
 * "abandoned" at once. The parent's abort does the same unless the work ends within a short time.
 */
export function withDeadline<T>(
  clock: Clock,
  options: DeadlineOptions,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Finish<T>> {
  return new Promise((resolve) => new Deadline(clock, options, parent, resolve).run(work));
}

/** One run of work. An object of its own: closures would cost every reconcile much more garbage. */
class Deadline<T> {
  readonly #clock: Clock;
  readonly #options: DeadlineOptions;
  readonly #parent: AbortSignal;
  readonly #resolve: (finish: Finish<T>) => void;
  readonly #abort = new AbortController();
  #timer: Timer | undefined;
  #abandoned: PromiseWithResolvers<void> | undefined;

  constructor(
    clock: Clock,
    options: DeadlineOptions,
    parent: AbortSignal,
    resolve: (finish: Finish<T>) => void,
  ) {
    this.#clock = clock;
    this.#options = options;
    this.#parent = parent;
    this.#resolve = resolve;
  }

  run(work: (signal: AbortSignal) => Promise<T>): void {
    invoke(work, this.#abort.signal).then(
      (value) => this.#settle({ at: "settled", value }),
      (error: unknown) => this.#settle({ at: "failed", error }),
    );
    this.#wait();
    if (this.#parent.aborted) this.handleEvent();
    else this.#parent.addEventListener("abort", this, { once: true });
  }

  /** The parent has aborted; the work has not settled. */
  handleEvent(): void {
    if (this.#abandoned) return;
    this.#timer?.cancel();
    this.#abort.abort(this.#parent.reason);
    this.#timer = this.#clock.timer(abortGraceMs, () => this.#abandon());
  }

  /** One timer for both: nearly all work ends before either. */
  #wait(): void {
    const { timeoutMs = Infinity, slow } = this.#options;
    if (slow && slow.afterMs < timeoutMs)
      this.#timer = this.#clock.timer(slow.afterMs, () => {
        this.#waitForDeadline(timeoutMs - slow.afterMs);
        slow.report();
      });
    else this.#waitForDeadline(timeoutMs);
  }

  #waitForDeadline(leftMs: number): void {
    if (leftMs === Infinity) return;
    this.#timer = this.#clock.timer(leftMs, () => {
      this.#abort.abort(new DeadlineError(`no result within ${this.#options.timeoutMs} ms`));
      this.#abandon();
    });
  }

  /** The work has not settled: that cancels the timer. */
  #abandon(): void {
    this.#abandoned = Promise.withResolvers();
    this.#resolve({ at: "abandoned", settled: this.#abandoned.promise });
  }

  #settle(finish: Finish<T>): void {
    this.#timer?.cancel();
    this.#parent.removeEventListener("abort", this);
    this.#abandoned?.resolve();
    this.#resolve(finish);
  }
}

/** What `work` throws before its first await is a rejection as well. */
function invoke<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return work(signal);
  } catch (error) {
    return Promise.reject(error);
  }
}
