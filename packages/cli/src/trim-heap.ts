// Gives memory back while the server is idle. A start makes V8 enlarge its young generation to
// 32 MB; it keeps that, and pages that it has freed, as long as a process allocates little. The
// command does this, and not the library: a heap belongs to the whole process.
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, createSystemRuntime, type Timer } from "homeostat/runtime";

/** What the process has used so far. */
export interface HeapUsage {
  readonly cpuMs: number;
  /** Committed by the heap. */
  readonly totalBytes: number;
  /** Of objects, garbage included. */
  readonly usedBytes: number;
}

export interface HeapTrimmerOptions {
  readonly usage: () => HeapUsage;
  /** Collects all garbage and frees what is empty. */
  readonly collect: () => void;
}

const everyMs = 300;
/** A tenth of one core. */
const idleMs = everyMs / 10;
/** A client that connects leaves one such interval before its first request. */
const idleIntervals = 2;
/** What a collection must promise, at the price of about 70 ms. */
const growthBytes = 6 << 20;
/** A larger heap takes longer to collect than a request should wait. */
const smallBytes = 64 << 20;

/** Decides once per interval: a function to be called at its end. */
export function createHeapTrimmer({ usage, collect }: HeapTrimmerOptions): () => void {
  let { cpuMs } = usage();
  let keptBytes = 0;
  let idle = 0;
  return () => {
    const now = usage();
    idle = now.cpuMs - cpuMs <= idleMs ? idle + 1 : 0;
    cpuMs = now.cpuMs;
    if (
      idle < idleIntervals ||
      now.usedBytes > smallBytes ||
      now.totalBytes - keptBytes < growthBytes
    )
      return;
    collect();
    ({ cpuMs, totalBytes: keptBytes } = usage());
  };
}

/** Trims the heap of this process whenever it is idle. Returns a function that ends that. */
export function trimHeapWhenIdle(clock: Clock = createSystemRuntime().clock): () => void {
  const trim = createHeapTrimmer({ usage: usageNow, collect: collectNow });
  const next = (): Timer =>
    clock.timer(everyMs, () => {
      trim();
      timer = next();
    });
  let timer = next();
  return () => timer.cancel();
}

function usageNow(): HeapUsage {
  const { user, system } = process.cpuUsage();
  const { total_heap_size: totalBytes, used_heap_size: usedBytes } = getHeapStatistics();
  return { cpuMs: (user + system) / 1000, totalBytes, usedBytes };
}

/**
 * Only this flavor shrinks the young generation and returns pages. Compiled code stays, or the next
 * request would compile it again.
 */
function collectNow(): void {
  setFlagsFromString("--no-flush-bytecode");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: object) => void;
  setFlagsFromString("--no-expose-gc");
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  setFlagsFromString("--flush-bytecode");
}
