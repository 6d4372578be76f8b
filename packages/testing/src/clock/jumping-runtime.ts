// The runtime of a test cluster: the system's, whose clock a test can advance. Between two jumps
// time passes as everywhere; during a jump it stands still, and moves from timer to timer. Knows
// nothing of what the timers are for.
import type { Clock, Runtime, Timer } from "homeostat/runtime";

/** A runtime whose clock jumps. */
export interface JumpingRuntime extends Runtime {
  /** True when a timer's time has come and it has not run. */
  isDue(): boolean;
  /** Stops time until `resume`: timers run by `runNext` only. */
  stand(): void;
  /**
   * Moves time to the next timer that is due until then, by the monotonic clock, and runs it; false
   * when there is none.
   */
  runNext(untilMs: number): boolean;
  /** Time passes again, from this time of the monotonic clock on. */
  resume(atMs: number): void;
}

/** Creates a runtime that jumps ahead of `base`. */
export function createJumpingRuntime({ clock: base, ...others }: Runtime): JumpingRuntime {
  const clock = new JumpingClock(base);
  return {
    ...others,
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      timer: (afterMs, run) => clock.timer(afterMs, run),
    },
    isDue: () => clock.isDue(),
    stand: () => clock.stand(),
    runNext: (untilMs) => clock.runNext(untilMs),
    resume: (atMs) => clock.resume(atMs),
  };
}

interface Pending extends Timer {
  /** By the monotonic clock. */
  readonly dueMs: number;
  readonly run: () => void;
  /** What wakes it while time passes; none while the clock stands. */
  alarm: Timer | undefined;
}

class JumpingClock {
  readonly #base: Clock;
  /** In the order in which they were set. */
  readonly #pending = new Set<Pending>();
  #jumpedMs = 0;
  /** Where the clock stopped, and the monotonic time at which it stands. */
  #standing: { readonly nowMs: number; readonly monotonicMs: number; atMs: number } | undefined;

  constructor(base: Clock) {
    this.#base = base;
  }

  now(): number {
    if (!this.#standing) return this.#base.now() + this.#jumpedMs;
    // From where it stopped: wall time is a large number, to which a tiny step alone adds nothing,
    // so that who waits for the rest of a millisecond would wait for ever.
    const { nowMs, monotonicMs, atMs } = this.#standing;
    return nowMs + (atMs - monotonicMs);
  }

  monotonic(): number {
    return this.#standing?.atMs ?? this.#base.monotonic() + this.#jumpedMs;
  }

  timer(afterMs: number, run: () => void): Timer {
    const waitMs = Number.isNaN(afterMs) ? Infinity : atLeastATick(afterMs);
    const timer: Pending = {
      dueMs: this.monotonic() + waitMs,
      run,
      alarm: this.#standing ? undefined : this.#base.timer(waitMs, () => this.#wake(timer)),
      cancel: () => {
        timer.alarm?.cancel();
        this.#pending.delete(timer);
      },
    };
    this.#pending.add(timer);
    return timer;
  }

  isDue(): boolean {
    const now = this.monotonic();
    for (const { dueMs } of this.#pending) if (dueMs <= now) return true;
    return false;
  }

  stand(): void {
    const monotonicMs = this.monotonic();
    this.#standing = { nowMs: this.now(), monotonicMs, atMs: monotonicMs };
  }

  runNext(untilMs: number): boolean {
    const timer = this.#next();
    if (timer === undefined || timer.dueMs > untilMs) return false;
    this.#move(Math.max(timer.dueMs, this.monotonic()));
    timer.cancel();
    timer.run();
    return true;
  }

  resume(atMs: number): void {
    this.#move(atMs);
    this.#jumpedMs = atMs - this.#base.monotonic();
    this.#standing = undefined;
    const now = this.monotonic();
    for (const timer of this.#pending) {
      timer.alarm?.cancel();
      timer.alarm = this.#base.timer(Math.max(0, timer.dueMs - now), () => this.#wake(timer));
    }
  }

  /** A timer whose time comes while the clock stands waits for `runNext` or `resume`. */
  #wake(timer: Pending): void {
    if (this.#standing || !this.#pending.delete(timer)) return;
    timer.run();
  }

  #move(toMs: number): void {
    this.#standing!.atMs = toMs;
  }

  #next(): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending)
      if (first === undefined || timer.dueMs < first.dueMs) first = timer;
    return first;
  }
}

/**
 * Who waits for the rest of a time, as differences of numbers have it, may ask for less than the
 * clock can show: it would stand still, and be asked again without end.
 */
const atLeastATick = (ms: number): number => (ms > 0 ? Math.max(ms, 0.001) : 0);
