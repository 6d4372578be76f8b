// What Node's HTTP/1.1 parser does not take. A method that it has not heard of is a request all the
// same, and the server core knows what to say to it; everything else is answered in the words of
// Go's server. The connection ends in any case.
// Upstream: net/http (server.go, badRequestError and statusError).
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { CertificateCaller } from "./certificate-user.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type Handler,
  isStream,
} from "../apimachinery/handler.ts";

/** As Node reports it: the code of its parser, and the packet in which it stumbled. */
export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

/** Answers where that can be done. Resolves when the answer has been handed over. */
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

/** A request without its body, where the packet holds the whole of its head. */
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
    body,
  ]);
}
