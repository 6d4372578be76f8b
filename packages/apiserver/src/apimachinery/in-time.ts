// Waits for work that may never end.
import type { Clock } from "homeostat/runtime";

export interface TimeLimit {
  readonly ms: number;
  /** The error of work that takes longer; the work goes on. */
  readonly late: () => Error;
}

/** What the work resolves to. */
export async function inTime<T>(
  work: Promise<T>,
  clock: Clock,
  { ms, late }: TimeLimit,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = clock.timer(ms, () => reject(late()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    timer.cancel();
  }
}
