// The runtime of the process: its clock, the operating system's randomness, and the event loop. The
// only file of the runtime that uses Date, timers or node:crypto.
import { randomFillSync } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Timer } from "./clock.ts";
import type { Runtime } from "./runtime.ts";

const poolBytes = 4096;
/** The limit of setTimeout, 24.8 days; it treats longer delays as 1 ms. */
const longestMs = 2 ** 31 - 1;

/**
 * Creates a Runtime on the process's own clock and randomness. Timers do not keep the process
 * alive.
 */
export function createSystemRuntime(): Runtime {
  let pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return {
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      timer: setTimer,
      hold() {
        const handle = setInterval(() => {}, 2 ** 30);
        return { cancel: () => clearInterval(handle) };
      },
    },
    entropy: {
      bytes(n) {
        if (n > poolBytes) return randomFillSync(new Uint8Array(n));
        if (used + n > poolBytes) {
          pool = randomFillSync(new Uint8Array(poolBytes));
          used = 0;
        }
        used += n;
        return pool.slice(used - n, used);
      },
    },
    defer: (run) => queueMicrotask(run),
  };
}

/** Infinity never runs; NaN must not cause a busy loop. */
function setTimer(afterMs: number, run: () => void): Timer {
  const waitMs = Number.isNaN(afterMs) ? Infinity : afterMs;
  return waitMs > longestMs ? setLongTimer(waitMs, run) : new ShortTimer(waitMs, run);
}

/** Nearly all timers, of which every request sets one. */
class ShortTimer implements Timer {
  readonly #handle: NodeJS.Timeout;

  constructor(waitMs: number, run: () => void) {
    this.#handle = setTimeout(run, Math.max(0, waitMs));
    this.#handle.unref();
  }

  cancel(): void {
    clearTimeout(this.#handle);
  }
}

/** Splits the delay. */
function setLongTimer(waitMs: number, run: () => void): Timer {
  const dueAt = performance.now() + waitMs;
  let timer: Timer;
  const arm = (leftMs: number): void => {
    timer =
      leftMs > longestMs
        ? new ShortTimer(longestMs, () => arm(dueAt - performance.now()))
        : new ShortTimer(leftMs, run);
  };
  arm(waitMs);
  return { cancel: () => timer.cancel() };
}
