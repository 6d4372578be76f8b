// Serves one HTTP/1.1 or HTTP/2 request of a Node server by the server core: reads the body, writes
// the response, streams with back-pressure, and closes the stream when the client disconnects.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { gzipBody, gzipHeaders } from "./compress-body.ts";
import type { CertificateCaller } from "./certificate-user.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type ByteStream,
  discard,
  type Handler,
  isStream,
  maxBodyBytes,
  wholeBody,
} from "../apimachinery/handler.ts";
import { BodyParts, slabBytes } from "../apimachinery/body-parts.ts";
import { headerText, toHeaderBytes } from "../apimachinery/header-text.ts";
import { type StreamTurns, StreamWriter } from "./stream-writer.ts";

export type AnyRequest = IncomingMessage | Http2ServerRequest;
/** Of either protocol: Node's compatibility layer gives HTTP/2 responses the methods used here. */
export type AnyResponse = ServerResponse;

/** A streaming response, for the listener to end when it closes. */
export interface Underway {
  /** Ends an open stream. */
  finish(): void;
}

const none = new Uint8Array(0);

/** One request and its response. */
export interface HttpExchange {
  readonly request: AnyRequest;
  readonly response: AnyResponse;
  /** Open streams of the listener. */
  readonly underway: Set<Underway>;
  readonly turns: StreamTurns;
  /** Undefined when the port requests no client certificates. */
  readonly caller: CertificateCaller | undefined;
}

/** Serves one request. Resolves when the response has been sent or the client has disconnected. */
export async function serveRequest(handler: Handler, exchange: HttpExchange): Promise<void> {
  const { request, response, caller } = exchange;
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  request.on("error", () => {});
  response.on("error", () => {});
  const body = await readBody(request);
  if (!body) return;
  const apiRequest = toApiRequest(request, body, caller, closed);
  const answer = await handler(apiRequest);
  if (response.destroyed || response.writableEnded) return discard(answer);
  if (answer.cut) return void response.destroy();
  try {
    await sendAnswer(answer, apiRequest, exchange);
  } catch {
    // The client must not wait when headers cannot be written.
    response.destroy();
    discard(answer);
  }
  await closed;
}

/** The request as the core sees it. */
export const toApiRequest = (
  request: AnyRequest,
  body: Uint8Array,
  caller: CertificateCaller | undefined,
  closed: Promise<void>,
): ApiRequest => ({
  method: request.method ?? "GET",
  path: request.url ?? "/",
  headers: flatHeaders(request),
  body,
  peer: request.socket,
  closed,
  ...caller,
});

/** Writes a response. */
export async function sendAnswer(
  answer: ApiResponse,
  apiRequest: ApiRequest,
  exchange: Pick<HttpExchange, "response" | "underway" | "turns">,
): Promise<void> {
  const { response } = exchange;
  if (isStream(answer.body)) {
    response.writeHead(answer.status, wireHeaders(answer.headers));
    response.flushHeaders();
    pushStream(answer.body, response, exchange);
  } else {
    const packing = gzipHeaders(apiRequest.path, apiRequest.headers["accept-encoding"], answer);
    await send(
      response,
      answer.status,
      packing ? { ...answer.headers, ...packing } : answer.headers,
      packing ? await gzipBody(wholeBody(answer.body)) : answer.body,
    );
  }
}

/**
 * Headers for Node to write. Go writes UTF-8, e.g. in a Warning that quotes a client's value. Node
 * writes latin1: HTTP/1.1 refuses other characters, and HTTP/2 truncates them to a byte; so each
 * byte of UTF-8 is passed as one character.
 */
export function wireHeaders(headers: ApiResponse["headers"]): OutgoingHttpHeaders {
  const out: OutgoingHttpHeaders = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name]!;
    out[name] = typeof value === "string" ? toHeaderBytes(value) : value.map(toHeaderBytes);
  }
  return out;
}

async function send(
  response: AnyResponse,
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: Uint8Array | BodyParts,
): Promise<void> {
  if (response.destroyed) return;
  const written = wireHeaders(headers);
  if (status !== 304 && status !== 204) written["content-length"] = body.length;
  response.writeHead(status, written);
  if (body instanceof BodyParts) await sendParts(response, body);
  else response.end(body);
}

/** A slab is filled again once it has been written. */
async function sendParts(response: AnyResponse, parts: BodyParts): Promise<void> {
  let closed = false;
  let wake: (() => void) | undefined;
  response.once("close", () => {
    closed = true;
    wake?.();
  });
  for (const slab of parts.slabs(slabBytes)) {
    await new Promise<void>((written) => {
      wake = written;
      response.write(slab, () => written());
    });
    if (closed || response.destroyed) return;
  }
  response.end();
}

/** Pipes a stream to a response until either ends. */
function pushStream(
  stream: ByteStream,
  response: AnyResponse,
  { underway, turns }: Pick<HttpExchange, "underway" | "turns">,
): void {
  let gone = false;
  const writer = new StreamWriter(turns, response, () => {
    if (!gone) opened.resume();
  });
  const opened = stream.open({
    data: (chunk) => !gone && writer.push(chunk),
    end: () => {
      gone = true;
      writer.end();
    },
    cut: () => {
      gone = true;
      response.destroy();
    },
  });
  const entry: Underway = {
    finish() {
      if (gone) return;
      gone = true;
      opened.close();
      writer.end();
    },
  };
  underway.add(entry);
  response.once("close", () => {
    underway.delete(entry);
    if (gone) return;
    gone = true;
    opened.close();
  });
}

/**
 * Reads the body, but little more than the limit, so that the handler can detect larger ones;
 * ignores the rest. Undefined when the client disconnected before the end.
 */
async function readBody(request: AnyRequest): Promise<Uint8Array | undefined> {
  if (request.method === "GET" || request.method === "HEAD") {
    request.resume();
    return none;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  return await new Promise((resolve) => {
    request.on("data", (chunk: Uint8Array) => {
      if (size > maxBodyBytes) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBodyBytes) resolve(Buffer.concat(chunks));
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on("close", () => resolve(undefined));
  });
}

const listHeader = /^impersonate-/;

function flatHeaders({ headers, rawHeaders }: AnyRequest): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name[0] === ":") continue;
    out[name] = headerText(typeof value === "string" ? value : value.join(", "));
    if (listHeader.test(name)) out[name] = headerText(rawValues(rawHeaders, name).join("\n"));
  }
  return out;
}

function rawValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  return values;
}
