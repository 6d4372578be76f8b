// CPU time and memory of processes, from /proc for other processes: the figures that shared cores
// distort least. Linux only; elsewhere the figures are missing, and rows report that.
import { readFileSync } from "node:fs";

/**
 * Clock ticks per second of /proc/<pid>/stat: USER_HZ, 100 on every Linux that Node runs on
 * (proc(5)).
 */
const ticksPerSecond = 100;

/** CPU seconds used so far by all processes together; undefined where the system does not tell. */
export function cpuSeconds(pids: readonly number[]): number | undefined {
  return sum(pids, (pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  });
}

/** Microseconds of CPU for each of `count` units between two readings in seconds. */
export function perUnit(
  after: number | undefined,
  before: number | undefined,
  count: number,
): number | undefined {
  return after === undefined || before === undefined ? undefined : ((after - before) * 1e6) / count;
}

/** Resident megabytes of all processes together; undefined where the system does not tell. */
export function residentMegabytes(pids: readonly number[]): number | undefined {
  return sum(
    pids,
    (pid) =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
  );
}

/**
 * The most resident megabytes that all processes together have had; undefined where the system does
 * not tell.
 */
export function peakMegabytes(pids: readonly number[]): number | undefined {
  return sum(
    pids,
    (pid) =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
  );
}

/** Bytes of this process's heap and buffers once garbage is collected. Needs `--expose-gc`. */
export function settledMemory(): number {
  for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function sum(pids: readonly number[], read: (pid: number) => number): number | undefined {
  try {
    return pids.reduce((total, pid) => total + read(pid), 0);
  } catch {
    return undefined;
  }
}
