// Time as a parameter: the only way by which cores learn what time it is or ask to be called later.
// Knows nothing of who is asking; a virtual clock stands in for it in tests.

/** A timer that has been set and not yet run. Cancelling twice, or after it ran, does nothing. */
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
   * Keeps the process alive until cancelled, for whoever must outlive a pause without sockets.
   * Absent where there is no process to keep.
   */
  hold?(): Timer;
}
