// Time as a parameter: the only source of time and timers for the cores. Tests replace it with a
// virtual clock.

/** A pending timer. Cancelling it twice, or after it ran, has no effect. */
export interface Timer {
  cancel(): void;
}

/** Wall time, monotonic time and one-shot timers. */
export interface Clock {
  /** Wall time in milliseconds since 1970-01-01 UTC. May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start that never go backwards. */
  monotonic(): number;
  /**
   * Runs `run` once, `afterMs` from now, never synchronously. A pending timer does not keep the
   * process alive.
   */
  timer(afterMs: number, run: () => void): Timer;
  /**
   * Keeps the process alive until cancelled, for waits without sockets. Undefined where there is no
   * process to keep.
   */
  hold?(): Timer;
}
