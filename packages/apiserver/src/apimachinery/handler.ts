// The seam between transports and the server core: one function from a request to a status and
// bytes, or a stream of bytes. Transports (HTTP/1.1, HTTP/2, in-process) know this file only; the
// core knows no socket.
import type { ObjectChange } from "homeostat/api";
import { BodyParts } from "./body-parts.ts";
import type { UserInfo } from "./user-info.ts";

/**
 * One request as the core sees it. Header names are lower case; the path carries the query.
 * Repeated headers are joined by `, `, except `impersonate-*`, whose values may hold
 * commas and are joined by newlines.
 */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body; one that exceeds {@link maxBodyBytes} may be cut anywhere behind that limit. */
  readonly body: Uint8Array;
  /**
   * Set if the transport knows the user (in-process, or a verified client certificate): only
   * authentication is skipped.
   */
  readonly user?: UserInfo;
  /**
   * The client certificate was issued by an unknown authority: the request needs another
   * credential.
   */
  readonly certificateRefused?: true;
  /** The client's end of the connection, where there is one. */
  readonly peer?: {
    readonly remoteAddress?: string | undefined;
    readonly remotePort?: number | undefined;
  };
  /**
   * Resolves when the client has left or has its response. Only what may wait for long looks at it:
   * requests that are passed on to other servers.
   */
  readonly closed?: Promise<void> | undefined;
}

/** Receives the chunks of a stream. */
export interface StreamSink {
  /**
   * Takes a chunk that it must not mutate; false asks for a pause until {@link OpenStream.resume}.
   */
  data(chunk: Uint8Array): boolean;
  /** Takes an event without text in place of its line, as `data` takes that. */
  change?(change: ObjectChange): boolean;
  end(): void;
  /** In the place of `end` where the stream broke off: what came is not all. */
  cut?(): void;
  /** Called when {@link OpenStream.write} may go on after it returned false. */
  drained?(): void;
}

/** An open stream. */
export interface OpenStream {
  resume(): void;
  /** Called when the receiver is gone; nothing is pushed afterwards. */
  close(): void;
  /**
   * Sends bytes to the other end, where the connection was upgraded; false asks for a pause until
   * {@link StreamSink.drained}.
   */
  write?(chunk: Uint8Array): boolean;
}

/**
 * A body that is pushed over time: a watch. `open` is called once, after the head has been sent.
 */
export interface ByteStream {
  open(sink: StreamSink): OpenStream;
}

/** Bytes of a request body that are read; upstream's MaxRequestBodyBytes. */
export const maxBodyBytes = 3 * 1024 * 1024;

/**
 * A response. A header may have several values (Warning). With the status 101 the connection is
 * upgraded, and the stream in `body` takes bytes too.
 */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | BodyParts | ByteStream;
  /** There is no answer: the connection is cut. Clients in this process get this error. */
  readonly cut?: Error;
}

/** The server core. Never rejects: errors become responses. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/** Closes the stream of a response that no client takes any more; it holds a connection. */
export function discard({ body }: ApiResponse): void {
  if (isStream(body)) body.open({ data: () => false, end() {} }).close();
}

/** All bytes of a body. Rejects if it breaks off. */
export async function readBody(body: ApiResponse["body"]): Promise<Uint8Array> {
  if (!isStream(body)) return wholeBody(body);
  const chunks: Uint8Array[] = [];
  return await new Promise((done, fail) => {
    body.open({
      data: (chunk) => chunks.push(chunk) > 0,
      end: () => done(Buffer.concat(chunks)),
      cut: () => fail(new Error("unexpected EOF")),
    });
  });
}

/** True when the body is pushed over time. */
export function isStream(body: ApiResponse["body"]): body is ByteStream {
  return "open" in body;
}

/** The bytes of a body that is no stream. */
export const wholeBody = (body: Uint8Array | BodyParts): Uint8Array =>
  body instanceof BodyParts ? body.join() : body;
