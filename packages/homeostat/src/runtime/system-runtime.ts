// The real world behind Runtime: the process's clock, the operating system's randomness, the event loop.
// The only file of the runtime that touches Date, timers or node:crypto.
import { randomFillSync } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Runtime } from "./runtime.ts";

const poolBytes = 4096;

/** Creates a Runtime on the process's own clock and randomness. Timers do not keep the process alive. */
export function createSystemRuntime(): Runtime {
  let pool = new Uint8Array(poolBytes);
  let used = poolBytes;
  return {
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      timer(afterMs, run) {
        const handle = setTimeout(run, Math.max(0, afterMs));
        handle.unref();
        return { cancel: () => clearTimeout(handle) };
      },
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
