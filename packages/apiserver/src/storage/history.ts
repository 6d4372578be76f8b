// The global log: every acknowledged change in order of revision, from the last compaction on.
// Chains per key hang on the versions themselves; this file cuts both when history is forgotten.
import type { ObjectAttributes, Revision } from "./store.ts";

/** A revision as the store holds it: `older` leads to the state before, tombstones included. */
export class Version implements Revision {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly schemaEpoch: number;
  readonly bytes: Uint8Array;
  readonly attributes: ObjectAttributes;
  readonly type: Revision["type"];
  older: Version | undefined;

  constructor(of: Omit<Revision, "previous">, older: Version | undefined) {
    this.key = of.key;
    this.revision = of.revision;
    this.created = of.created;
    this.schemaEpoch = of.schemaEpoch;
    this.bytes = of.bytes;
    this.attributes = of.attributes;
    this.type = of.type;
    this.older = older;
  }

  /**
   * The object before this change: nothing where there was none, or where history has forgotten it.
   */
  get previous(): Revision | undefined {
    return this.older?.type === "DELETED" ? undefined : this.older;
  }
}

/** Changes in order of revision. */
export class History {
  #log: Version[] = [];
  #bytes = 0;
  #forgotten = 0;

  /** The revision up to which changes have been forgotten. */
  get compacted(): number {
    return this.#forgotten;
  }

  get length(): number {
    return this.#log.length;
  }

  /** What the changes in the log weigh. */
  get bytes(): number {
    return this.#bytes;
  }

  append(version: Version): void {
    this.#log.push(version);
    this.#bytes += version.bytes.length;
  }

  /** Takes note that nothing up to `revision` is known, as after opening a compacted journal. */
  startAfter(revision: number): void {
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** The revision of the change that leaves `count` newer ones in the log. */
  revisionBefore(count: number): number {
    return this.#log[this.#log.length - count - 1]?.revision ?? 0;
  }

  /** The revision of the change after which the log weighs no more than `bytes`. */
  revisionBeforeBytes(bytes: number): number {
    let rest = this.#bytes;
    let at = 0;
    while (rest > bytes) rest -= this.#log[at++]!.bytes.length;
    return this.#log[at - 1]?.revision ?? 0;
  }

  /** Calls `each` for the changes after `revision`. */
  replay(revision: number, each: (version: Version) => void): void {
    for (let at = this.#after(revision); at < this.#log.length; at++) each(this.#log[at]!);
  }

  /**
   * Forgets changes up to `revision`; `gone` gets each deletion among them, whose key may now be
   * free. Returns the revisions that nothing needs any more: deletions, and states that a forgotten
   * change has replaced.
   */
  compact(revision: number, gone: (tombstone: Version) => void): number[] {
    const unneeded: number[] = [];
    if (revision <= this.#forgotten) return unneeded;
    this.#forgotten = revision;
    for (const version of this.#log.splice(0, this.#after(revision))) {
      this.#bytes -= version.bytes.length;
      if (version.older && version.older.type !== "DELETED") unneeded.push(version.older.revision);
      version.older = undefined;
      if (version.type !== "DELETED") continue;
      unneeded.push(version.revision);
      gone(version);
    }
    return unneeded;
  }

  /** Index of the first change after `revision`. */
  #after(revision: number): number {
    let low = 0;
    let high = this.#log.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#log[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
