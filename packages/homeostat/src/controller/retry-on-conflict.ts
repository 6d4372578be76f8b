// Repeats a write of the runtime that met another writer.
// Upstream: k8s.io/client-go/util/retry/util.go (RetryOnConflict, DefaultRetry).
import { isConflict } from "../api/status.ts";
import type { Clock } from "../runtime/clock.ts";
import { type Entropy, unitInterval } from "../runtime/entropy.ts";

/** DefaultRetry: 5 attempts, 10 ms apart, with 10 % jitter. */
const attempts = 5;
const delayMs = 10;
const jitter = 0.1;

/**
 * Calls `write` until it does not reject with Conflict, at most five times. `write` must read the
 * object anew, except at its first attempt (0).
 */
export async function retryOnConflict<T>(
  { clock, entropy }: { readonly clock: Clock; readonly entropy: Entropy },
  write: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await write(attempt);
    } catch (error) {
      if (!isConflict(error) || attempt + 1 === attempts) throw error;
    }
    const pauseMs = delayMs * (1 + jitter * unitInterval(entropy));
    await new Promise<void>((resolve) => clock.timer(pauseMs, resolve));
  }
}
