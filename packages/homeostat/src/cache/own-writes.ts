// Writes of this process that the watch has not delivered yet: the overlay that makes reads at
// least as new as own writes. It only ever makes a read newer: it never hides a revision newer than
// the own write, and drops an entry once the watch has passed it, so that no other change is lost.
// Deletions are stored by uid, because their response has no revision: a deleted object is never
// read again, and a new object of the same name is not affected. (After deleting by name an object
// that was never read, reads may return an older object of that name until the watch catches up.)
// A server restored from a backup counts revisions from an earlier one: what was written before
// that is not newer than what it lists, however it is numbered.
import { compareResourceVersions } from "../api/resource-version.ts";
import type { CachedEntry } from "./cached-entry.ts";

interface OwnWrite {
  readonly entry: CachedEntry;
  /** False when the written object no longer matches the informer's selectors. */
  readonly selected: boolean;
  /** The lists that had begun when it was recorded. */
  readonly lists: number;
}

/** Limit of stored uids; an evicted object is readable until its deletion arrives. */
const deletionsKept = 1024;

/** The overlay of one informer. */
export class OwnWrites {
  readonly #writes = new Map<string, OwnWrite>();
  /** By uid: the lists that had begun when the deletion was recorded. */
  readonly #deleted = new Map<string, number>();
  #lists = 0;
  #observed: string | undefined;

  /** Number of own writes that the watch has not passed. */
  get size(): number {
    return this.#writes.size;
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.#deleted.size === 0;
  }

  /** Length of the texts of the own writes. */
  get bytes(): number {
    let sum = 0;
    for (const { entry } of this.#writes.values()) sum += entry.size;
    return sum;
  }

  *entries(): Iterable<CachedEntry> {
    for (const { entry } of this.#writes.values()) yield entry;
  }

  /** False when the watch has already delivered this revision. */
  awaits(resourceVersion: string): boolean {
    return this.#observed === undefined || isNewer(resourceVersion, this.#observed);
  }

  /** The entry of a recorded write. */
  find(key: string, resourceVersion: string): CachedEntry | undefined {
    const entry = this.#writes.get(key)?.entry;
    return entry?.resourceVersion === resourceVersion ? entry : undefined;
  }

  /**
   * The watch has delivered this entry, which the cache now holds. True when this process wrote its
   * revision.
   */
  arrives(entry: CachedEntry): boolean {
    const ours = this.find(entry.key, entry.resourceVersion);
    if (ours === entry) this.#writes.delete(entry.key);
    return ours !== undefined;
  }

  /** Records an acknowledged write. */
  written(entry: CachedEntry, selected: boolean): void {
    if (!this.awaits(entry.resourceVersion)) return;
    const held = this.#writes.get(entry.key);
    if (held && !isNewer(entry.resourceVersion, held.entry.resourceVersion)) return;
    held?.entry.retire();
    this.#writes.set(entry.key, { entry, selected, lists: this.#lists });
  }

  /** Records an acknowledged deletion. */
  deleted(uid: string): void {
    this.#deleted.set(uid, this.#lists);
    if (this.#deleted.size > deletionsKept)
      this.#deleted.delete(this.#deleted.keys().next().value!);
  }

  /** The watch has delivered everything up to this revision. */
  observed(resourceVersion: string): void {
    this.#observed = resourceVersion;
    for (const { entry } of this.#writes.values())
      if (!isNewer(entry.resourceVersion, resourceVersion)) this.#drop(entry);
  }

  /** A list begins. */
  listing(): void {
    this.#lists++;
  }

  /**
   * A list is complete at this revision. One older than what the watch has delivered comes from a
   * restored server: what was written before this list began is forgotten.
   */
  listed(resourceVersion: string): void {
    if (this.#observed !== undefined && isNewer(this.#observed, resourceVersion)) {
      for (const { entry, lists } of this.#writes.values())
        if (lists < this.#lists) this.#drop(entry);
      for (const [uid, lists] of this.#deleted) if (lists < this.#lists) this.#deleted.delete(uid);
    }
    this.observed(resourceVersion);
  }

  clear(): void {
    for (const { entry } of this.#writes.values()) this.#drop(entry);
    this.#deleted.clear();
  }

  #drop(entry: CachedEntry): void {
    entry.retire();
    this.#writes.delete(entry.key);
  }

  /** The watch has delivered a deletion; returns true when this process had deleted the object. */
  observedDeletion(uid: string): boolean {
    return this.#deleted.delete(uid);
  }

  /** True when this process wrote this revision. */
  isOwn(entry: { readonly key: string; readonly resourceVersion: string }): boolean {
    return this.find(entry.key, entry.resourceVersion) !== undefined;
  }

  /** The object that a read of `key` returns, given the one that the watch has delivered. */
  resolve(key: string, cached: CachedEntry | undefined): CachedEntry | undefined {
    const own = this.#writes.get(key);
    const wins =
      own !== undefined && (!cached || isNewer(own.entry.resourceVersion, cached.resourceVersion));
    const written = own?.selected ? own.entry : undefined;
    const seen = wins ? written : cached;
    return seen && !this.#deleted.has(seen.uid) ? seen : undefined;
  }

  /** Keys that reads may see differently than the watch has shown them. */
  keys(): Iterable<string> {
    return this.#writes.keys();
  }
}

/** Revisions that cannot be compared count as not newer: then the watch is believed. */
function isNewer(a: string, b: string): boolean {
  return (compareResourceVersions(a, b) ?? 0) > 0;
}
