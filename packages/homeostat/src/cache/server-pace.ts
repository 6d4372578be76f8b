// When attempts against a failing server are made, for all watches of a process together: one a
// second, whatever their number, each time by another that waits. The attempt is the waiting
// request itself, so that it proves what it is after; once one of them holds, it wakes the rest,
// spread over half a second. The wait does not grow: one request a second is cheap, and the end of
// a fault is noticed within one and a half. A Retry-After is kept by each on its own.
//
// It also spaces the renewals that prove watches alive (reflector.machine.ts): each watch asks the
// server to end it after 7 s, or after as many seconds as there are watches, so that renewals cost
// at most one small request a second. When one of more than 7 turns out to be blind, the others are
// renewed at once: a network rarely loses one stream alone.
import type { Timer } from "../runtime/clock.ts";
import { unitInterval } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** Least time between two attempts, and the jitter on top. */
const attemptEveryMs = 1000;
const jitterMs = 400;
/** The first attempt after a quiet time comes after up to this long. */
const firstMs = 200;
/** Those that are woken start over at most this long, and this much each when they are few. */
const spreadMs = 500;
const spreadEachMs = 25;
/** So few prove themselves in time without that. */
const fewWatches = 7;
/** Renewals of all watches because one was blind, at most this often. */
const suspicionEveryMs = 5000;

/** How long the server's revision answers for all watches. */
const revisionMs = 1000;

interface Waiter {
  readonly notBefore: number;
  readonly run: () => void;
}

/** The pace of one process towards one server. */
export class ServerPace {
  readonly #runtime: Runtime;
  readonly #recovers: () => void;
  readonly #waiting = new Set<Waiter>();
  readonly #watches = new Set<() => void>();
  #timer: Timer | undefined;
  #lastAttempt = -Infinity;
  #lastSuspicion = -Infinity;
  #revision: { readonly at: number; readonly answer: Promise<string | undefined> } | undefined;

  /** `recovers` is called with each `recovered`. */
  constructor(runtime: Runtime, recovers: () => void = () => {}) {
    this.#runtime = runtime;
    this.#recovers = recovers;
  }

  /** Number of attempts that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs `run` in its turn, not before `afterMs`. */
  wait(afterMs: number, run: () => void): Timer {
    const waiter = { notBefore: this.#now() + afterMs, run };
    this.#waiting.add(waiter);
    this.#arm();
    return {
      cancel: () => {
        if (this.#waiting.delete(waiter)) this.#arm();
      },
    };
  }

  /** An attempt that had waited holds: the others that may go now do. */
  recovered(): void {
    const { clock, entropy } = this.#runtime;
    this.#recovers();
    const window = Math.min(spreadMs, spreadEachMs * this.#waiting.size);
    for (const waiter of this.#waiting) {
      if (waiter.notBefore > this.#now()) continue;
      clock.timer(window * unitInterval(entropy), () => {
        if (!this.#waiting.delete(waiter)) return;
        this.#arm();
        waiter.run();
      });
    }
  }

  /**
   * The revision that the server counts, for watches that come back together: `ask` runs for the
   * first of them, and again after a while.
   */
  revision(ask: () => Promise<string | undefined>): Promise<string | undefined> {
    if (!this.#revision || this.#now() - this.#revision.at > revisionMs)
      this.#revision = { at: this.#now(), answer: ask() };
    return this.#revision.answer;
  }

  /** Counts a watch; `suspect` is called when another one was found blind. */
  addWatch(suspect: () => void): { remove(): void } {
    this.#watches.add(suspect);
    return { remove: () => void this.#watches.delete(suspect) };
  }

  /** How long a watch may live, so that all renewals together are at most one a second. */
  watchMs(leastMs: number): number {
    return Math.max(leastMs, this.#watches.size * 1000);
  }

  /** A watch was blind: the others prove themselves now. */
  suspect(): void {
    const { clock, entropy } = this.#runtime;
    if (this.#watches.size <= fewWatches) return;
    if (this.#now() - this.#lastSuspicion < suspicionEveryMs) return;
    this.#lastSuspicion = this.#now();
    for (const watch of this.#watches)
      clock.timer(spreadMs * unitInterval(entropy), () => {
        if (this.#watches.has(watch)) watch();
      });
  }

  #now(): number {
    return this.#runtime.clock.monotonic();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const earliest = Math.min(...Array.from(this.#waiting, ({ notBefore }) => notBefore));
    if (earliest === Infinity) return;
    const { clock, entropy } = this.#runtime;
    const jitter = unitInterval(entropy);
    const at = Math.max(
      earliest + firstMs * jitter,
      this.#lastAttempt + attemptEveryMs + jitterMs * jitter,
    );
    this.#timer = clock.timer(Math.max(0, at - this.#now()), () => this.#attempt());
  }

  /** The one that has waited longest, of those that may go, goes. */
  #attempt(): void {
    const now = this.#now();
    for (const waiter of this.#waiting) {
      if (waiter.notBefore > now) continue;
      this.#waiting.delete(waiter);
      this.#lastAttempt = now;
      this.#arm();
      return waiter.run();
    }
    this.#arm();
  }
}
