// The effects that a candidate for a Lease and a member of a ring have in common: a client that is
// never behind reconciles, a watch, one timer, the fence, and the rights that are missing. A driver
// is used once.
import type { Client, RequestOptions, Selection } from "../client/client.ts";
import type { Timer } from "../runtime/clock.ts";
import { unitInterval } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { boundedCall } from "./bounded-call.ts";
import type { Now } from "./election.machine.ts";
import type { ElectionTimings } from "./election-timings.ts";
import { type LeaseVerb, MissingRights } from "./missing-rights.ts";
import { LeaseWatch, type LeaseWatchOptions } from "./watch-lease.ts";
import { WriteFence } from "./write-fence.ts";

/** What a driver works with, and whom it tells. */
export interface LeaseDriverOptions extends Pick<LeaseWatchOptions, "saw" | "watching"> {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly timings: ElectionTimings;
  /** Which Leases are watched. */
  readonly selection: Selection & { readonly namespace: string };
  /** What the Leases are called in messages: `Lease shop/orders`. */
  readonly what: string;
  /** What a process without the rights to them cannot do, such as `lead`. */
  readonly needed: string;
  /** What the fence guards: `lead by the Lease shop/orders`. */
  readonly right: string;
  /** The timer has fired, or the fence has found that the time has run out. */
  tick(): void;
  warn(message: string): void;
}

/** The effects of one term. */
export class LeaseDriver {
  readonly fence: WriteFence;
  readonly rights: MissingRights;
  /** Its requests end with the driver. */
  readonly client: Client;
  readonly #options: LeaseDriverOptions;
  readonly #watch: LeaseWatch;
  readonly #aborting = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  #timer: Timer | undefined;
  #hold: Timer | undefined;

  constructor(options: LeaseDriverOptions) {
    const { runtime, timings, selection, what, needed, right, warn } = options;
    const { clock } = runtime;
    const { retryPeriodMs } = timings;
    this.#options = options;
    this.client = options.client.with({ urgent: true, signal: this.#aborting.signal });
    const expired = (): void => runtime.defer(() => options.tick());
    this.fence = new WriteFence({ clock, timings, right, expired });
    const { namespace } = selection;
    this.rights = new MissingRights({ clock, namespace, what, needed, retryPeriodMs, warn });
    this.#watch = new LeaseWatch({
      client: this.client,
      clock,
      selection,
      retryMs: retryPeriodMs,
      saw: (lease, isDeleted) => options.saw(lease, isDeleted),
      watching: (is) => {
        if (is) this.rights.granted("watch");
        options.watching(is);
      },
      failed: (error) => void this.rights.refused("watch", error),
    });
  }

  /** Begins to watch, and keeps the process alive. */
  start(): void {
    this.#hold = this.#options.runtime.clock.hold?.();
    this.#watch.start();
  }

  rewatch(): void {
    this.#watch.renew();
  }

  /** What a machine is told of time and chance. */
  now(): Now {
    const { clock, entropy } = this.#options.runtime;
    return { at: clock.monotonic(), wall: clock.now(), chance: unitInterval(entropy) };
  }

  /** Ticks at a monotonic time in ms instead of when it was to; never, at Infinity. */
  tickAt(due: number): void {
    const { clock } = this.#options.runtime;
    this.#timer?.cancel();
    if (due < Infinity)
      this.#timer = clock.timer(Math.max(0, due - clock.monotonic()), () => this.#options.tick());
  }

  /** Sends a request, bounded in time; never rejects: `failed` says what becomes of an error. */
  call<T>(
    verb: LeaseVerb,
    send: (options: RequestOptions) => Promise<T>,
    failed: (error: unknown) => T,
  ): Promise<T> {
    const { runtime, timings } = this.#options;
    return boundedCall(runtime.clock, timings, send).then((answer) => {
      this.rights.granted(verb);
      return answer;
    }, failed);
  }

  /**
   * Shuts the fence, lets `release` give up what is held, and resolves when the driver has ended.
   * `release` learns whether every write has its answer; `end` is called when `over` aborts first.
   */
  async giveUp(
    over: AbortSignal | undefined,
    { release, end }: { release(isSettled: boolean): void; end(): void },
  ): Promise<void> {
    over?.addEventListener("abort", end, { once: true });
    release(!over?.aborted && (await this.fence.close(stopped)));
    await this.#ended.promise;
    over?.removeEventListener("abort", end);
  }

  /** Ends the watch, the timer and the requests. Idempotent. */
  end(why: string): void {
    this.#timer?.cancel();
    this.#watch.stop();
    this.#aborting.abort(new Error(why));
    this.#hold?.cancel();
    this.#ended.resolve();
  }
}

/** Why the fence of a process that gives up by itself is shut. */
export const stopped = "it has stopped";
