// The client's interface, typed by Kind. Kinds from discovery (`client.kinds`) and generated kinds
// work alike. Pure functions in request/ build the requests; a Transport sends them. Knows nothing
// of caches and controllers.
import type { Json, JsonObject } from "../api/json.ts";
import type { CreateManifestOf, Kind, ManifestOf, ObjectOf } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import type { Status } from "../api/status.ts";
import type { ObjectChange, Transport } from "../api/transport.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { KindResolver } from "./discovery/kind-resolver.ts";
import type { Impersonation } from "./kubeconfig/cluster-access.ts";
import type { ServerPace } from "./server-pace.ts";
import type { AnswerOf, BodyOf } from "./subresources/subresource-bodies.ts";

/**
 * A name, or `{ name, namespace? }`; the namespace of a namespaced kind defaults to the client's.
 */
export type Key = string | ObjectKey;

/** Options of every request. */
export interface RequestOptions {
  /** Aborts the request; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Timeout of each attempt, 0 for none. Default: 34 s for writes (webhooks may take 30 s), 64 s
   * for reads (servers end requests after 60 s).
   */
  readonly timeoutMs?: number;
  /** Timeout of the whole call, with its retries and the pauses before them. Default: none. */
  readonly totalTimeoutMs?: number;
  /**
   * Timeout that the server sets itself, also for the webhooks that it calls; it then answers
   * Timeout. At most the server's own, 60 s by default.
   */
  readonly serverTimeoutMs?: number;
}

/** Options of every write. `S` is the subresource, whose types the call then has. */
export interface WriteOptions<S extends string = string> extends RequestOptions {
  /** Validates the request without storing the object. */
  readonly dryRun?: "All";
  /** Default: the server's, `Warn`. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The owner of the fields written; default the client's. */
  readonly fieldManager?: string;
  /** The subresource to write, e.g. `status` or `scale`. */
  readonly subresource?: S;
}

/** Options of server-side apply. */
export interface ApplyOptions<S extends string = string> extends WriteOptions<S> {
  /** Takes ownership of conflicting fields. Default false: conflicts are errors. */
  readonly force?: boolean;
}

/** Options of a get. */
export interface GetOptions<S extends string = string> extends RequestOptions {
  /**
   * The object at least as new as this; `0` for any that the server has at hand. Default: newest.
   */
  readonly resourceVersion?: string;
  /** The subresource to read, e.g. `scale`. */
  readonly subresource?: S;
}

/** Options of a deletion, as meta/v1 has them. */
export interface DeleteOptions extends RequestOptions {
  /** Conflict, unless the object has these. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  /** What becomes of owned objects. Default: the kind's, mostly `Background`. */
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  /** Seconds until the object is removed; 0 for at once. Default: the object's. */
  readonly gracePeriodSeconds?: number;
  /** Validates the request without deleting anything. */
  readonly dryRun?: "All";
}

/** Selects objects; without a namespace, in all namespaces. */
export interface Selection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Options of a list that is read page by page. */
export interface ListOptions extends RequestOptions, Selection {
  /** Objects per request; default 500, 0 for all at once. */
  readonly pageSize?: number;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

/** Options of one page of a list. */
export interface ListPageOptions extends Omit<ListOptions, "pageSize"> {
  /** Objects in the page at most. Default: all. */
  readonly limit?: number;
  /** `continue` of the page before. */
  readonly continue?: string;
}

/** A list, or one page of it when `continue` is set. Items always carry apiVersion and kind. */
export interface ObjectList<O> {
  readonly items: readonly O[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Options of a watch. */
export interface WatchOptions extends Pick<RequestOptions, "signal">, Selection {
  /** Changes after this one. Default: first an ADDED for each object, from any state at hand. */
  readonly resourceVersion?: string;
  /** Needed with `sendInitialEvents`. */
  readonly resourceVersionMatch?: "NotOlderThan";
  /** The server may send BOOKMARK events, which carry a resourceVersion only. */
  readonly allowWatchBookmarks?: boolean;
  /** A list as a stream: ADDED for each object, then a BOOKMARK that ends it. */
  readonly sendInitialEvents?: boolean;
  /** When the server ends the watch; default between 30 and 60 minutes. */
  readonly timeoutSeconds?: number;
  /**
   * Opens the watch again where it ended, when the server ends it, the connection breaks or the
   * server fails: without gaps and without repetition. Needs the `resourceVersion` of a list. When
   * the server no longer has the changes since, it throws Expired (`isExpired`): list again.
   */
  readonly resume?: boolean;
}

/** One change. An ERROR event is thrown as ApiStatusError instead. */
export interface WatchEvent<O> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: O;
}

/** A patch; apply is a separate method. */
export type Patch =
  | { readonly type: "merge"; readonly body: unknown }
  | { readonly type: "strategic"; readonly body: unknown }
  | { readonly type: "json"; readonly body: readonly JsonPatchOperation[] };

/** An operation of RFC 6902; paths are JSON pointers. */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** An API request. Header names are lower case; undefined headers and query entries are omitted. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<
    Record<string, string | number | boolean | readonly string[] | undefined>
  >;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Json | Uint8Array;
}

/** A response below 400; others are thrown as ApiStatusError. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Parses the body; integers beyond 2^53 become bigint. */
  json(): Json;
}

/** Callbacks of `openStream`. */
export interface ByteStreamHandlers {
  /** The headers of a successful response. */
  opened(headers: Readonly<Record<string, string>>): void;
  /** Must not mutate the chunk; returns false to request a pause. */
  data(chunk: Uint8Array): boolean;
  /** Takes events of a metadata watch without text, from transports that hand them over so. */
  change?(change: ObjectChange): boolean;
  /**
   * Called once at the end, with an error unless the server ended the stream normally; an
   * ApiStatusError when the server refused.
   */
  closed(error: Error | undefined): void;
}

/** A write of this process that the server has acknowledged. */
export interface CompletedWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /**
   * The object in the server's response; undefined when it is deleted. Not set for subresources of
   * other kinds. It may be parsed when it is first read.
   */
  readonly object: JsonObject | undefined;
  /** Set where `object` is parsed only when it is read: its revision. */
  readonly resourceVersion?: string;
  /** As `resourceVersion`: its metadata without managedFields. */
  readonly metadata?: JsonObject;
  /** The text of `object` as the server sent it. */
  readonly bytes?: Uint8Array;
  /** The uid of the deleted object, if the server sent it. */
  readonly deletedUid?: string;
}

/** What a derived client changes. */
export interface ClientScope {
  readonly fieldManager?: string;
  readonly userAgent?: string;
  /** Once aborted, every request of the derived client rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly namespace?: string;
  /** Makes every write of the derived client a dry run, also those of `request`. */
  readonly dryRun?: "All";
  /** Replaces the client's impersonation; undefined keeps it. */
  readonly impersonate?: Impersonation;
  /** Called for each completed write of the derived client, before the write's promise settles. */
  readonly written?: (write: CompletedWrite) => void;
  /**
   * Called for each write of the derived client at the last moment before it is sent; the write
   * fails with the error that it returns, and nothing is sent.
   */
  readonly fence?: (method: string, path: string) => Error | undefined;
  /** Its requests do not wait for a free connection: few, small and needed in time. */
  readonly urgent?: true;
  /** Called for each request of the derived client, with a promise that settles as it does. */
  readonly requested?: (answered: Promise<unknown>) => void;
  /**
   * Called for each attempt of the derived client, with the status of the answer, or 0 without one.
   */
  readonly answered?: (request: ApiRequest, code: number, durationMs: number) => void;
  /** Called for each warning of the server to the derived client. */
  readonly warned?: (text: string, request: ApiRequest) => void;
}

/** Fields of any kind to apply to the object with this name. */
export interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
  readonly [field: string]: unknown;
}

/** A connection to one API server as one user. */
export interface Client {
  /** The default namespace for namespaced kinds. */
  readonly namespace: string;
  /** Kinds by apiVersion and kind or by resource name, from cached discovery. */
  readonly kinds: KindResolver;
  readonly transport: Transport;
  /** Clock and randomness of its pauses. */
  readonly runtime: Runtime;
  /** When attempts against a failing server are made; shared with all derived clients. */
  readonly pace: ServerPace;

  get<K extends Kind, S extends string = "">(
    kind: K,
    key: Key,
    options?: GetOptions<S>,
  ): Promise<AnswerOf<K, S>>;
  /** As `get`, but resolves to undefined if the object does not exist. */
  find<K extends Kind, S extends string = "">(
    kind: K,
    key: Key,
    options?: GetOptions<S>,
  ): Promise<AnswerOf<K, S> | undefined>;
  /** Fetches the whole list in pages; starts over if the pages expire. */
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<ObjectList<ObjectOf<K>>>;
  listPage<K extends Kind>(kind: K, options?: ListPageOptions): Promise<ObjectList<ObjectOf<K>>>;
  /** Creates an object, named by `metadata.name` or by the server from `metadata.generateName`. */
  create<K extends Kind, S extends string = "">(
    kind: K,
    manifest: BodyOf<NoInfer<S>, CreateManifestOf<K> | ObjectOf<K>>,
    options?: WriteOptions<S>,
  ): Promise<AnswerOf<K, S>>;
  /**
   * Replaces an object; `metadata.resourceVersion` makes the request conditional. Unknown fields
   * are kept.
   */
  update<K extends Kind, S extends string = "">(
    kind: K,
    object: BodyOf<NoInfer<S>, ObjectOf<K> | ManifestOf<K>>,
    options?: WriteOptions<S>,
  ): Promise<AnswerOf<K, S>>;
  patch<K extends Kind, S extends string = "">(
    kind: K,
    key: Key,
    patch: Patch,
    options?: WriteOptions<S>,
  ): Promise<AnswerOf<K, S>>;
  /** Server-side apply. `manifest` may be incomplete, except for the name. */
  apply<K extends Kind, S extends string = "">(
    kind: K,
    manifest: BodyOf<NoInfer<S>, ManifestOf<K> | Partial<ObjectOf<K>> | NamedObject>,
    options?: ApplyOptions<S>,
  ): Promise<AnswerOf<K, S>>;
  /**
   * As `apply`, without parsing the object in the answer before it is read: for writes whose result
   * is seldom used. Undefined for a dry run, and for a subresource of another kind. With `as`, as
   * the client derived by `with(as)` would, without making one.
   */
  applyUnread<K extends Kind>(
    kind: K,
    manifest: ManifestOf<K> | Partial<ObjectOf<K>> | NamedObject,
    options?: ApplyOptions & { readonly as?: ClientScope },
  ): Promise<CompletedWrite | undefined>;
  /**
   * Resolves to the object if it still exists (finalizers, grace period), else to the server's
   * Status.
   */
  delete<K extends Kind>(kind: K, key: Key, options?: DeleteOptions): Promise<ObjectOf<K> | Status>;
  /**
   * Deletes all objects that are selected; of a namespaced kind `namespace` is required, and is
   * never that of the client.
   */
  deleteCollection<K extends Kind>(kind: K, options?: DeleteOptions & Selection): Promise<void>;
  /**
   * Ends with the stream unless it resumes; throws ApiStatusError on an ERROR event. Leaving the
   * loop, or `return()` of the iterator, closes the connection at once. The server waits while the
   * reader is behind.
   */
  watch<K extends Kind>(kind: K, options?: WatchOptions): AsyncIterable<WatchEvent<ObjectOf<K>>>;

  /** Sends any request; retried like typed requests. */
  request(request: ApiRequest, options?: RequestOptions): Promise<ApiResponse>;
  /** Opens any stream (watch, log) as pushed bytes. Not retried. */
  openStream(request: ApiRequest, handlers: ByteStreamHandlers): { resume(): void; close(): void };

  /** Derives a client that shares transport and discovery; scopes nest. */
  with(scope: ClientScope): Client;
  /**
   * Calls `observer` for each completed write of this and all derived clients, before the write's
   * promise settles. Returns a function that stops it.
   */
  observeWrites(observer: (write: CompletedWrite) => void): () => void;
  close(): Promise<void>;
}

/** True if `delete` resolved to a Status: the object is gone. */
export function isStatus(value: KubeObject | Status | object): value is Status {
  return (
    (value as { kind?: unknown } | undefined)?.kind === "Status" &&
    (value as { apiVersion?: unknown }).apiVersion === "v1"
  );
}
