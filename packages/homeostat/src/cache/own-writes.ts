// What this process wrote and the watch has not shown yet: the overlay that keeps reads from being
// older than own writes. It only ever lets a read see something newer. It never hides a revision
// newer than the own write, and drops an entry as soon as the watch has passed it, so nobody else's
// change is swallowed.
// A deletion is remembered by uid, since its answer names no revision: what was deleted is never
// read again, and another object of the same name is not affected. (Deleting by name what was never
// read may thus leave an even older namesake in view for as long as the watch lags.)
import { compareResourceVersions } from "../api/resource-version.ts";
import type { CachedEntry } from "./cached-entry.ts";

interface OwnWrite {
  readonly entry: CachedEntry;
  /** False when the object as written no longer belongs to the informer's selection. */
  readonly selected: boolean;
}

/** Uids remembered at most; one that is pushed out is only shown until its deletion arrives. */
const deletionsKept = 1024;

/** The overlay of one informer. */
export class OwnWrites {
  readonly #writes = new Map<string, OwnWrite>();
  readonly #deleted = new Set<string>();
  #observed: string | undefined;

  /** Own writes that the watch has not passed. */
  get size(): number {
    return this.#writes.size;
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.#deleted.size === 0;
  }

  /** A write was acknowledged with this revision. */
  written(entry: CachedEntry, selected: boolean): void {
    if (this.#observed !== undefined && !isNewer(entry.resourceVersion, this.#observed)) return;
    const held = this.#writes.get(entry.key);
    if (!held || isNewer(entry.resourceVersion, held.entry.resourceVersion))
      this.#writes.set(entry.key, { entry, selected });
  }

  /** A deletion was acknowledged. */
  deleted(uid: string): void {
    this.#deleted.add(uid);
    if (this.#deleted.size > deletionsKept)
      this.#deleted.delete(this.#deleted.values().next().value!);
  }

  /** The watch has shown everything up to this revision. */
  observed(resourceVersion: string): void {
    this.#observed = resourceVersion;
    for (const [key, { entry }] of this.#writes)
      if (!isNewer(entry.resourceVersion, resourceVersion)) this.#writes.delete(key);
  }

  /** The watch has shown that this object is gone; yields true when this process had deleted it. */
  observedDeletion(uid: string): boolean {
    return this.#deleted.delete(uid);
  }

  /** True when this very revision was written here. */
  isOwn(entry: { readonly key: string; readonly resourceVersion: string }): boolean {
    return this.#writes.get(entry.key)?.entry.resourceVersion === entry.resourceVersion;
  }

  /** What a read of `key` sees, given what the watch has shown. */
  resolve(key: string, cached: CachedEntry | undefined): CachedEntry | undefined {
    const own = this.#writes.get(key);
    const wins =
      own !== undefined && (!cached || isNewer(own.entry.resourceVersion, cached.resourceVersion));
    const seen = wins ? (own.selected ? own.entry : undefined) : cached;
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
