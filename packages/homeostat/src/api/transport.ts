// The transport interface between client and API server, below any HTTP library: push-based, with
// back-pressure and abort. HTTP/1.1, HTTP/2 and in-process calls are adapters of it.

/** A request; the path includes the query, header names are lower case. */
export interface TransportRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /**
   * Called at the last moment before the first byte is sent, after all waiting: the request fails
   * with the error that it returns, and nothing is sent.
   */
  readonly refusal?: () => Error | undefined;
  /** Does not wait for other requests: small, rare and needed in time. */
  readonly isUrgent?: true;
}

/** What caches need of an object's metadata. */
export interface ObjectHead {
  readonly name: string;
  /** "" for cluster-scoped kinds. */
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** True when deletionTimestamp is set. */
  readonly deleting: boolean;
  readonly ownerUids: readonly string[];
}

/** A watch event as a server in the same process hands it over, without text. */
export interface ObjectChange extends ObjectHead {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object that the event would carry, as JSON. */
  bytes(): Uint8Array;
}

/** Receives a response: `head` once, `data` any number of times, then `end` or `fail` once. */
export interface Sink {
  /**
   * Repeated headers are joined by `, ` except `warning`, whose values are joined by newlines.
   * Names are lower case.
   */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Receives a chunk; the sink must not mutate it. Returns false to request a pause, until {@link
   * Exchange.resume}.
   */
  data(chunk: Uint8Array): boolean;
  /**
   * Receives an event of a metadata watch in place of its line in `data`, from a transport that has
   * it without text; order and pauses are those of `data`. Transports need not call it.
   */
  change?(change: ObjectChange): boolean;
  end(): void;
  fail(error: Error): void;
}

/** A running request, for its sender. */
export interface Exchange {
  resume(): void;
  /** Aborts the request; calls the sink's `fail` with `reason` unless the response has ended. */
  abort(reason?: unknown): void;
}

/** A connection to an API server. */
export interface Transport {
  /** Stands for the server: identical for all transports to it. Undefined where it is not known. */
  readonly server?: string | object;
  send(request: TransportRequest, sink: Sink): Exchange;
  /** Aborts running requests and closes sockets. */
  close(): Promise<void>;
}
