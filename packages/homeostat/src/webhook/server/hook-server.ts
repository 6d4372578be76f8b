// The port of webhooks: HTTPS over HTTP/1.1 with connections that stay open. A new certificate is
// used from the next connection on; open ones are not disturbed.
// Upstream: sigs.k8s.io/controller-runtime/pkg/webhook/server.go, pkg/internal/httpserver.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { KeyPair } from "../../certificates/authority.ts";
import type { TLSSocket } from "node:tls";
import type { Hook, HookEffects, HookObserver, HookResponse, ReviewTracer } from "../exchange.ts";
import { answerHook, timeoutOf } from "./answer-hook.ts";
import { Connections } from "./connections.ts";
import { PlainConnection } from "./plain-connection.ts";
import { readBody } from "./read-body.ts";

export interface HookServerOptions extends HookEffects {
  readonly hooks: readonly Hook[];
  readonly certificate: KeyPair;
  /** 0 takes a free port. */
  readonly port: number;
  /** Default: all addresses. */
  readonly host?: string | undefined;
  readonly observer?: HookObserver | undefined;
  readonly trace?: ReviewTracer | undefined;
}

/** An open port. */
export interface HookServer {
  readonly port: number;
  /** Takes effect with the next connection. @throws Error for a pair that does not fit */
  setCertificate(pair: KeyPair): void;
  /** Asks clients to leave with their next answer. */
  drain(): void;
  /**
   * Takes no more connections, waits for answers until `cut` aborts, and closes all. Returns the
   * number of requests that are not answered.
   */
  close(cut: AbortSignal): Promise<number>;
}

/**
 * Longer than any client keeps a connection that it does not use: a server that closes first may
 * cut off a request, and clients do not repeat a POST.
 */
const idleMs = 600_000;
/** As controller-runtime's server. */
const headMs = 32_000;
/** For a request with its body; the API server waits 30 s at most. */
const requestMs = 60_000;

/** Opens the port. Rejects with Node's own error (EADDRINUSE, …). */
export async function openHookServer(options: HookServerOptions): Promise<HookServer> {
  const paths = new Map(options.hooks.map((hook) => [hook.path, hook]));
  const state = { isDraining: false };
  const server = createServer(
    {
      ...options.certificate,
      keepAliveTimeout: idleMs,
      headersTimeout: headMs,
      requestTimeout: requestMs,
      maxHeaderSize: 1 << 20,
      noDelay: true,
      // API servers resume their sessions; what they trust is checked at every handshake.
      minVersion: "TLSv1.2",
      ALPNProtocols: ["http/1.1"],
    },
    (request, response) => serve(request, response, { paths, state, effects: options }),
  );
  const toNode = takeConnections(server);
  const connections = new Connections(server);
  const limits = { idleMs, requestMs };
  const serving = { paths, state, effects: options, connections, limits, toNode };
  server.on("secureConnection", (socket: TLSSocket) => {
    if (!connections.isClosing) new PlainConnection(socket, serving);
  });
  await listening(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    setCertificate: (pair) => server.setSecureContext({ ...pair, minVersion: "TLSv1.2" }),
    drain() {
      state.isDraining = true;
    },
    close(cut) {
      state.isDraining = true;
      return connections.end(cut);
    },
  };
}

/** Takes connections from Node's HTTP server; returns how to give it one. */
function takeConnections(server: Server): (socket: TLSSocket) => void {
  const [listener] = server.listeners("secureConnection") as ((socket: TLSSocket) => void)[];
  server.removeAllListeners("secureConnection");
  return (socket) => listener!.call(server, socket);
}

async function listening(server: Server, { port, host }: HookServerOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
    server.off("error", reject);
    // Errors of a listening socket, such as too many open files, pass.
    server.on("error", () => {});
    resolve();
  });
  await promise;
}

interface Serving {
  readonly paths: ReadonlyMap<string, Hook>;
  readonly state: { isDraining: boolean };
  readonly effects: HookServerOptions;
}

function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const { paths, state, effects } = serving;
  const url = request.url ?? "/";
  const query = url.indexOf("?");
  const hook = paths.get(query < 0 ? url : url.slice(0, query));
  const reply = (answer: HookResponse): void => send(response, answer, state.isDraining);
  if (!hook) {
    request.resume();
    return reply({ status: 404, contentType: "text/plain", body: "404 page not found\n" });
  }
  const timeoutMs = timeoutOf(query < 0 ? undefined : url.slice(query + 1));
  const contentType = request.headers["content-type"] ?? "";
  readBody(request, hook.bodyLimit, (body) =>
    answerHook(hook, { contentType, body, timeoutMs }, effects, reply),
  );
}

function send(
  response: ServerResponse,
  { status, contentType, body }: HookResponse,
  isLast: boolean,
): void {
  const headers: Record<string, string | number> = {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
  };
  if (isLast || !response.req.complete) headers["connection"] = "close";
  response.writeHead(status, headers);
  response.end(body);
}
