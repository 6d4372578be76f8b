// Repeats a write that met another writer.
// Upstream: k8s.io/client-go/util/retry/util.go (RetryOnConflict, DefaultRetry, DefaultBackoff),
// k8s.io/apimachinery/pkg/util/wait/backoff.go (Backoff.Step).
import { argumentError } from "../util/argument-error.ts";
import { checkArgument, checkOptions, type KnownOptions } from "../util/call-options.ts";
import { isConflict } from "../api/status.ts";
import { type Entropy, unitInterval } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { sleep } from "../runtime/sleep.ts";
import { createSystemRuntime } from "../runtime/system-runtime.ts";

/** How often and how fast a write is repeated. */
export interface Backoff {
  /** Attempts, the first one included. */
  readonly steps: number;
  /** The first pause. */
  readonly durationMs: number;
  /** Each pause is this times as long as the one before. Default 1. */
  readonly factor?: number;
  /** Part of a pause that is added at random, at most. Default 0. */
  readonly jitter?: number;
}

/** For writes that few other clients make: 5 attempts, 10 ms apart. */
export const defaultRetry: Backoff = { steps: 5, durationMs: 10, factor: 1, jitter: 0.1 };

/** For writes that many other clients make: 4 attempts; 10, 50 and 250 ms apart. */
export const defaultBackoff: Backoff = { steps: 4, durationMs: 10, factor: 5, jitter: 0.1 };

/** Options of {@link retryOnConflict}. */
export interface RetryOnConflictOptions {
  /** Default: {@link defaultRetry}. */
  readonly backoff?: Backoff;
  readonly runtime?: Pick<Runtime, "clock" | "entropy">;
  /** Ends the pauses: the conflict is thrown. */
  readonly signal?: AbortSignal;
}

/**
 * Calls `write` until it does not reject with Conflict, or the attempts are used up; then rejects
 * with that conflict. `write` must read the object anew, except at its first attempt (0).
 */
export async function retryOnConflict<T>(
  write: (attempt: number) => Promise<T>,
  options: RetryOnConflictOptions = {},
): Promise<T> {
  if (typeof write !== "function")
    throw argumentError("retryOnConflict(…)", write, "a function that writes");
  checkOptions("retryOnConflict(…)", options, known);
  const { backoff = defaultRetry, runtime = createSystemRuntime(), signal } = options;
  checkBackoff(backoff);
  for (let attempt = 0; ; attempt++) {
    try {
      return await write(attempt);
    } catch (error) {
      if (!isConflict(error) || attempt + 1 >= backoff.steps || signal?.aborted) throw error;
    }
    await sleep(runtime.clock, pauseMs(backoff, attempt, runtime.entropy), signal);
  }
}

const known = {
  backoff: "an object",
  runtime: "a runtime",
  signal: "an AbortSignal",
} as const satisfies KnownOptions<RetryOnConflictOptions>;

const ofBackoff = {
  steps: "a number",
  durationMs: "a number",
  factor: "a number",
  jitter: "a number",
} as const satisfies KnownOptions<Backoff>;

/** Without a number of attempts it would be repeated for ever. */
function checkBackoff(backoff: Backoff): void {
  const call = "retryOnConflict(…) with this backoff";
  checkOptions(call, backoff, ofBackoff);
  checkArgument(call, ["steps", backoff.steps], "a number");
  checkArgument(call, ["durationMs", backoff.durationMs], "a number");
}

function pauseMs(
  { durationMs, factor = 1, jitter = 0 }: Backoff,
  attempt: number,
  entropy: Entropy,
): number {
  return durationMs * factor ** attempt * (1 + jitter * unitInterval(entropy));
}
