// Waits on a clock.
import type { Clock } from "./clock.ts";

/** Resolves after `ms`, or when the signal aborts; at once if it has. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.timer(ms, end);
    signal?.addEventListener("abort", end, { once: true });
  });
}
