// Calls user code within the time that the API server waits. What it throws is a value here: it
// never ends the process.
import { describeError } from "../util/describe-error.ts";
import { isThenable } from "../util/refuse-promise.ts";
import type { HookEffects } from "./exchange.ts";

/** How user code ended. */
export type Ran =
  | { readonly ended: "returned"; readonly value: unknown }
  | { readonly ended: "threw"; readonly error: unknown }
  | { readonly ended: "late"; readonly ms: number };

/** So that the API server hears why, instead of only that its time is over. */
const marginMs = 100;

interface RunOptions extends HookEffects {
  /** When the API server stops waiting. */
  readonly timeoutMs: number;
  /** Called when time is over. */
  readonly abort: () => void;
}

/** Runs user code; a late result is dropped, a late error is logged. */
export function runReviewer(run: () => unknown, options: RunOptions): Ran | Promise<Ran> {
  try {
    const value = run();
    return isThenable(value)
      ? awaited(Promise.resolve(value), options)
      : { ended: "returned", value };
  } catch (error) {
    return { ended: "threw", error };
  }
}

function awaited(
  promise: Promise<unknown>,
  { runtime, log, timeoutMs, abort }: RunOptions,
): Promise<Ran> {
  const ms = Math.max(1, timeoutMs - marginMs);
  const { promise: ran, resolve } = Promise.withResolvers<Ran>();
  let isLate = false;
  const timer = runtime.clock.timer(ms, () => {
    isLate = true;
    abort();
    resolve({ ended: "late", ms });
  });
  promise.then(
    (value) => {
      timer.cancel();
      resolve({ ended: "returned", value });
    },
    (error: unknown) => {
      timer.cancel();
      if (isLate) log.warn(`a late webhook failed: ${describeError(error)}`, { error });
      resolve({ ended: "threw", error });
    },
  );
  return ran;
}
