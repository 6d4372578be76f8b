// The seam between wires and the server core: one function from a request to a status and bytes, or
// a stream of bytes. Adapters (HTTP/1.1, HTTP/2, in-process) know this file only; the core knows no
// socket.

/** Who is asking, as authentication found out. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/**
 * One request as the core sees it. Header names are lower case; the path carries the query.
 * Repeated headers are joined by `, `, except `impersonate-group` and `impersonate-extra-*`, whose
 * values may hold commas and are joined by newlines.
 */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a body with more than {@link maxBodyBytes}, at least so many that it shows. */
  readonly body: Uint8Array;
  /**
   * Set where the door knows the caller (in-process, or a verified client certificate):
   * authentication is skipped, nothing else.
   */
  readonly user?: UserInfo;
  /**
   * A client certificate was shown that no known authority has issued: without another credential
   * nobody is let in.
   */
  readonly certificateRefused?: true;
}

/** Takes what a stream pushes. */
export interface StreamSink {
  /**
   * Takes a chunk that it must not mutate; false asks for a pause until {@link OpenStream.resume}.
   */
  data(chunk: Uint8Array): boolean;
  end(): void;
}

/** A stream that has been opened. */
export interface OpenStream {
  resume(): void;
  /** The receiver is gone; nothing is pushed afterwards. */
  close(): void;
}

/**
 * A body that is pushed over time: a watch. `open` is called once, after the head has been sent.
 */
export interface ByteStream {
  open(sink: StreamSink): OpenStream;
}

/** Bytes of a request body that are read; upstream's MaxRequestBodyBytes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** One answer. A header may have several values (Warning). */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | ByteStream;
}

/** The server core. Never rejects: what goes wrong inside is an answer too. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/** True when the body is pushed over time. */
export function isStream(body: Uint8Array | ByteStream): body is ByteStream {
  return "open" in body;
}
