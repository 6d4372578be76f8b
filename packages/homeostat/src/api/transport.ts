// How bytes reach an API server: below any HTTP library, push-based, with back-pressure and abort.
// HTTP/1.1, HTTP/2 and the embedded server's in-process door are thin adapters around this.

/** One request; the path carries the query, header names are lower case. */
export interface TransportRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Receives one answer: `head` once, `data` any number of times, then `end` or `fail` once. */
export interface Sink {
  /**
   * Repeated headers are joined by `, ` except `warning`, whose values are joined by newlines.
   * Names are lower case.
   */
  head(status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Takes a chunk; the sink must not mutate it. Returns false to ask for a pause, ended by {@link
   * Exchange.resume}.
   */
  data(chunk: Uint8Array): boolean;
  end(): void;
  fail(error: Error): void;
}

/** The sender's hold on a request under way. */
export interface Exchange {
  resume(): void;
  /** Ends the exchange; the sink's `fail` is called with `reason` unless it has ended already. */
  abort(reason?: unknown): void;
}

/** A way to an API server. */
export interface Transport {
  send(request: TransportRequest, sink: Sink): Exchange;
  /** Ends open exchanges and frees sockets. */
  close(): Promise<void>;
}
