// The contract of the store: MVCC with one revision counter, ordered keys, and history for exact
// reads and watches. A commit is one synchronous step (compare, assign, encode, enqueue); reads and
// watches see it once the journal has acknowledged it. A Journal beside the store makes it durable.
// Upstream: k8s.io/apiserver/pkg/storage/interfaces.go; go.etcd.io/etcd/server/v3/storage/mvcc.

/**
 * What selectors, garbage collection and admission need of an object; extracted at commit, so that
 * they need not parse it.
 */
export interface ObjectAttributes {
  readonly uid: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Selectable fields beyond metadata.name and metadata.namespace. */
  readonly fields: Readonly<Record<string, string>>;
  readonly owners: readonly { readonly uid: string }[];
  readonly finalizers: readonly string[];
  readonly deleting: boolean;
}

/**
 * One revision of one object. Bytes are canonical UTF-8 JSON in the storage version, with
 * resourceVersion; they must not be mutated.
 */
export interface Revision extends Required<Encoded> {
  /**
   * `group/resource/namespace/name`, or `group/resource//name` for cluster-scoped objects; ordered
   * bytewise.
   */
  readonly key: string;
  /** The global revision of this change: the object's resourceVersion. Starts at 1. */
  readonly revision: number;
  /** The revision at which the object was created. */
  readonly created: number;
  /** The state before this change, until it is compacted. */
  readonly previous?: Revision | undefined;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /**
   * Set on a revision that a webhook has converted: bytes and attributes are those of this served
   * version. The store never returns such a revision.
   */
  readonly shownIn?: object | undefined;
}

/** The content of a commit. */
export interface Encoded {
  /** Of a deletion: the last state, with the resourceVersion of the deletion. */
  readonly bytes: Uint8Array;
  readonly attributes: ObjectAttributes;
  /** The epoch of the schema at the time of the write; 0 when it does not matter. */
  readonly schemaEpoch?: number;
}

/** A consistent view of a prefix, in key order. Must be iterated synchronously after `list`. */
export interface Listing {
  readonly revision: number;
  readonly items: Iterable<Revision>;
  /** How many items stand behind this key. */
  countAfter(key: string): number;
}

/** Versioned objects under ordered keys. */
export interface Store {
  /** The newest acknowledged revision. */
  revision(): number;
  /** The newest acknowledged state of a key; undefined when absent or deleted. */
  latest(key: string): Revision | undefined;
  /**
   * All live objects under a prefix from `startKey` (inclusive) on, now or at revision `at`.
   */
  list(
    prefix: string,
    options?: { readonly at?: number; readonly startKey?: string },
  ): Listing | "compacted" | "future";
  /**
   * Writes or deletes one key. `expected` is the revision that must be current, 0 when the key must
   * not exist. `encode` runs synchronously with the new revision and returns null to delete; then
   * `lastState` returns the content of the DELETED event. While an earlier write of this key waits
   * for the journal, the comparison waits too, and a conflict rejects with StoreConflictError.
   * Resolves once the journal has acknowledged; if it fails, rejects and undoes the write.
   */
  commit(
    key: string,
    expected: number,
    encode: (revision: number) => Encoded | null,
    lastState?: (revision: number) => Encoded,
  ): Promise<Revision> | "conflict";
  /**
   * Calls `each` with every acknowledged change under `prefix` after `revision`, in order: first
   * from history, then as changes happen.
   */
  since(
    prefix: string,
    revision: number,
    each: (change: Revision) => void,
  ): { stop(): void } | "compacted" | "future";
  /**
   * Drops history up to and including `revision`; reads up to it then return "compacted". The
   * newest `watchable` changes (default 0) are kept for watches.
   */
  compact(revision: number, options?: { readonly watchable?: number }): void;
  /** The revision up to which history is dropped, for watches too; 0 at first. */
  compacted(): number;
  close(): Promise<void>;
}

/** Makes a store durable. */
export interface Journal {
  /** Replays acknowledged revisions, oldest first. */
  load(each: (revision: Revision) => void): void;
  /** Stores a batch atomically. Resolves when it is durable. */
  append(batch: readonly Revision[]): Promise<void>;
  /**
   * Drops states up to `revision` that newer ones replaced: those of the revisions `replaced`. May
   * happen lazily.
   */
  compact?(revision: number, replaced: readonly number[]): void;
  /** The revision up to which replaced states are dropped. Call it after `load`. */
  compacted?(): number;
  close(): Promise<void>;
}
