// Finds objects whose reconcile wakes itself: every run writes something new, and its own writes
// are all that woke it. Such a loop would run for ever at full speed; it is named, and slowed down
// until something else wakes the object. Own writes are told by their resourceVersions, because
// over a fast transport the watch speaks before the write has returned. Two controllers that
// overwrite each other look alike from outside but wake each other; they are named, not slowed
// down, because a busy object looks the same.
import type { RecordedCause } from "../queue/workqueue.ts";

/**
 * Runs in a row, each woken by nothing but the writes of the run before, after which it is called a
 * loop. A status that settles in steps (counting, phases) stays below.
 */
const loopAfter = 50;
/** Runs in a row that wrote, at most `restMs` apart, after which it is called a fight. */
const fightAfter = 400;
const restMs = 1000;
/** Pace of a loop once found: doubling. */
const pace = { firstMs: 100, mostMs: 60_000 };
/** Source of the cause with which a paced key is woken again. */
const pacedSource = "loop";

/** A loop that has been found. */
export interface Loop {
  readonly runs: number;
  /** What is written each time, in words. */
  readonly wrote: readonly string[];
  /**
   * "self": nothing else wakes the object. "others": somebody else's changes do, time and again.
   */
  readonly wokenBy: "self" | "others";
}

interface History {
  selfWoken: number;
  writing: number;
  lastAt: number;
  revisions: ReadonlySet<string>;
}

/** Counts runs by key. Times are of any monotonic clock, in ms. */
export class LoopDetector {
  readonly #histories = new Map<string, History>();

  /**
   * How long a key should wait before it runs; 0 unless it loops and nothing else woke it. Answers
   * 0 for a key that has waited.
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
   * Records a run with what it wrote; yields the loop when it is found, and again each time its
   * length doubles.
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

  /** The cause to wake a paced key with. */
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
