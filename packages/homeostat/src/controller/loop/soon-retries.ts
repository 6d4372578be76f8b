// Counts retries that a reconcile asks for much too often. A poll every half second is none.
import type { LoopRun } from "./history.ts";

/** A retry sooner than this is soon, as is a row of retries that run at a higher rate. */
const soonMs = 500;
const allowed = 100;

interface Row {
  readonly count: number;
  readonly since: number;
}

/** The rows of soon retries of one controller's keys. */
export class SoonRetries {
  readonly #rows = new Map<string, Row>();

  /**
   * Records a run; `isOwn` when only a retry or its own writes triggered it. Returns the number of
   * retries in a row once they are too many, else 0.
   */
  record(key: string, { retryAfterMs, at }: LoopRun, isOwn: boolean): number {
    if (!isSoon(retryAfterMs)) {
      this.forget(key);
      return 0;
    }
    const row = this.#rows.get(key);
    const goesOn = row && isOwn && at - row.since < row.count * soonMs;
    const { count, since } = goesOn ? { ...row, count: row.count + 1 } : { count: 1, since: at };
    this.#rows.set(key, { count, since });
    return count > allowed ? count : 0;
  }

  forget(key: string): void {
    this.#rows.delete(key);
  }

  /** Number of keys with a row. */
  get size(): number {
    return this.#rows.size;
  }
}

/** The run asks for a retry that hardly waits. */
export const isSoon = (retryAfterMs: number | undefined): boolean =>
  retryAfterMs !== undefined && retryAfterMs < soonMs;
