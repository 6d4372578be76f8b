// A runtime whose time advances only on request and whose randomness repeats by seed, for
// deterministic tests. Deferred work uses the microtask queue, so that promises and deferred calls
// interleave as in production.
import type { Entropy } from "./entropy.ts";
import type { Timer } from "./clock.ts";
import type { Runtime } from "./runtime.ts";

/** A runtime that a test controls. */
export interface VirtualRuntime extends Runtime {
  /**
   * Advances time by `ms`, running every due timer in order, and lets promises settle in between.
   */
  advance(ms: number): Promise<void>;
  /** Milliseconds until the next timer, or undefined when none is pending. */
  nextTimerMs(): number | undefined;
}

interface Pending extends Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Creates a virtual runtime that starts at `startMs` (default 2026-01-01T00:00:00Z) with the given
 * `seed`.
 */
export function createVirtualRuntime(
  options: { readonly startMs?: number; readonly seed?: number } = {},
): VirtualRuntime {
  const start = options?.startMs ?? 1_767_225_600_000;
  const pending = new Set<Pending>();
  let elapsed = 0;
  let order = 0;
  const next = (): Pending | undefined =>
    [...pending].toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
  return {
    clock: {
      now: () => start + elapsed,
      monotonic: () => elapsed,
      timer(afterMs, run) {
        const timer: Pending = {
          at: elapsed + Math.max(0, afterMs),
          order: order++,
          run,
          cancel: () => void pending.delete(timer),
        };
        pending.add(timer);
        return timer;
      },
    },
    entropy: createXorshift(options.seed ?? 1),
    defer: (run) => queueMicrotask(run),
    nextTimerMs() {
      const timer = next();
      return timer && timer.at - elapsed;
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let timer = next(); timer && timer.at <= until; timer = next()) {
        pending.delete(timer);
        elapsed = Math.max(elapsed, timer.at);
        timer.run();
        await settle();
      }
      elapsed = until;
    },
  };
}

/** A pseudo-random generator (xorshift32) with a reproducible sequence. */
function createXorshift(seed: number): Entropy {
  let state = seed >>> 0 || 1;
  return {
    bytes(n) {
      const out = new Uint8Array(n);
      for (let i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        out[i] = state & 0xff;
      }
      return out;
    },
  };
}

/** Lets chains of resolved promises complete; no chain in the cores is longer than 64 turns. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 64; turn++) await Promise.resolve();
}
