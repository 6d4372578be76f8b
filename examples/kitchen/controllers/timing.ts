// The kitchen's clock: how long things take, and how that is written down in status, so that a
// kitchen that restarts goes on where it was. A parameter, so that tests cook in no time.

/** Time as the kitchen's controllers see it. */
export interface Timing {
  /** How long fetching an ingredient takes. */
  readonly fetchMs: number;
  /** The present as RFC 3339, e.g. `2026-11-21T18:00:00.250Z`. */
  now(): string;
  /** Milliseconds until `lastsMs` have passed since `since`; 0 when they have. */
  remainingMs(since: string, lastsMs: number): number;
}

/** Timing by the given wall clock. */
export function createTiming(options: {
  readonly fetchMs: number;
  readonly nowMs: () => number;
}): Timing {
  return {
    fetchMs: options.fetchMs,
    now: () => new Date(options.nowMs()).toISOString(),
    remainingMs: (since, lastsMs) => Math.max(0, Date.parse(since) + lastsMs - options.nowMs()),
  };
}
