// What counts the runs of a controller, for metrics.

/** How a run has ended. A terminal error and a run over its deadline are errors too. */
export type RunResult = "success" | "requeue" | "requeue_after" | "error" | "terminal" | "timeout";

/** Observes the runs of one controller. Must not throw. */
export interface RunObserver {
  /** A worker takes a key, or has done its part. */
  working(change: 1 | -1): void;
  ended(result: RunResult, tookMs: number): void;
  /** An error came from a run, and no code received it. */
  panicked(): void;
}
