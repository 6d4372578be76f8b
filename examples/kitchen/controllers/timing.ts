// The kitchen's clock: durations, and their form in status, so that a restarted kitchen continues
// where it was. A parameter, so that tests cook in no time.

/** The clock of the kitchen's controllers. */
export interface Timing {
  /** The time to fetch an ingredient. */
  readonly fetchMs: number;
  /** The present as RFC 3339, e.g. `2026-11-21T18:00:00.250Z`. */
  now(): string;
  /** Milliseconds until `lastsMs` have passed since `since`; 0 when they have. */
  remainingMs(since: string, lastsMs: number): number;
}

/** Creates a timing from a wall clock. */
export function createTiming(options: {
  readonly fetchMs: number;
  readonly nowMs: () => number;
}): Timing {
  return {
    fetchMs: options.fetchMs,
    now: () => new Date(options.nowMs()).toISOString(),
    remainingMs(since, lastsMs) {
      const pastMs = options.nowMs() - Date.parse(since);
      // A start that lies ahead was noted by a clock that has been set back: nobody waits for it.
      return pastMs < 0 ? 0 : Math.max(0, lastsMs - pastMs);
    },
  };
}
