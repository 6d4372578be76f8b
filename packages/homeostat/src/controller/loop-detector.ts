// Detects objects that trigger themselves: every run writes a new value, and only its own writes
// trigger the next run. Such a loop would run at full speed forever; it is reported, and the object
// is throttled until something else triggers it. Own writes are recognized by their
// resourceVersions, because over a fast transport the watch event arrives before the write has
// returned. Two controllers that overwrite each other trigger each other; they are reported, but
// not throttled, because a busy object looks the same.
import type { RecordedCause } from "../queue/workqueue.ts";

/**
 * Consecutive runs, each triggered only by the writes of the previous one, that count as a loop. A
 * status that settles in steps (counting, phases) stays below.
 */
const loopAfter = 50;
/** Consecutive runs with writes, at most `restMs` apart, that count as a fight. */
const fightAfter = 400;
const restMs = 1000;
/** Delay of a detected loop: doubling. */
const pace = { firstMs: 100, mostMs: 60_000 };
/** Source of the cause that triggers a throttled key. */
const pacedSource = "loop";

/** A detected loop. */
export interface Loop {
  readonly runs: number;
  /** The fields written each time, as text. */
  readonly wrote: readonly string[];
  /** "self": only its own writes trigger it. "others": another writer's changes do. */
  readonly wokenBy: "self" | "others";
}

interface History {
  selfWoken: number;
  writing: number;
  lastAt: number;
  revisions: ReadonlySet<string>;
}

/** Counts runs by key. Times are monotonic, in ms. */
export class LoopDetector {
  readonly #histories = new Map<string, History>();

  /**
   * The delay before a key runs; 0 unless it loops and nothing else triggered it. Returns 0 for a
   * key that has waited.
   */
  delayMs(key: string, causes: readonly RecordedCause[]): number {
    const history = this.#histories.get(key);
    if (
      !history ||
      history.selfWoken < loopAfter ||
      causes.some((cause) => cause.source === pacedSource) ||
      !isSelfWoken(history, causes)
    )
      return 0;
    return Math.min(pace.mostMs, pace.firstMs * 2 ** Math.min(20, history.selfWoken - loopAfter));
  }

  /**
   * Records a run and its writes. Returns the loop when it is detected, and each time its length
   * has doubled.
   */
  record(
    key: string,
    causes: readonly RecordedCause[],
    {
      wrote,
      revisions,
      at,
    }: {
      readonly wrote: readonly string[];
      readonly revisions: readonly string[];
      readonly at: number;
    },
  ): Loop | undefined {
    if (wrote.length === 0) return void this.#histories.delete(key);
    const old = this.#histories.get(key);
    const history = {
      selfWoken: old && isSelfWoken(old, causes) ? old.selfWoken + 1 : 0,
      writing: old && at - old.lastAt < restMs ? old.writing + 1 : 0,
      lastAt: at,
      revisions: new Set(revisions),
    };
    this.#histories.set(key, history);
    if (isMilestone(history.selfWoken, loopAfter))
      return { runs: history.selfWoken, wrote, wokenBy: "self" };
    if (isMilestone(history.writing, fightAfter))
      return { runs: history.writing, wrote, wokenBy: "others" };
    return undefined;
  }

  /** The cause that triggers a throttled key. */
  pacedCause(): { readonly what: string; readonly source: string } {
    return { what: "slowed down: its own writes keep waking it", source: pacedSource };
  }

  forget(key: string): void {
    this.#histories.delete(key);
  }
}

function isSelfWoken({ revisions }: History, causes: readonly RecordedCause[]): boolean {
  return (
    causes.length > 0 &&
    causes.every(
      (cause) =>
        cause.source === pacedSource ||
        (cause.resourceVersion !== undefined && revisions.has(cause.resourceVersion)),
    )
  );
}

/** True at `after`, and at each doubling of it. */
function isMilestone(runs: number, after: number): boolean {
  return runs >= after && runs % after === 0 && Number.isInteger(Math.log2(runs / after));
}
