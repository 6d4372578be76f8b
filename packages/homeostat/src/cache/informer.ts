// What readers and controllers see of the cache: typed reads, handlers, freshness. One informer is
// shared by all who watch the same kind in the same scope. Reads are never older than this
// process's own completed writes.
import type { Kind, ObjectOf } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { Comparison } from "./compare-with-server.ts";

/** One object in the cache. Facts are known without parsing; `read()` parses on first use. */
export interface CachedObject<O = any> {
  /** `namespace/name` or `name`. */
  readonly key: string;
  readonly name: string;
  /** "" for cluster-wide kinds. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** A deletionTimestamp is set. */
  readonly deleting: boolean;
  readonly ownerUids: readonly string[];
  /** The object; shared, must not be mutated (frozen in development). */
  read(): O;
}

/** How a handler came to be called. */
export interface HandlerCause {
  /**
   * initial: part of the first list; watch: an event; relist: found by comparing a new list;
   * resync: nothing changed.
   */
  readonly through: "initial" | "watch" | "relist" | "resync";
  /** True when this very revision was written by this process. */
  readonly ownWrite: boolean;
}

/** Told of every change in order. Must not throw and must return at once: put keys into a queue. */
export interface InformerHandler<O = any> {
  added?(object: CachedObject<O>, cause: HandlerCause): void;
  updated?(old: CachedObject<O>, object: CachedObject<O>, cause: HandlerCause): void;
  /** `object` is the last state known. */
  deleted?(object: CachedObject<O>, cause: HandlerCause): void;
}

/** How fresh an informer is, and why not. */
export interface Freshness {
  readonly ready: boolean;
  /** One sentence, e.g. `no word from the server for 80 s (limit 75 s)`; "" when ready. */
  readonly reason: string;
  readonly phase: "idle" | "listing" | "streaming" | "watching" | "backoff" | "stopped";
  readonly synced: boolean;
  /** Wall time in ms of the last byte heard on list or watch. */
  readonly lastContact: number | undefined;
  /** How far the cache has caught up. */
  readonly resourceVersion: string | undefined;
  readonly relists: number;
  /** Refusals and broken streams in a row. */
  readonly failures: number;
  readonly lastError?: string;
}

/** Values under which an object is found. */
export type IndexFunction<O = any> = (object: O) => readonly string[];

/** Which objects of a kind an informer holds. */
export interface InformerScope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /**
   * Asks for and holds metadata alone: what is read has apiVersion, kind and metadata and nothing
   * else, whatever its type says. A separate informer from the one that holds whole objects of the
   * same kind.
   */
  readonly metadataOnly?: boolean | undefined;
}

/** Reads from memory: synchronous, complete once synced. */
export interface Reader<O = any> {
  get(key: ObjectKey): O | undefined;
  list(options?: { readonly namespace?: string | undefined }): readonly O[];
  /** Objects that `index` put under `value`. Built in: `namespace`, `owner` (by uid). */
  byIndex(index: string, value: string): readonly O[];
}

/** A shared informer. */
export interface Informer<K extends Kind = Kind> extends Reader<ObjectOf<K>> {
  readonly kind: K;
  readonly scope: InformerScope;
  /** The unparsed side of `get`, `list` and `byIndex`. */
  entry(key: string): CachedObject<ObjectOf<K>> | undefined;
  entries(options?: {
    readonly namespace?: string | undefined;
  }): readonly CachedObject<ObjectOf<K>>[];
  entriesByIndex(index: string, value: string): readonly CachedObject<ObjectOf<K>>[];
  /** Adds an index by name; the same name twice is an error unless it is the same function. */
  addIndex(name: string, index: IndexFunction<ObjectOf<K>>): void;
  /**
   * Calls `added` for everything held already (through "initial"), then follows. Returns how to
   * remove.
   */
  addHandler(handler: InformerHandler<ObjectOf<K>>): { remove(): void };
  /** The first list is in and every handler has been told. */
  hasSynced(): boolean;
  /** Resolves when synced; rejects when `signal` aborts. */
  synced(signal?: AbortSignal): Promise<void>;
  freshness(): Freshness;
  /** Calls `listener` when readiness or its reason changes. */
  onFreshness(listener: (freshness: Freshness) => void): { remove(): void };
  /**
   * Compares what is held with the server, at the revision held, and lists anew when they differ.
   * Also runs by itself, see `compareEveryMs`.
   */
  compare(): Promise<Comparison>;
  /** Replays every object to the handlers (through "resync"). */
  resync(): void;
  stats(): {
    readonly objects: number;
    readonly bytes: number;
    readonly parsed: number;
    readonly ownWrites: number;
  };
}

/** A hold on a shared informer; it stops when the last hold is released. */
export interface InformerLease<K extends Kind = Kind> {
  readonly informer: Informer<K>;
  release(): void;
}

/** All informers of a process over one client. */
export interface Cache {
  /** Gets or starts the shared informer of a kind and scope. */
  acquire<K extends Kind>(kind: K, scope?: InformerScope): InformerLease<K>;
  informers(): readonly Informer[];
  /** Starts the informers acquired so far, and from now on those acquired later at once. */
  start(): void;
  /** Resolves when every informer acquired so far is synced. */
  synced(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
