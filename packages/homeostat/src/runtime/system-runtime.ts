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

/** Splits longer delays. Infinity never runs; NaN must not cause a busy loop. */
function setTimer(afterMs: number, run: () => void): Timer {
  const waitMs = Number.isNaN(afterMs) ? Infinity : afterMs;
  const dueAt = performance.now() + waitMs;
  let handle: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    handle =
      leftMs > longestMs
        ? setTimeout(() => arm(dueAt - performance.now()), longestMs)
        : setTimeout(run, Math.max(0, leftMs));
    handle.unref();
  };
  arm(waitMs);
  return { cancel: () => clearTimeout(handle) };
}
