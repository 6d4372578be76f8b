// The real event loop below a simulated world: whether anything is left in it that could still make
// something happen without the world's time.
import process from "node:process";
import { createSystemRuntime } from "homeostat/runtime";

/** Lets everything run that is due now: promises, and what asked for the next turn. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Real ms, for limits on work outside of a world. */
export const realMs: () => number = createSystemRuntime().clock.monotonic;

/** What keeps the process busy beside the world, such as a test runner's pipe. */
export type ActiveResources = ReadonlyMap<string, number>;

export function activeResources(): ActiveResources {
  const counts = new Map<string, number>();
  for (const type of process.getActiveResourcesInfo())
    counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

/**
 * The kinds of work under way that were not when `before` was taken, such as `FSReqCallback`.
 * Timers do not count: a test runner has its own, and those of a scenario are the world's.
 */
export function startedSince(before: ActiveResources): readonly string[] {
  return [...activeResources()]
    .filter(([type, count]) => type !== "Timeout" && count > (before.get(type) ?? 0))
    .map(([type]) => type);
}
