// Refuses the writes of a process that no longer leads. It is asked at the last moment before the
// bytes of a write go out, because a request may wait for a connection, and a process may be
// stopped at any instruction and continued much later: then timers and answers come late, and only
// the clocks tell. The monotonic clock goes on while a process is stopped, but not while the
// machine is suspended; the wall clock does, but may be set; the one that runs ahead counts.
import { HomeostatError } from "../util/homeostat-error.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Moment, isOverdue } from "./election.machine.ts";
import type { ElectionTimings } from "./election-timings.ts";

/** What a fence needs to know. */
export interface FenceOptions {
  readonly clock: Clock;
  readonly timings: ElectionTimings;
  /** What it guards, for messages: `lead by the Lease kitchen/orders`. */
  readonly right: string;
  /** Called when the time has run out before anything else said so. */
  expired(): void;
}

/** The fence of one term: it opens once and shuts once. */
export class WriteFence {
  readonly #options: FenceOptions;
  #renewed: Moment | undefined;
  #because: string | undefined = "it has not begun yet";
  #isShut = false;
  readonly #unanswered = new Set<Promise<unknown>>();

  constructor(options: FenceOptions) {
    this.#options = options;
  }

  /** Opens it, or keeps it open, until a renewal deadline after `renewed`. */
  open(renewed: Moment): void {
    if (this.#isShut) return;
    this.#renewed = renewed;
    this.#because = undefined;
  }

  /** For ever. */
  shut(because: string): void {
    if (!this.#isShut) this.#because = because;
    this.#isShut = true;
  }

  /** Why a write may not be sent now; undefined when it may. */
  readonly refusal = (method: string, path: string): Error | undefined => {
    const { clock, timings, right, expired } = this.#options;
    if (this.#because === undefined) {
      const now = { at: clock.monotonic(), wall: clock.now() };
      if (!isOverdue(this.#renewed!, now, timings)) return undefined;
      this.shut(`the Lease was not renewed within ${timings.renewDeadlineMs / 1000} s`);
      expired();
    }
    return new HomeostatError(
      "ERR_ELECTION_FENCED",
      `${method} ${path}: not sent, because this process does not ${right}: ${this.#because}`,
      { hint: "Nothing to do: another replica reconciles the object." },
    );
  };

  /** Remembers a request until it is answered. */
  readonly sends = (answered: Promise<unknown>): void => {
    const forget = (): void => void this.#unanswered.delete(answered);
    this.#unanswered.add(answered);
    answered.then(forget, forget);
  };

  /**
   * Shuts it, and waits a second for requests without an answer, which the server may still
   * execute; false when some are left.
   */
  async close(because: string): Promise<boolean> {
    this.shut(because);
    if (this.#unanswered.size === 0) return true;
    const late = Promise.withResolvers<void>();
    const timer = this.#options.clock.timer(unansweredMs, () => late.resolve());
    await Promise.race([Promise.allSettled(this.#unanswered), late.promise]);
    timer.cancel();
    return this.#unanswered.size === 0;
  }
}

/** How long a release waits for writes without an answer. */
const unansweredMs = 1000;
