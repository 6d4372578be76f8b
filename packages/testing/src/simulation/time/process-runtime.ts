// The runtime of one simulated process. When the process is killed, nothing that it has begun goes
// on: no timer of it fires, and no promise that waits for one is ever settled, as after SIGKILL.
import type { Runtime } from "homeostat/runtime";
import { createEntropy } from "./chance.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A runtime that can be killed, and whose wall clock can be set. */
export interface ProcessRuntime extends Runtime {
  kill(): void;
  /** Sets the wall clock by so much; timers and the monotonic clock do not notice. */
  setWallBy(ms: number): void;
  /** Code of the process has taken the wall clock from Node, not from its runtime. */
  readonly hasUsedDate: boolean;
  usesDate(): void;
}

/** `within` runs code as a part of the process. */
export function createProcessRuntime(
  time: VirtualTime,
  seed: number,
  within: (runtime: ProcessRuntime, code: () => void) => void = (_, code) => code(),
): ProcessRuntime {
  let isDead = false;
  let skewMs = 0;
  let hasUsedDate = false;
  const alive = (run: () => void) => () => {
    if (!isDead) within(runtime, run);
  };
  const runtime: ProcessRuntime = {
    clock: {
      now: () => time.wall + skewMs,
      monotonic: () => time.elapsed,
      timer: (afterMs, run) => (isDead ? never : time.timer(afterMs, alive(run))),
    },
    entropy: createEntropy(seed),
    defer: (run) => queueMicrotask(alive(run)),
    kill: () => void (isDead = true),
    setWallBy: (ms) => void (skewMs += ms),
    get hasUsedDate() {
      return hasUsedDate;
    },
    usesDate: () => void (hasUsedDate = true),
  };
  return runtime;
}

const never = { cancel: () => {} };
