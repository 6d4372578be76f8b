// The log of all acknowledged changes in order of revision, since the last compaction. Each version
// links to the one before it under the same key; compaction cuts both the log and these links.
// Upstream: go.etcd.io/etcd/server/v3/storage/mvcc/key_index.go.
import type { ObjectAttributes, Revision } from "./store.ts";

/** A revision in the store; `older` is the previous one under the key, tombstones included. */
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

  /** The object before this change; undefined when there was none or it has been compacted. */
  get previous(): Revision | undefined {
    return this.older?.type === "DELETED" ? undefined : this.older;
  }
}

/** Changes in order of revision. */
export class History {
  #log: Version[] = [];
  #bytes = 0;
  #compacted = 0;

  /** The revision up to which changes have been compacted. */
  get compacted(): number {
    return this.#compacted;
  }

  get length(): number {
    return this.#log.length;
  }

  /** Total size of the changes in the log. */
  get bytes(): number {
    return this.#bytes;
  }

  append(version: Version): void {
    this.#log.push(version);
    this.#bytes += version.bytes.length;
  }

  /** Marks changes up to `revision` as compacted, as after opening a compacted journal. */
  startAfter(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** The revision of the newest change before the last `count` ones; 0 when there is none. */
  revisionBefore(count: number): number {
    return this.#log[this.#log.length - count - 1]?.revision ?? 0;
  }

  /** The revision of the newest change before those that fit into `bytes`; 0 when all fit. */
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
   * Drops changes up to `revision`, and passes each deletion among them to `gone`, since its key
   * may be free now. Returns the revisions that nothing refers to any more: deletions, and states
   * that dropped changes replaced.
   */
  compact(revision: number, gone: (tombstone: Version) => void): number[] {
    const unneeded: number[] = [];
    if (revision <= this.#compacted) return unneeded;
    this.#compacted = revision;
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
