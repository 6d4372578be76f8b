// A reconcile under a deadline: when it passes, the signal aborts and the caller goes on, while the promise is watched
// until it settles, so that one object is never reconciled twice at once.
import type { Clock } from "../runtime/clock.ts";

/** How a run under a deadline ended for the caller. */
export type Finish<T> = { readonly at: "settled"; readonly value: T } | { readonly at: "failed"; readonly error: unknown } | { readonly at: "abandoned"; readonly settled: Promise<void> };

/** The reason with which the signal of an abandoned run aborts. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Runs `work`; after `timeoutMs` (none when undefined) aborts its signal with a {@link DeadlineError} and answers "abandoned" at once. `parent` aborts it too. */
export async function withDeadline<T>(clock: Clock, timeoutMs: number | undefined, parent: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<Finish<T>> {
  const abort = new AbortController();
  const follow = (): void => abort.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  const finished: Promise<Finish<T>> = invoke(work, abort.signal).then(
    (value) => ({ at: "settled", value }) as const,
    (error: unknown) => ({ at: "failed", error }) as const,
  );
  const release = (): void => parent.removeEventListener("abort", follow);
  if (timeoutMs === undefined) return finished.finally(release);
  return new Promise((resolve) => {
    const timer = clock.timer(timeoutMs, () => {
      abort.abort(new DeadlineError(`no result within ${timeoutMs} ms`));
      resolve({ at: "abandoned", settled: finished.then(release) });
    });
    void finished.then((finish) => {
      timer.cancel();
      release();
      resolve(finish);
    });
  });
}

async function invoke<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}
