// The one store: in-memory MVCC with one revision counter, ordered keys, and history for exact
// reads and watches. A commit is one synchronous step (compare, assign, encode, enqueue); reads and
// watches see it once the journal has acknowledged it. Durability is a Journal beside the store,
// never inside it.
// Upstream's counterpart: etcd's mvcc and k8s.io/apiserver/pkg/storage.

/**
 * What selectors, garbage collection and admission ask of an object, taken once at commit so that
 * nobody parses for it.
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
 * One revision of one object. Bytes are canonical UTF-8 JSON in the storage version,
 * resourceVersion included; nobody may mutate them.
 */
export interface Revision {
  /**
   * `group/resource/namespace/name`, or `group/resource//name` for cluster-scoped objects; ordered
   * bytewise.
   */
  readonly key: string;
  /** The global revision of this change: the object's resourceVersion. Starts at 1. */
  readonly revision: number;
  /** The revision at which the object was created. */
  readonly created: number;
  readonly schemaEpoch: number;
  /** For DELETED: the last state, with the resourceVersion of the deletion. */
  readonly bytes: Uint8Array;
  readonly attributes: ObjectAttributes;
  /** The state before this change; kept only while history reaches back to it. */
  readonly previous?: Revision | undefined;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
}

/** What a commit stores. */
export interface Encoded {
  readonly bytes: Uint8Array;
  readonly attributes: ObjectAttributes;
  /** The schema under which the bytes were written; 0 where it does not matter. */
  readonly schemaEpoch?: number;
}

/**
 * A consistent view of a prefix, in key order. To be walked in the turn in which it was asked for.
 */
export interface Listing {
  readonly revision: number;
  readonly items: Iterable<Revision>;
}

/** Versioned objects under ordered keys. */
export interface Store {
  /** The newest acknowledged revision counter. */
  revision(): number;
  /** The newest acknowledged state of a key; undefined when absent or deleted. */
  latest(key: string): Revision | undefined;
  /**
   * All live objects under a prefix, from `startKey` (inclusive) on, now or as of revision `at`.
   */
  list(
    prefix: string,
    options?: { readonly at?: number; readonly startKey?: string },
  ): Listing | "compacted" | "future";
  /**
   * Writes or deletes one key. `expected` is the revision that must be current, 0 when the key must
   * not exist. `encode` is called synchronously with the new revision and returns null to delete,
   * in which case `lastState` gives the bytes that the DELETED event carries. While an earlier
   * write of this key waits for the journal, the comparison waits too; a conflict found then
   * rejects with a StoreConflictError. Resolves once the journal has acknowledged; a failing
   * journal rejects and the write is undone.
   */
  commit(
    key: string,
    expected: number,
    encode: (revision: number) => Encoded | null,
    lastState?: (revision: number) => Encoded,
  ): Promise<Revision> | "conflict";
  /**
   * Calls `each` for every acknowledged change under `prefix` after `revision`, in order: first
   * history, then as they happen.
   */
  since(
    prefix: string,
    revision: number,
    each: (change: Revision) => void,
  ): { stop(): void } | "compacted" | "future";
  /**
   * Forgets history up to and including `revision`; later reads at or below answer "compacted". The
   * newest `watchable` changes (default none) are kept for watches all the same.
   */
  compact(revision: number, options?: { readonly watchable?: number }): void;
  /** The revision up to which history has been forgotten, for watches too; 0 at first. */
  compacted(): number;
  close(): Promise<void>;
}

/** Durability beside the store. */
export interface Journal {
  /** Replays what was acknowledged, oldest first. */
  load(each: (revision: Revision) => void): void;
  /** Resolves when the whole batch is durable; a batch is stored whole or not at all. */
  append(batch: readonly Revision[]): Promise<void>;
  /**
   * Lets go of states up to `revision` that newer ones have replaced: those of the revisions
   * `replaced`. May be done lazily.
   */
  compact?(revision: number, replaced: readonly number[]): void;
  /** The revision up to which replaced states have been let go. Asked after `load`. */
  compacted?(): number;
  close(): Promise<void>;
}
