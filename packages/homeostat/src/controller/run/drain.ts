// The end of a runner's work.
import type { Clock } from "../../runtime/clock.ts";

/** How long work may go on, and what aborts it. */
export interface DrainOptions {
  readonly clock: Clock;
  /** Aborts when the time is up, and in any case in the end. */
  readonly stopping: AbortController;
  readonly drainMs: number;
}

/** Resolves when the work has ended, or is aborted after `drainMs`; at once if it was before. */
export async function drain(
  ended: Promise<unknown>,
  { clock, stopping, drainMs }: DrainOptions,
): Promise<void> {
  const { signal } = stopping;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  const timer = clock.timer(drainMs, () =>
    stopping.abort(new Error("the manager is shutting down")),
  );
  await Promise.race([ended, aborted]);
  timer.cancel();
  stopping.abort(new Error("the manager has stopped"));
}
