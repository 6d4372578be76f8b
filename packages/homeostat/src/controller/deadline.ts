// Runs work under a deadline: at the deadline the signal aborts and the caller continues, while the
// promise is observed until it settles, so that one object is never reconciled twice at once.
import type { Clock, Timer } from "../runtime/clock.ts";

/** The result of work under a deadline, for the caller. */
export type Finish<T> =
  | { readonly at: "settled"; readonly value: T }
  | { readonly at: "failed"; readonly error: unknown }
  | { readonly at: "abandoned"; readonly settled: Promise<void> };

/** The abort reason of an abandoned run. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
}

/** Time for work to end after its parent's abort before it is abandoned. */
const abortGraceMs = 100;

/**
 * Runs `work`. After `timeoutMs` (undefined for no deadline) aborts its signal with a {@link
 * DeadlineError} and resolves to "abandoned" at once. The parent's abort does the same unless the
 * work ends within a short time.
 */
export async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number | undefined,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Finish<T>> {
  const abort = new AbortController();
  const finished: Promise<Finish<T>> = invoke(work, abort.signal).then(
    (value) => ({ at: "settled", value }) as const,
    (error: unknown) => ({ at: "failed", error }) as const,
  );
  return new Promise((resolve) => {
    const abandon = (): void => resolve({ at: "abandoned", settled: finished.then(() => {}) });
    let timer: Timer | undefined;
    const follow = (): void => {
      timer?.cancel();
      abort.abort(parent.reason);
      timer = clock.timer(abortGraceMs, abandon);
    };
    if (timeoutMs !== undefined) {
      timer = clock.timer(timeoutMs, () => {
        abort.abort(new DeadlineError(`no result within ${timeoutMs} ms`));
        abandon();
      });
    }
    if (parent.aborted) follow();
    else parent.addEventListener("abort", follow, { once: true });
    void finished.then((finish) => {
      timer?.cancel();
      parent.removeEventListener("abort", follow);
      resolve(finish);
    });
  });
}

async function invoke<T>(
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return work(signal);
}
