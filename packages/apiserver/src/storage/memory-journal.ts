// A journal in memory, which outlives its store: tests reopen it, and delay or fail its writes.
import type { Journal, Revision } from "./store.ts";

/** A journal in memory. Opening a second store on it simulates a restart. */
export interface MemoryJournal extends Journal {
  /**
   * Makes batches wait for this promise before they are stored, until called with undefined; a
   * rejection fails them.
   */
  hold(until: Promise<void> | undefined): void;
}

/** Creates an empty journal. */
export function createMemoryJournal(): MemoryJournal {
  let stored: Revision[] = [];
  let compacted = 0;
  let gate: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const store = async (
    batch: readonly Revision[],
    before: Promise<unknown>,
    held: Promise<void> | undefined,
  ): Promise<void> => {
    await before;
    await held;
    stored.push(...batch);
  };
  return {
    hold: (until) => void (gate = until),
    load(each) {
      stored = withoutReplaced(stored, compacted);
      stored.forEach(each);
    },
    append(batch) {
      const done = store(batch, last, gate);
      last = done.catch(() => undefined);
      return done;
    },
    compact: (revision) => void (compacted = Math.max(compacted, revision)),
    compacted: () => compacted,
    close: async () => void (await last),
  };
}

function withoutReplaced(stored: readonly Revision[], upTo: number): Revision[] {
  const newest = new Map<string, Revision>();
  for (const revision of stored) if (revision.revision <= upTo) newest.set(revision.key, revision);
  return stored.filter(
    (revision) =>
      revision.revision > upTo ||
      (newest.get(revision.key) === revision && revision.type !== "DELETED"),
  );
}
