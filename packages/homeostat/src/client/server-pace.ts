// When attempts against a failing server are made, for all that is sent through one client:
// watches, retried requests and failed reconciles together make one a second, whatever their
// number, each time by another that waits: watches first, unless one has just had its turn, then
// one of each controller in turn, so that neither many failing objects nor a kind that is refused
// for ever hold up what would succeed. The attempt is the waiting request itself, so that it proves
// what it is after; once one of them holds, it wakes the rest, spread over half a second.
// The wait does not grow: one request a second is cheap, and the end of a fault is noticed within
// one and a half. A Retry-After is kept by each on its own. While no connection can be made,
// requests that do not wait (Events, leases) fail with the error of the last attempt until the next
// one is due.
//
// It also spaces the renewals that prove watches alive (cache/reflector.machine.ts): each watch
// asks the server to end it after 7 s, or 8 with more than 7 watches. When one of more than 7 turns
// out to be blind, the others are renewed at once: a network rarely loses one stream alone.
import type { Timer } from "../runtime/clock.ts";
import { unitInterval } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";

/**
 * Least time between two attempts, and the jitter on top: never two in one second, also where a
 * connection takes longer to arrive than the one before.
 */
const attemptEveryMs = 1050;
const jitterMs = 400;
/** The first attempt after a quiet time comes after up to this long. */
const firstMs = 200;
/** All are woken at most this often. */
const wakeEveryMs = 1000;
/** Those that are woken start over at most this long, and this much each when they are few. */
const spreadMs = 500;
const spreadEachMs = 25;
/** A watch that lives longer would be noticed later than 10 s after it falls silent. */
const mostWatchMs = 8000;
/** Doubted watches are renewed over this much each: ten a second. */
const doubtEachMs = 100;
/** So few prove themselves in time without that. */
const fewWatches = 7;
/** Renewals of all watches because one was blind, at most this often. */
const suspicionEveryMs = 15_000;

/** How long the server's revision answers for all watches. */
const revisionMs = 1000;

/** Failures beyond so many do not put off a turn further. */
const mostRanks = 5;

/** Whose turn it is to be. */
export interface Turn {
  /** How often it has failed: what has failed less often goes first. */
  readonly failures?: number;
  /** Watches go before requests and keys. */
  readonly lane?: "watch" | "request";
  /** One of each owner goes in turn: a controller. Default: all without an owner are one. */
  readonly owner?: object | undefined;
}

interface Waiter {
  readonly notBefore: number;
  readonly rank: number;
  readonly isWatch: boolean;
  readonly owner: object;
  readonly run: () => void;
}

/**
 * The pace of attempts against a failing server. A client and all clients derived from it share
 * one; another client of the same server can be given it (`ClientOptions.pace`).
 */
export class ServerPace {
  readonly #runtime: Runtime;
  readonly #waiting = new Set<Waiter>();
  readonly #watches = new Set<() => void>();
  #timer: Timer | undefined;
  /** The earliest `notBefore` that the timer is set for. */
  #armedFor = Infinity;
  #lastAttempt = -Infinity;
  #wasWatch = false;
  #turns = 0;
  /** The number of the last turn of each owner. */
  readonly #lastTurns = new WeakMap<object, number>();
  #lastSuspicion = -Infinity;
  #lastWake = -Infinity;
  #waking: Timer | undefined;
  #unreachable: { readonly at: number; readonly error: Error } | undefined;
  #revision: { readonly at: number; readonly answer: Promise<string | undefined> } | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Number of attempts that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs `run` in its turn, not before `afterMs`. What has failed less often goes first, so that
   * what fails for ever holds up nothing else.
   */
  wait(afterMs: number, run: () => void, turn: Turn = {}): Timer {
    const { failures = 0, lane = "request", owner = this } = turn;
    const rank = Math.min(failures, mostRanks);
    const notBefore = this.#now() + afterMs;
    const waiter = { notBefore, rank, isWatch: lane === "watch", owner, run };
    this.#waiting.add(waiter);
    if (waiter.notBefore < this.#armedFor) this.#arm();
    return {
      cancel: () => {
        if (this.#waiting.delete(waiter) && this.#waiting.size === 0) this.#arm();
      },
    };
  }

  /** About how long something of this owner that begins to wait now will wait. */
  expectedMs(afterMs: number, owner: object = this): number {
    const others = new Set<object>();
    let own = 0;
    for (const waiter of this.#waiting) {
      if (waiter.owner === owner) own++;
      else others.add(waiter.owner);
    }
    const before = Math.min(this.#waiting.size, own * (others.size + 1) + others.size);
    return Math.max(afterMs, firstMs, attemptEveryMs * before);
  }

  /** An attempt that had waited holds: the others that may go now do. */
  recovered(): void {
    if (this.#waking) return;
    const afterMs = this.#lastWake + wakeEveryMs - this.#now();
    if (afterMs <= 0) return this.#wake();
    this.#waking = this.#runtime.clock.timer(afterMs, () => this.#wake());
  }

  /** What had its turn has asked the server nothing: the next one takes it. */
  passed(): void {
    if (this.#waiting.size === 0) return;
    this.#lastAttempt = -Infinity;
    this.#arm();
  }

  /** A request that began at `at` (monotonic) found no connection. */
  failedToConnect(error: Error, at: number): void {
    this.#unreachable = { at, error };
    this.#lastAttempt = Math.max(this.#lastAttempt, at);
    this.#arm();
  }

  /** The server has answered. */
  connected(): void {
    this.#unreachable = undefined;
  }

  /** The error of the last attempt to connect, until the next one is due. */
  refusal(): Error | undefined {
    const { at = -Infinity, error } = this.#unreachable ?? {};
    return this.#now() - at < attemptEveryMs ? error : undefined;
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

  /** How long a watch may live. */
  watchMs(leastMs: number): number {
    return Math.max(leastMs, Math.min(this.#watches.size * 1000, mostWatchMs));
  }

  /** A watch was blind: the others prove themselves soon. */
  suspect(): void {
    const { clock, entropy } = this.#runtime;
    if (this.#watches.size <= fewWatches) return;
    if (this.#now() - this.#lastSuspicion < suspicionEveryMs) return;
    this.#lastSuspicion = this.#now();
    let afterMs = 0;
    for (const watch of this.#watches) {
      clock.timer(afterMs + doubtEachMs * unitInterval(entropy), () => {
        if (this.#watches.has(watch)) watch();
      });
      afterMs += doubtEachMs;
    }
  }

  #wake(): void {
    const { clock, entropy } = this.#runtime;
    this.#waking = undefined;
    this.#lastWake = this.#now();
    const window = Math.min(spreadMs, spreadEachMs * this.#waiting.size);
    for (const waiter of this.#waiting) {
      if (waiter.notBefore > this.#now()) continue;
      clock.timer(window * unitInterval(entropy), () => {
        if (!this.#waiting.delete(waiter)) return;
        if (this.#waiting.size === 0) this.#arm();
        waiter.run();
      });
    }
  }

  #now(): number {
    return this.#runtime.clock.monotonic();
  }

  /** Sets the timer for the next attempt. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#armedFor = Infinity;
    for (const { notBefore } of this.#waiting) this.#armedFor = Math.min(this.#armedFor, notBefore);
    if (this.#armedFor === Infinity) return;
    const { clock, entropy } = this.#runtime;
    const jitter = unitInterval(entropy);
    const at = Math.max(
      Math.max(this.#armedFor, this.#now()) + firstMs * jitter,
      this.#lastAttempt + attemptEveryMs + jitterMs * jitter,
    );
    this.#timer = clock.timer(Math.max(0, at - this.#now()), () => this.#attempt());
  }

  #attempt(): void {
    const now = this.#now();
    const next = this.#next(now);
    if (next) {
      this.#waiting.delete(next);
      this.#lastAttempt = now;
      this.#wasWatch = next.isWatch;
      this.#lastTurns.set(next.owner, ++this.#turns);
    }
    this.#arm();
    next?.run();
  }

  /**
   * Of those that may go: a watch, or what is none after a watch; of the owner that has waited
   * longest for a turn; the one that has failed least and has waited longest.
   */
  #next(now: number): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of this.#waiting)
      if (waiter.notBefore <= now && (!next || this.#isBefore(waiter, next))) next = waiter;
    return next;
  }

  #isBefore(a: Waiter, b: Waiter): boolean {
    if (a.isWatch !== b.isWatch) return a.isWatch !== this.#wasWatch;
    const turn = ({ owner }: Waiter): number => this.#lastTurns.get(owner) ?? 0;
    return turn(a) === turn(b) ? a.rank < b.rank : turn(a) < turn(b);
  }
}
