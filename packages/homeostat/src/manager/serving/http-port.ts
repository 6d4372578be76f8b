// One HTTP or HTTPS port for answers that are small texts, or go on: probes, metrics,
// introspection. Limits are those of controller-runtime's servers.
// Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/internal/httpserver/server.go.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { KeyPair } from "../../certificates/authority.ts";
import type { Log } from "../../util/guard-log.ts";
import { describeError } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type PortStream, portStream } from "./port-stream.ts";
import type { Viewer } from "../introspection/viewer.ts";

/** What is asked. */
export interface PortRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The client is on this machine, or in this pod. */
  readonly isLoopback: boolean;
  /** Who asks, where the API server has said it; undefined where all that comes may see all. */
  readonly viewer?: Viewer | undefined;
}

export interface PortAnswer {
  readonly status: number;
  /** Default: plain text. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body goes on, until this ends it. Called once. */
  readonly stream?: (stream: PortStream) => void;
  /** Called in place of `stream` when nobody is there to read it. */
  readonly abandoned?: () => void;
}

export type PortHandler = (request: PortRequest) => PortAnswer | Promise<PortAnswer>;

/** A port to open. */
export interface PortOptions {
  /** For messages, e.g. `probes`. */
  readonly what: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  /** HTTPS with this certificate; HTTP without one. */
  readonly certificate?: KeyPair | undefined;
  readonly handler: PortHandler;
  readonly clock: Clock;
  readonly log: Log;
}

/** An open port. */
export interface Port {
  readonly port: number;
  /** From the next connection on. @throws Error for a pair that does not fit */
  setCertificate(pair: KeyPair): void;
  /** Takes no more connections; those with a request have a second to end. */
  close(): Promise<void>;
}

const idleMs = 90_000;
const headMs = 32_000;
const graceMs = 1000;

/** @throws ERR_MANAGER_PORT */
export async function openPort(options: PortOptions): Promise<Port> {
  const { what, certificate, clock } = options;
  const server = await createServer(options);
  const sockets = followSockets(server);
  await listening(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    setCertificate: (pair) => (server as SecureServer).setSecureContext({ ...pair, ...oldest }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const late = clock.timer(graceMs, () => {
        for (const socket of sockets) socket.destroy();
      });
      await closed;
      late.cancel();
      options.log.debug(`closed the port of ${what}`, { secure: certificate !== undefined });
    },
  };
}

/** Open connections. Node's own list leaves out those whose handshake has not ended. */
function followSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return sockets;
}

const oldest = { minVersion: "TLSv1.2" } as const;

/** Node's modules are loaded by programs that open a port, and by no others. */
async function createServer({ certificate, handler, log }: PortOptions): Promise<Server> {
  const limits = { keepAliveTimeout: idleMs, headersTimeout: headMs, maxHeaderSize: 1 << 20 };
  const serve = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response, { handler, log });
  if (!certificate) return (await import("node:http")).createServer(limits, serve);
  const { createServer: create } = await import("node:https");
  return create({ ...limits, ...oldest, ...certificate, ALPNProtocols: ["http/1.1"] }, serve);
}

async function listening(server: Server, { what, port, host }: PortOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  await promise.catch((error: unknown) => {
    throw new HomeostatError(
      "ERR_MANAGER_PORT",
      `opening port ${port} for ${what}: ${describeError(error)}`,
      { hint: "choose another port, or end the process that has it", cause: error },
    );
  });
  server.off("error", reject);
  // What happens to one connection ends no process.
  server.on("error", () => {});
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { handler, log }: Pick<PortOptions, "handler" | "log">,
): Promise<void> {
  request.resume();
  const { contentType = plain, ...found } = await answered(request, handler, log);
  const { status, headers, body, stream, abandoned } = found;
  response.writeHead(status, {
    "content-type": contentType,
    ...(stream ? { connection: "close" } : { "content-length": Buffer.byteLength(body) }),
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache, private",
    ...headers,
  });
  if (!stream) return void response.end(request.method === "HEAD" ? undefined : body);
  if (request.method === "HEAD" || response.destroyed) {
    abandoned?.();
    return void response.end();
  }
  stream(portStream(response));
}

const plain = "text/plain; charset=utf-8";

async function answered(
  { method = "GET", url = "/", headers, socket }: IncomingMessage,
  handler: PortHandler,
  log: Log,
): Promise<PortAnswer> {
  try {
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, body: "405 method not allowed\n" };
    const [path = "/", query = ""] = url.split(/\?(.*)/s);
    return await handler({
      method,
      path,
      query: new URLSearchParams(query),
      headers,
      isLoopback: isLoopback(socket.remoteAddress),
    });
  } catch (error) {
    log.error(`answering ${method} ${url}: ${describeError(error)}`, { error });
    return { status: 500, body: "500 internal server error\n" };
  }
}

/** What Go's mux answers. */
export const notFoundAnswer: PortAnswer = { status: 404, body: "404 page not found\n" };

const isLoopback = (address = ""): boolean =>
  address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
