// The in-memory MVCC store. A commit compares, assigns, encodes and enqueues in one synchronous
// step; it becomes visible when the journal acknowledges it, or at once without a journal. All
// readers see changes in order of revision. Knows no JSON, no kinds and no clock.
// Upstream: go.etcd.io/etcd/server/v3/storage/mvcc.
import { compareBytewise } from "homeostat/api";
import { History, Version } from "./history.ts";
import { OrderedRecords } from "./ordered-records.ts";
import type { Encoded, Journal, Listing, Revision, Store } from "./store.ts";
import { StoreClosedError, StoreConflictError } from "./store-errors.ts";
import { WatcherIndex } from "./watcher-index.ts";

export interface MemoryStoreOptions {
  /**
   * Makes commits durable; without one they are acknowledged at once. The store loads and closes
   * it.
   */
  readonly journal?: Journal;
  /**
   * Changes to keep at least for old reads and late watches; compaction runs at twice as many.
   * Default 50,000.
   */
  readonly keepChanges?: number;
  /**
   * Total size of the kept changes in bytes; when exceeded, compaction keeps half of it. Default
   * 64 MiB.
   */
  readonly keepBytes?: number;
}

/** One key: its newest acknowledged version, possibly a tombstone, and its unacknowledged write. */
interface KeyRecord {
  readonly key: string;
  head: Version | undefined;
  pending: Promise<unknown> | undefined;
}

interface Watcher {
  readonly prefix: string;
  /** The newest revision that was delivered to this watcher or that it skips. */
  seen: number;
  readonly each: (change: Revision) => void;
}

/** A write between encoding and acknowledgement. */
interface Write {
  readonly version: Version;
  readonly record: KeyRecord;
  state: "waiting" | "durable" | "failed";
  readonly settle: () => void;
}

/** Creates a store, filled from its journal. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

class MemoryStore implements Store {
  readonly #records = new Map<string, KeyRecord>();
  readonly #ordered = new OrderedRecords<KeyRecord>();
  readonly #history = new History();
  readonly #watchers = new WatcherIndex<Watcher>();
  readonly #journal: Journal | undefined;
  readonly #keepChanges: number;
  readonly #keepBytes: number;
  /** Reads up to this revision are compacted, although watches may still start after it. */
  #unreadable = 0;
  /** Visible changes that are not yet delivered to all watchers; delivery never nests. */
  readonly #undelivered: Version[] = [];
  #delivering = false;
  /** Writes that are not visible yet, in order of revision. */
  readonly #writes: Write[] = [];
  #assigned = 0;
  #visible = 0;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.#journal = options.journal;
    this.#keepChanges = options.keepChanges ?? 50_000;
    this.#keepBytes = options.keepBytes ?? 64 * 2 ** 20;
    this.#load();
  }

  revision(): number {
    return this.#visible;
  }

  latest(key: string): Revision | undefined {
    const head = this.#records.get(key)?.head;
    return head?.type === "DELETED" ? undefined : head;
  }

  list(
    prefix: string,
    options: { readonly at?: number; readonly startKey?: string } = {},
  ): Listing | "compacted" | "future" {
    const at = options.at ?? this.#visible;
    if (at > this.#visible) return "future";
    if (at <= this.#unreadable && at !== this.#visible) return "compacted";
    const start =
      options.startKey !== undefined && compareBytewise(options.startKey, prefix) > 0
        ? options.startKey
        : prefix;
    const ordered = this.#ordered;
    return {
      revision: at,
      items: { [Symbol.iterator]: () => liveAt(ordered.from(start), prefix, at) },
      countAfter: (key) =>
        ordered.countAfter(key, prefix, (record) => versionAt(record, at) !== undefined),
    };
  }

  commit(
    key: string,
    expected: number,
    encode: (revision: number) => Encoded | null,
    lastState?: (revision: number) => Encoded,
  ): Promise<Revision> | "conflict" {
    if (this.#closed) return Promise.reject(new StoreClosedError(key));
    const pending = this.#records.get(key)?.pending;
    if (pending) return this.#commitAfter(pending, key, expected, encode, lastState);
    if ((this.latest(key)?.revision ?? 0) !== expected) return "conflict";
    const version = this.#encode(key, this.#assigned + 1, encode, lastState);
    this.#assigned = version.revision;
    const record = this.#record(key);
    if (this.#journal) return this.#commitDurably(this.#journal, version, record);
    this.#show(version, record);
    this.#deliver();
    return Promise.resolve(version);
  }

  since(
    prefix: string,
    revision: number,
    each: (change: Revision) => void,
  ): { stop(): void } | "compacted" | "future" {
    if (revision > this.#visible) return "future";
    if (revision < this.#history.compacted) return "compacted";
    const watcher: Watcher = { prefix, seen: this.#visible, each };
    this.#history.replay(revision, (version) => {
      if (version.key.startsWith(prefix)) each(version);
    });
    this.#watchers.add(prefix, watcher);
    return {
      stop: () => {
        watcher.seen = Infinity;
        this.#watchers.remove(prefix, watcher);
      },
    };
  }

  compact(revision: number, { watchable = 0 }: { readonly watchable?: number } = {}): void {
    const upTo = Math.min(revision, this.#visible);
    this.#unreadable = Math.max(this.#unreadable, upTo);
    const forget = watchable ? Math.min(upTo, this.#history.revisionBefore(watchable)) : upTo;
    const unneeded = this.#history.compact(forget, (tombstone) => this.#free(tombstone));
    if (forget > 0) this.#journal?.compact?.(forget, unneeded);
  }

  compacted(): number {
    return this.#history.compacted;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#watchers.clear();
    await this.#journal?.close();
  }

  #load(): void {
    this.#journal?.load((revision) => {
      const record = this.#record(revision.key);
      record.head = new Version(revision, record.head);
      this.#history.append(record.head);
      this.#visible = revision.revision;
    });
    const compacted = this.#journal?.compacted?.() ?? 0;
    this.#history.compact(compacted, (tombstone) => this.#free(tombstone));
    this.#unreadable = compacted;
    this.#visible = Math.max(this.#visible, compacted);
    this.#assigned = this.#visible;
  }

  /** Retries after the pending write of the key, whose outcome decides about conflicts. */
  async #commitAfter(
    pending: Promise<unknown>,
    ...write: Parameters<Store["commit"]>
  ): Promise<Revision> {
    await pending;
    const outcome = this.commit(...write);
    if (outcome === "conflict")
      throw new StoreConflictError(
        `commit ${write[0]}: expected revision ${write[1]}, found ${this.latest(write[0])?.revision ?? "no object"}; read it again and retry`,
      );
    return outcome;
  }

  #encode(
    key: string,
    revision: number,
    encode: (revision: number) => Encoded | null,
    lastState: ((revision: number) => Encoded) | undefined,
  ): Version {
    const head = this.#records.get(key)?.head;
    const live = head?.type === "DELETED" ? undefined : head;
    const encoded = encode(revision);
    if (!encoded && !live)
      throw new Error(
        `commit ${key}: a delete needs an object, but the key has none; compare before deleting`,
      );
    const state = encoded ?? lastState?.(revision) ?? live!;
    return new Version(
      {
        key,
        revision,
        created: live?.created ?? revision,
        schemaEpoch: state.schemaEpoch ?? 0,
        bytes: state.bytes,
        attributes: state.attributes,
        type: changeType(encoded, live),
      },
      head,
    );
  }

  async #commitDurably(journal: Journal, version: Version, record: KeyRecord): Promise<Revision> {
    const visible = Promise.withResolvers<void>();
    const write: Write = { version, record, state: "waiting", settle: visible.resolve };
    record.pending = visible.promise;
    this.#writes.push(write);
    try {
      await journal.append([version]);
      write.state = "durable";
    } catch (error) {
      write.state = "failed";
      throw error;
    } finally {
      this.#showSettled();
    }
    await visible.promise;
    return version;
  }

  /** Makes acknowledged writes visible in order: none overtakes one that is still waiting. */
  #showSettled(): void {
    while (this.#writes[0] && this.#writes[0].state !== "waiting") {
      const { version, record, state, settle } = this.#writes.shift()!;
      record.pending = undefined;
      if (state === "durable") this.#show(version, record);
      else if (!record.head) this.#drop(record);
      settle();
    }
    this.#deliver();
  }

  #show(version: Version, record: KeyRecord): void {
    record.head = version;
    this.#visible = version.revision;
    this.#history.append(version);
    if (this.#history.length >= 2 * this.#keepChanges)
      this.compact(this.#history.revisionBefore(this.#keepChanges));
    if (this.#history.bytes > this.#keepBytes)
      this.compact(this.#history.revisionBeforeBytes(this.#keepBytes / 2));
    this.#undelivered.push(version);
  }

  /** Delivers visible changes. A watcher that commits extends the queue, so all see one order. */
  #deliver(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    for (let version = this.#undelivered.shift(); version; version = this.#undelivered.shift()) {
      const change = version;
      this.#watchers.visit(change.key, (watcher) => deliverTo(watcher, change));
    }
    this.#delivering = false;
  }

  #record(key: string): KeyRecord {
    const known = this.#records.get(key);
    if (known) return known;
    const record: KeyRecord = { key, head: undefined, pending: undefined };
    this.#records.set(key, record);
    this.#ordered.add(record);
    return record;
  }

  #free(tombstone: Version): void {
    const record = this.#records.get(tombstone.key);
    if (record?.head === tombstone && !record.pending) this.#drop(record);
  }

  #drop(record: KeyRecord): void {
    this.#records.delete(record.key);
    this.#ordered.remove(record.key);
  }
}

function changeType(encoded: Encoded | null, live: Version | undefined): Revision["type"] {
  if (!encoded) return "DELETED";
  return live ? "MODIFIED" : "ADDED";
}

/** An error of a watcher must not fail the writer: it surfaces as an uncaught error. */
function deliverTo(watcher: Watcher, change: Version): void {
  if (change.revision <= watcher.seen) return;
  watcher.seen = change.revision;
  try {
    watcher.each(change);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function* liveAt(
  records: Iterable<KeyRecord>,
  prefix: string,
  at: number,
): Generator<Revision, undefined, undefined> {
  for (const record of records) {
    if (!record.key.startsWith(prefix)) return;
    const version = versionAt(record, at);
    if (version) yield version;
  }
}

/** The live state of a key at a revision. */
function versionAt(record: KeyRecord, at: number): Version | undefined {
  let version = record.head;
  while (version && version.revision > at) version = version.older;
  return version?.type === "DELETED" ? undefined : version;
}
