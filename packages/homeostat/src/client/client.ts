// The client: what one may ask of an API server, typed by Kind. A kind found by discovery
// (`client.kinds`) serves as well as a generated one, so typed and dynamic use are one interface.
// Requests are built by pure functions in request/; bytes travel over a Transport. Knows nothing of
// caches and controllers.
import type { Json, JsonObject } from "../api/json.ts";
import type { CreateManifestOf, Kind, ManifestOf, ObjectOf } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import type { Status } from "../api/status.ts";
import type { Transport } from "../api/transport.ts";
import type { KindResolver } from "./discovery/kind-resolver.ts";

/**
 * `{ name, namespace? }`, or a name alone; a missing namespace of a namespaced kind is the client's
 * own.
 */
export type Key = string | ObjectKey;

/** What every request takes. */
export interface RequestOptions {
  /** Aborts the request; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Gives up after this long, each attempt by itself; default 90 s (servers end requests after 60
   * s), 0 for never.
   */
  readonly timeoutMs?: number;
}

/** What every write takes. */
export interface WriteOptions extends RequestOptions {
  /** Runs all checks and stores nothing. */
  readonly dryRun?: "All";
  /** Default: the server's own, `Warn`. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** Who owns the fields written; default the client's. */
  readonly fieldManager?: string;
  /** `status`, `scale`, …: the part of the object that is written. */
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers; default false, where a conflict is an error. */
  readonly force?: boolean;
}

export interface GetOptions extends RequestOptions {
  readonly resourceVersion?: string;
  readonly subresource?: string;
}

export interface DeleteOptions extends RequestOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: "All";
}

/** Which objects; no namespace means all of them. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends RequestOptions, Selection {
  /** Objects per request, default 500; 0 asks for all at once. */
  readonly pageSize?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface ListPageOptions extends Omit<ListOptions, "pageSize"> {
  readonly limit?: number;
  readonly continue?: string;
}

/** A list, or one page of it when `continue` is set. Items always carry apiVersion and kind. */
export interface ObjectList<O> {
  readonly items: readonly O[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface WatchOptions extends RequestOptions, Selection {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan";
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** One change. An ERROR event is thrown as ApiStatusError instead. */
export interface WatchEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: O;
}

/** A patch of one of three types; apply is a method of its own. */
export type Patch =
  | { readonly type: "merge"; readonly body: unknown }
  | { readonly type: "strategic"; readonly body: unknown }
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] };

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/**
 * A request as a value. Header names are lower case; `query` entries that are undefined are left
 * out.
 */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<
    Record<string, string | number | boolean | readonly string[] | undefined>
  >;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json | Uint8Array;
}

/** An answer below 400; others are thrown as ApiStatusError. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Parses the body; integers beyond 2^53 become bigint. */
  json(): Json;
}

/** A stream of bytes under way, as `openStream` gives it. */
export interface ByteStreamHandlers {
  /** The head of a successful answer. */
  opened(headers: Readonly<Record<string, string>>): void;
  /** Must not mutate the chunk; false asks for a pause. */
  data(chunk: Uint8Array): boolean;
  /**
   * Called once at the end: with the reason unless the server ended the stream in order.
   * ApiStatusError when it refused.
   */
  closed(error: Error | undefined): void;
}

/** A write of this process that the server has acknowledged. */
export interface CompletedWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /**
   * The object as the server answered it; undefined when it is gone. Not set for subresources that
   * are other kinds.
   */
  readonly object: JsonObject | undefined;
  /** The uid of what is gone, where the server told. */
  readonly deletedUid?: string;
}

/** What a derived client does differently. */
export interface ClientScope {
  readonly fieldManager?: string;
  readonly userAgent?: string;
  /**
   * Once aborted, every request of the derived client rejects with the signal's reason: this
   * revokes it.
   */
  readonly signal?: AbortSignal;
  readonly namespace?: string;
}

/** Fields of any kind to apply to the object with this name. */
export interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly [field: string]: unknown;
}

/** A connection to one API server as one user. */
export interface Client {
  /** The namespace for namespaced kinds where a key has none. */
  readonly namespace: string;
  /** Kinds by apiVersion and kind or by resource name, from discovery, cached. */
  readonly kinds: KindResolver;
  readonly transport: Transport;

  get<K extends Kind>(kind: K, key: Key, options?: GetOptions): Promise<ObjectOf<K>>;
  /** As `get`, but undefined where there is none. */
  find<K extends Kind>(kind: K, key: Key, options?: GetOptions): Promise<ObjectOf<K> | undefined>;
  /** The whole list, fetched in pages; starts over when the pages expire on the way. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<ObjectList<ObjectOf<K>>>;
  listPage<K extends Kind>(kind: K, options?: ListPageOptions): Promise<ObjectList<ObjectOf<K>>>;
  /** Creates an object, named by `metadata.name` or by the server from `metadata.generateName`. */
  create<K extends Kind>(
    kind: K,
    manifest: CreateManifestOf<K> | ObjectOf<K>,
    options?: WriteOptions,
  ): Promise<ObjectOf<K>>;
  /** Replaces; `metadata.resourceVersion` makes it conditional. Unknown fields survive. */
  update<K extends Kind>(
    kind: K,
    object: ObjectOf<K> | ManifestOf<K>,
    options?: WriteOptions,
  ): Promise<ObjectOf<K>>;
  patch<K extends Kind>(
    kind: K,
    key: Key,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<ObjectOf<K>>;
  /**
   * Server-side apply. `manifest` may hold less than a whole manifest, but apiVersion, kind and
   * name.
   */
  apply<K extends Kind>(
    kind: K,
    manifest: ManifestOf<K> | Partial<ObjectOf<K>> | NamedObject,
    options?: ApplyOptions,
  ): Promise<ObjectOf<K>>;
  /** Yields the object where it lives on (finalizers, grace), else the server's Status. */
  delete<K extends Kind>(kind: K, key: Key, options?: DeleteOptions): Promise<ObjectOf<K> | Status>;
  deleteCollection<K extends Kind>(kind: K, options?: DeleteOptions & Selection): Promise<void>;
  /** Ends with the stream; ApiStatusError on an ERROR event. Leaving the loop closes the watch. */
  watch<K extends Kind>(kind: K, options?: WatchOptions): AsyncIterable<WatchEvent<ObjectOf<K>>>;

  /** Any request. Retried as typed ones are. */
  request(request: ApiRequest, options?: RequestOptions): Promise<ApiResponse>;
  /** Any stream (watch, log) as bytes, pushed. Not retried. Returns the hold on it. */
  openStream(request: ApiRequest, handlers: ByteStreamHandlers): { resume(): void; close(): void };

  /** A client that shares transport and discovery; scopes nest. */
  with(scope: ClientScope): Client;
  /**
   * Called for each completed write of this and all derived clients, before the write's promise
   * settles. Returns how to stop.
   */
  observeWrites(observer: (write: CompletedWrite) => void): () => void;
  close(): Promise<void>;
}

/** True for the answer of `delete` that means: gone. */
export function isStatus(value: KubeObject | Status | object): value is Status {
  return (
    (value as { kind?: unknown }).kind === "Status" &&
    (value as { apiVersion?: unknown }).apiVersion === "v1"
  );
}
