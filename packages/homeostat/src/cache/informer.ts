// The public interface of the cache: typed reads, handlers, freshness. All users of a kind and
// scope share one informer. Reads are never older than this process's own completed writes.
// Upstream: k8s.io/client-go/tools/cache (SharedInformer, Indexer, ResourceEventHandler).
import type { Kind, ObjectOf } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { Mismatch } from "../api/resource/compile-structure.ts";
import type { ObjectHead } from "../api/transport.ts";
import type { Comparison } from "./comparison.ts";

/** One object in the cache. Its metadata needs no parsing; `read()` parses on first use. */
export interface CachedObject<O = any> extends ObjectHead {
  /** `namespace/name` or `name`. */
  readonly key: string;
  /** The JSON text of labels or annotations, without parsing the object; "" when there are none. */
  metadataText(field: "labels" | "annotations"): string;
  /**
   * Its JSON text, of managedFields only the entries that are kept; undefined where the cache keeps
   * a part of the object.
   */
  readonly text?: string | undefined;
  /**
   * Returns the shared object, which must not be mutated (frozen in development), also one that
   * does not match its definition.
   */
  read(): O;
  /**
   * How the object differs from what `defineResource` says of its kind: in JSON types, required
   * fields and enums. Known once it has been read; undefined when it matches.
   */
  readonly mismatch?: Mismatch | undefined;
}

/** Why a handler is called. */
export interface HandlerCause {
  /**
   * initial: part of the first list; watch: an event; relist: found by comparing a new list;
   * resync: nothing changed.
   */
  readonly through: "initial" | "watch" | "relist" | "resync";
  /** True when this process wrote this revision. */
  readonly ownWrite: boolean;
}

/** Receives every change in order. Handlers must not throw or block: they add keys to a queue. */
export interface InformerHandler<O = any> {
  added?(object: CachedObject<O>, cause: HandlerCause): void;
  updated?(old: CachedObject<O>, object: CachedObject<O>, cause: HandlerCause): void;
  /** `object` is the last known state. */
  deleted?(object: CachedObject<O>, cause: HandlerCause): void;
}

/** How fresh an informer is, and why it is not ready. */
export interface Freshness {
  readonly ready: boolean;
  /** One sentence, e.g. `no data from the server for 80 s (limit 75 s)`; "" when ready. */
  readonly reason: string;
  readonly phase: "idle" | "listing" | "streaming" | "watching" | "backoff" | "stopped";
  readonly synced: boolean;
  /** Wall time in ms of the last data from list or watch. */
  readonly lastContact: number | undefined;
  /** False when the server's last word was that it has no such kind: its definition is missing. */
  readonly isServed: boolean;
  /** False when the server's last word was that this user may not list or watch it (403). */
  readonly isAllowed: boolean;
  /** The revision of the cache. */
  readonly resourceVersion: string | undefined;
  readonly relists: number;
  /** Watches that broke or fell silent; those that ended in time do not count. */
  readonly restarts: number;
  /** Consecutive refusals and broken streams. */
  readonly failures: number;
  readonly lastError?: string;
}

/** Returns the values of an object in an index. */
export type IndexFunction<O = any> = (object: O) => readonly string[];

/** Which objects of a kind an informer caches. */
export interface InformerScope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /**
   * Requests and caches metadata only: objects have apiVersion, kind and metadata and no other
   * field, despite their type. Such an informer is separate from the one for whole objects.
   */
  readonly metadataOnly?: boolean | undefined;
  /** The fields of a `fieldsOf(…)`: objects have these and metadata. Set by the cache. */
  readonly fields?: readonly string[] | undefined;
}

/** Which objects an index has. */
export interface IndexOptions {
  /** Also objects that do not match their definition, for functions that read metadata only. */
  readonly includesMismatched?: true;
  /** A controller that starts again adds it again: the first function of the name stays. */
  readonly isAddedAgain?: true;
}

/** Synchronous reads from memory; complete once synced. */
export interface Reader<O = any> {
  get(key: ObjectKey): O | undefined;
  list(options?: { readonly namespace?: string | undefined }): readonly O[];
  /** Objects with `value` in `index`. Built-in indexes: `namespace`, `owner` (by uid). */
  byIndex(index: string, value: string): readonly O[];
}

/** What an informer holds. Bytes are lengths of JSON text, without the managedFields of others. */
export interface InformerStats {
  readonly objects: number;
  /** Of all objects, and of own writes that the watch has not delivered. */
  readonly bytes: number;
  /** Objects that are parsed now. */
  readonly parsed: number;
  /** Text of the parsed objects, which they occupy about twice, in addition to `bytes`. */
  readonly parsedBytes: number;
  readonly ownWrites: number;
  /** Objects that reads leave out, at most 1000, see {@link Informer.skipped}. */
  readonly skipped: number;
}

/** An object that reads leave out, and why. */
export interface SkippedObject {
  /** `namespace/name`, or "" without a name. */
  readonly key: string;
  readonly resourceVersion: string;
  readonly reason: string;
}

/**
 * A shared informer. Its reads leave out objects that do not match the definition of their kind,
 * where `defineResource` has made it.
 */
export interface Informer<K extends Kind = Kind> extends Reader<ObjectOf<K>> {
  readonly kind: K;
  readonly scope: InformerScope;
  /** Reads that leave out no object, whatever is in it. */
  readonly unchecked: Reader;
  /** `entry`, `entries` and `entriesByIndex` are reads of `unchecked` without parsing. */
  entry(key: string): CachedObject<ObjectOf<K>> | undefined;
  entries(options?: {
    readonly namespace?: string | undefined;
  }): readonly CachedObject<ObjectOf<K>>[];
  entriesByIndex(index: string, value: string): readonly CachedObject<ObjectOf<K>>[];
  /**
   * Adds an index. Adding another function under the same name is an error. The function is not
   * called with objects that do not match their definition.
   */
  addIndex(name: string, index: IndexFunction<ObjectOf<K>>, options?: IndexOptions): void;
  /** Calls `added` for all cached objects (through "initial"), then follows the changes. */
  addHandler(handler: InformerHandler<ObjectOf<K>>): { remove(): void };
  /** True once the first list is complete and every handler has received it. */
  hasSynced(): boolean;
  /** Resolves when synced; rejects when `signal` aborts. */
  synced(signal?: AbortSignal): Promise<void>;
  freshness(): Freshness;
  /** Calls `listener` when readiness or its reason changes. */
  onFreshness(listener: (freshness: Freshness) => void): { remove(): void };
  /**
   * Compares the cache with the server at the cache's revision, and relists if they differ. Also
   * runs periodically, see `compareEveryMs`.
   */
  compare(): Promise<Comparison>;
  /** Calls `updated` for every object (through "resync"). */
  resync(): void;
  stats(): InformerStats;
  /**
   * Objects whose newest revision does not match its definition, as far as it has been read, or
   * cannot be read or projected. Each is reported to `onError` once, until it is corrected or fails
   * for another reason. Of one that cannot be projected, reads show the last good revision, if
   * there was one.
   */
  skipped(): readonly SkippedObject[];
}

/** A reference to a shared informer, which stops when its last lease is released. */
export interface InformerLease<K extends Kind = Kind> {
  readonly informer: Informer<K>;
  release(): void;
}

/** The informers of a process over one client. */
export interface Cache {
  /** Returns the shared informer of a kind and scope; creates it if necessary. */
  acquire<K extends Kind>(kind: K, scope?: InformerScope): InformerLease<K>;
  /**
   * Caches all objects of a kind that was narrowed, see `narrowed`. Resolves once they
   * are listed.
   */
  widen(kind: Kind): Promise<void>;
  informers(): readonly Informer[];
  /** Starts all informers; informers acquired later start at once. */
  start(): void;
  /** Resolves when all informers are synced. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Calls `listener` when the readiness of an informer changes, also of those acquired later. */
  onFreshness(listener: (informer: Informer) => void): { remove(): void };
  /** The parsed objects that the cache keeps alive, of all kinds. */
  parsed(): { readonly objects: number; readonly bytes: number };
  stop(): Promise<void>;
}
