// Responds to requests that Node's HTTP/1.1 parser refuses. Unknown methods go to the server core;
// everything else gets the response of Go's server. The connection closes in any case.
// Upstream: net/http (server.go, badRequestError and statusError).
import type { Socket } from "node:net";
import type { CertificateCaller } from "./certificate-user.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type Handler,
  isStream,
  wholeBody,
} from "../apimachinery/handler.ts";

/** An import of node:http would load Node's fetch: see listen.ts. */
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** An error of Node's parser: its code, and the packet in which it occurred. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

/** Responds if possible. Resolves when the response has been written to the socket. */
export async function serveBadRequest(
  handler: Handler,
  error: ParserError,
  socket: Socket,
  caller: CertificateCaller,
): Promise<void> {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const request =
    error.code === "HPE_INVALID_METHOD" && error.rawPacket
      ? readHead(Buffer.from(error.rawPacket).toString("latin1"))
      : undefined;
  if (!request) return void socket.end(plain(error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400));
  const answer = await handler({ ...request, ...caller });
  socket.end(formatAnswer(answer));
}

const plain = (status: number): string => {
  const text = `${status} ${STATUS_CODES[status]}`;
  return `HTTP/1.1 ${text}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${text}`;
};

const head =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/\S*) HTTP\/1\.[01]\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*)\r\n/;

/** A request without its body; undefined unless the packet holds all headers. */
function readHead(packet: string): ApiRequest | undefined {
  const [, method, path, lines] = head.exec(packet) ?? [];
  if (method === undefined || path === undefined || lines === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines.split("\r\n").slice(0, -1)) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
  }
  return { method, path, headers, body: new Uint8Array() };
}

function formatAnswer({ status, headers, body }: ApiResponse): Uint8Array | string {
  if (isStream(body)) return plain(405);
  const values = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each.replace(/[\r\n]/g, " ")}\r\n`),
  );
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${values.join("")}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    ),
    wholeBody(body),
  ]);
}
