// The connections of the server, and how they end: clients are asked to leave with their next
// answer, so that none loses a request.
import type { Server } from "node:https";
import type { TLSSocket } from "node:tls";
import type { Runtime } from "../../runtime/runtime.ts";
import { sleep } from "../../runtime/sleep.ts";

interface DrainOptions {
  readonly runtime: Runtime;
  readonly drainMs: number;
  readonly graceMs: number;
}

/** The open connections of a server. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Set<TLSSocket>();

  constructor(server: Server) {
    this.#server = server;
    server.on("secureConnection", (socket: TLSSocket) => {
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
    });
    // A client that does not trust the certificate ends the handshake.
    server.on("tlsClientError", () => {});
    server.on("clientError", (_error: Error, socket: { destroy(): void }) => socket.destroy());
  }

  /** Ends all connections, and closes the server. */
  async drain({ runtime, drainMs, graceMs }: DrainOptions): Promise<void> {
    if (drainMs > 0) await sleep(runtime.clock, drainMs, undefined);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const late = runtime.clock.timer(graceMs, () => this.#server.closeAllConnections());
    await closed;
    late.cancel();
    for (const socket of this.#open) socket.destroy();
  }
}
