// One HTTP request on a Node server, HTTP/1.1 or HTTP/2 alike, through the server core and back:
// the body in, the answer out, streams with back-pressure, and the stream closed when the client
// goes.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { gzipBody, gzipHeaders } from "./compress-body.ts";
import type { CertificateCaller } from "./certificate-user.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type ByteStream,
  type Handler,
  isStream,
  maxBodyBytes,
} from "../apimachinery/handler.ts";

export type AnyRequest = IncomingMessage | Http2ServerRequest;
/**
 * Of either protocol: Node's compatibility layer gives HTTP/2 answers the methods that are used
 * here.
 */
export type AnyResponse = ServerResponse;

/** A request under way, for the listener to end when it closes. */
export interface Underway {
  /** Ends an open stream; an answer that is about to be sent is left to be sent. */
  finish(): void;
}

const none = new Uint8Array(0);

/** Serves one request. Resolves when the answer has been sent, or the client has gone. */
export async function serveRequest(
  handler: Handler,
  request: AnyRequest,
  response: AnyResponse,
  underway: Set<Underway>,
  caller?: CertificateCaller,
): Promise<void> {
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  request.on("error", () => {});
  response.on("error", () => {});
  const body = await readBody(request);
  if (!body) return;
  const apiRequest: ApiRequest = {
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: flatHeaders(request),
    body,
    ...caller,
  };
  const answer = await handler(apiRequest);
  if (response.destroyed || response.writableEnded) return;
  try {
    await sendAnswer(answer, apiRequest, response, underway);
  } catch {
    // A head that cannot be written must not leave the client waiting.
    response.destroy();
  }
  await closed;
}

async function sendAnswer(
  answer: ApiResponse,
  apiRequest: ApiRequest,
  response: AnyResponse,
  underway: Set<Underway>,
): Promise<void> {
  if (isStream(answer.body)) {
    response.writeHead(answer.status, wireHeaders(answer.headers));
    response.flushHeaders();
    pushStream(answer.body, response, underway);
  } else {
    const packing = gzipHeaders(apiRequest.path, apiRequest.headers["accept-encoding"], answer);
    send(
      response,
      answer.status,
      { ...answer.headers, ...packing },
      packing ? await gzipBody(answer.body) : answer.body,
    );
  }
}

const beyondAscii = /[^\u0000-\u007f]/;

/**
 * What a client wrote as UTF-8, which Node gives as a character for each byte; Go takes bytes for
 * text.
 */
const textOf = (value: string): string =>
  beyondAscii.test(value) ? Buffer.from(value, "latin1").toString("utf8") : value;

/**
 * Headers as a wire takes them. Go writes texts as UTF-8, also into a Warning that quotes what a
 * client sent. Node writes characters as latin1, which HTTP/1.1 refuses for those beyond and HTTP/2
 * cuts down to a byte; so each byte goes as a character.
 */
function wireHeaders(headers: ApiResponse["headers"]): OutgoingHttpHeaders {
  const toBytes = (value: string): string =>
    beyondAscii.test(value) ? Buffer.from(value, "utf8").toString("latin1") : value;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? toBytes(value) : value.map(toBytes),
    ]),
  );
}

function send(
  response: AnyResponse,
  status: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: Uint8Array,
): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    ...wireHeaders(headers),
    ...(status === 304 || status === 204 ? {} : { "content-length": body.length }),
  });
  response.end(body);
}

/** Wires a stream to a response until either ends. */
function pushStream(stream: ByteStream, response: AnyResponse, underway: Set<Underway>): void {
  let gone = false;
  const opened = stream.open({
    data: (chunk) => !gone && response.write(chunk),
    end: () => {
      gone = true;
      response.end();
    },
  });
  const entry: Underway = {
    finish() {
      if (gone) return;
      gone = true;
      opened.close();
      response.end();
    },
  };
  underway.add(entry);
  response.on("drain", () => {
    if (!gone) opened.resume();
  });
  response.once("close", () => {
    underway.delete(entry);
    if (gone) return;
    gone = true;
    opened.close();
  });
}

/**
 * Reads little more than may be sent, so that whoever wants the body can tell; the rest is let go.
 * Undefined when the client left before the end: half a body must not become a request.
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

const listHeader = /^impersonate-(?:group$|extra-)/;

function flatHeaders(request: AnyRequest): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name[0] === ":") continue;
    out[name] = textOf(typeof value === "string" ? value : value.join(", "));
    if (listHeader.test(name)) out[name] = textOf(rawValues(request.rawHeaders, name).join("\n"));
  }
  return out;
}

function rawValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  return values;
}
