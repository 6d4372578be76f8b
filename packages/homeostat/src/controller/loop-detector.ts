// Finds objects whose reconcile wakes itself: every run writes something new, and its own write is all that woke it. Such a
// loop would run for ever at full speed; it is named, and slowed down until something else wakes the object. Own writes
// are told by their resourceVersion, because over a fast transport the watch speaks before the write has returned.
import type { RecordedCause } from "../queue/workqueue.ts";

/** Runs in a row, each woken by nothing but the write of the run before, after which it is called a loop. A status that settles in steps (counting, phases) stays below. */
const loopAfter = 50;
/** Pace of a loop once found: doubling. */
const pace = { firstMs: 100, mostMs: 60_000 };
/** Source of the cause with which a paced key is woken again. */
const pacedSource = "loop";

/** A loop that has been found. */
export interface Loop {
  readonly runs: number;
  readonly fields: readonly string[];
}

interface History {
  /** Self-woken runs in a row that wrote something. */
  runs: number;
  /** The resourceVersion of the last own write. */
  revision: string | undefined;
}

/** Counts self-woken runs by key. */
export class LoopDetector {
  readonly #histories = new Map<string, History>();

  /** How long a key should wait before it runs; 0 unless it loops and nothing else woke it. Answers 0 for a key that has waited. */
  delayMs(key: string, causes: readonly RecordedCause[]): number {
    const history = this.#histories.get(key);
    if (!history || history.runs < loopAfter || causes.some((cause) => cause.source === pacedSource) || !this.#isSelfWoken(history, causes)) return 0;
    return Math.min(pace.mostMs, pace.firstMs * 2 ** Math.min(20, history.runs - loopAfter));
  }

  /** Records a run with the status fields that it changed and the revision of that write; yields the loop when it is found, and again each time its length doubles. */
  record(key: string, causes: readonly RecordedCause[], { wrote, revision }: { readonly wrote: readonly string[]; readonly revision?: string | undefined }): Loop | undefined {
    if (wrote.length === 0) return void this.#histories.delete(key);
    const history = this.#histories.get(key) ?? { runs: 0, revision: undefined };
    history.runs = this.#isSelfWoken(history, causes) ? history.runs + 1 : 0;
    history.revision = revision;
    this.#histories.set(key, history);
    const beyond = history.runs / loopAfter;
    return beyond >= 1 && Number.isInteger(Math.log2(beyond)) ? { runs: history.runs, fields: wrote } : undefined;
  }

  /** The cause to wake a paced key with. */
  pacedCause(): { readonly what: string; readonly source: string } {
    return { what: "slowed down: its own writes keep waking it", source: pacedSource };
  }

  forget(key: string): void {
    this.#histories.delete(key);
  }

  #isSelfWoken({ revision }: History, causes: readonly RecordedCause[]): boolean {
    return causes.length > 0 && causes.every((cause) => cause.source === pacedSource || (revision !== undefined && cause.resourceVersion === revision));
  }
}
