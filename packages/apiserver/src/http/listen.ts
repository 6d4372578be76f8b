// Serves a handler on a port: TLS with HTTP/1.1 and HTTP/2, or plain HTTP/1.1. Binds to loopback by
// default. No other file opens a listening socket.
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type CertificateCaller, certificateCaller } from "./certificate-user.ts";
import type { Handler } from "../apimachinery/handler.ts";
import { refusePlainHttp } from "./plain-http.ts";
import { type ParserError, serveBadRequest } from "./serve-bad-request.ts";
import { type AnyRequest, type AnyResponse, serveRequest, type Underway } from "./serve-request.ts";
import { serveUpgrade } from "./serve-upgrade.ts";
import { StreamTurns } from "./stream-writer.ts";

/** PEM texts of a serving certificate and its key. */
export interface ServingTls {
  readonly cert: string;
  readonly key: string;
  /** Requests client certificates, and trusts those of these authorities. */
  readonly clientCa?: string | readonly string[];
}

export interface ListenOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Without it the port serves plain HTTP/1.1. */
  readonly tls?: ServingTls;
  /**
   * Whether connections may be upgraded at a path; other requests for an upgrade are answered as if
   * they asked for none. Default: nowhere.
   */
  readonly upgrades?: (path: string) => boolean;
  /** How long `close` waits for pending responses before it destroys connections. Default 100. */
  readonly graceMs?: number;
}

/** An open port. */
export interface Listener {
  readonly port: number;
  /** e.g. `https://127.0.0.1:6443` */
  readonly url: string;
  /** Ends open streams, waits for pending responses, and then destroys all connections. */
  close(): Promise<void>;
}

/**
 * Clients may cancel thousands of watches on one connection; by default Node and nghttp2 treat that
 * as an attack.
 */
const unlimited = {
  streamResetBurst: 1_000_000_000,
  streamResetRate: 1_000_000_000,
  maxSessionRejectedStreams: 1_000_000_000,
  maxSessionInvalidFrames: 1_000_000_000,
  maxSessionMemory: 4096,
};
/**
 * Time limit for the headers of a request, and for the TLS handshake; ReadHeaderTimeout upstream.
 */
const headMs = 32_000;
/** How long to keep a connection without requests; IdleTimeout upstream. */
const idleMs = 90_000;
const httpLimits = {
  maxHeaderSize: 1 << 20,
  keepAliveTimeout: idleMs,
  headersTimeout: headMs,
  noDelay: true,
};
const http2Settings = { initialWindowSize: 1 << 20, maxHeaderListSize: 1 << 20 };

/** Opens a port and serves `handler` on it. Rejects with Node's own error (EADDRINUSE, …). */
export async function listen(handler: Handler, options: ListenOptions = {}): Promise<Listener> {
  const underway = new Set<Underway>();
  const turns = new StreamTurns((flush) => void setImmediate(flush));
  const connections = new Connections();
  const callers = new Callers();
  const server = createServer(options);
  const serve = (request: AnyRequest, response: AnyResponse): void => {
    const caller = options.tls?.clientCa ? callers.of(request) : undefined;
    const exchange = { request, response, underway, turns, caller };
    void connections.during(serveRequest(handler, exchange));
  };
  server.on("request", serve);
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Uint8Array) => {
    const caller = options.tls?.clientCa ? callers.of(request) : undefined;
    const exchange = { request, socket, head, underway, turns, caller };
    void connections.during(serveUpgrade(handler, exchange));
  });
  server.on("connect", refuseTunnel);
  server.on("clientError", (error: ParserError, socket: Socket) => {
    const caller = options.tls?.clientCa ? certificateCaller(socket as TLSSocket) : {};
    void connections.during(serveBadRequest(handler, error, socket, caller));
  });
  server.on("connection", (socket: Socket) => connections.add(socket));
  if (options.tls) server.on("secureConnection", (socket: Socket) => connections.add(socket));
  server.on("session", (session: ServerHttp2Session) => connections.addSession(session));
  const port = await listening(server, options);
  const host = options.host ?? "127.0.0.1";
  return {
    port,
    url: formatUrl(options.tls ? "https" : "http", host, port),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const entry of underway) entry.finish();
      await connections.end(options.graceMs ?? 100);
      await closed;
    },
  };
}

const formatUrl = (scheme: string, host: string, port: number): string =>
  `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** Refuses CONNECT. Node passes a socket for HTTP/1.1, and a response for HTTP/2. */
function refuseTunnel(_request: unknown, answer: Socket | ServerResponse): void {
  if ("writeHead" in answer) answer.writeHead(405).end();
  else
    answer.end("HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

/**
 * Takes Node's modules from getBuiltinModule: an import of node:http evaluates its getters, and one
 * of them loads Node's fetch and WebSocket, 30 ms and 4.5 MB. Without authorities Node would parse
 * all of those that it ships.
 */
function createServer(options: ListenOptions): HttpServer | Http2SecureServer {
  const upgrading = {
    shouldUpgradeCallback: ({ url = "" }: { readonly url?: string | undefined }): boolean =>
      options.upgrades?.(url.split("?", 1)[0]!) === true,
  };
  if (!options.tls)
    return process.getBuiltinModule("node:http").createServer({ ...httpLimits, ...upgrading });
  const http2 = process.getBuiltinModule("node:http2");
  const { cert, key, clientCa } = options.tls;
  const server = http2.createSecureServer({
    ...unlimited,
    ...httpLimits,
    ...upgrading,
    handshakeTimeout: headMs,
    allowHTTP1: true,
    settings: http2Settings,
    cert,
    key,
    ca: [clientCa ?? []].flat(),
    ...(clientCa ? { requestCert: true, rejectUnauthorized: false } : {}),
  });
  server.on("sessionError", () => {});
  server.on("session", closeWhenIdle);
  refusePlainHttp(server, headMs);
  return server;
}

/** Closes a session without open streams; a quiet watch keeps its session. */
function closeWhenIdle(session: ServerHttp2Session): void {
  let streams = 0;
  session.on("stream", (stream) => {
    streams++;
    stream.once("close", () => streams--);
  });
  session.setTimeout(idleMs, () => {
    if (streams === 0) session.close();
  });
}

function listening(
  server: HttpServer | Http2SecureServer,
  options: ListenOptions,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port ?? 0, host: options.host ?? "127.0.0.1" }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** The caller of each connection, read with its first request. */
class Callers {
  readonly #known = new WeakMap<object, CertificateCaller>();

  of(request: AnyRequest): CertificateCaller {
    const connection = ("stream" in request ? request.stream.session : undefined) ?? request.socket;
    const known = this.#known.get(connection);
    if (known) return known;
    const caller = certificateCaller(request.socket as TLSSocket);
    this.#known.set(connection, caller);
    return caller;
  }
}

/** Open connections and pending requests, for closing the port. */
class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #requests = 0;
  #idle: (() => void) | undefined;

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    session.once("close", () => this.#sessions.delete(session));
  }

  async during(request: Promise<void>): Promise<void> {
    this.#requests++;
    await request.catch(() => {});
    if (--this.#requests === 0) this.#idle?.();
  }

  async end(graceMs: number): Promise<void> {
    for (const session of this.#sessions) session.close();
    if (this.#requests) await this.#idleWithin(graceMs);
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #idleWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
