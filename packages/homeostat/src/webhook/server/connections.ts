// The connections of the server, and how they end: clients are asked to leave with their next
// answer, so that none loses a request.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The open connections of a server. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Set<TLSSocket>();
  /** Those whose handshake has not ended, by their other end. */
  readonly #handshaking = new Map<string, Socket>();
  #isClosing = false;
  /** With a request that is not answered yet. */
  readonly #busy = new Set<unknown>();

  constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      this.#handshaking.set(peer, socket);
      socket.once("close", () => {
        if (this.#handshaking.get(peer) === socket) this.#handshaking.delete(peer);
      });
    });
    server.on("secureConnection", (socket: TLSSocket) => {
      this.#handshaking.delete(peerOf(socket));
      if (this.#isClosing) return void socket.destroy();
      this.#open.add(socket);
      socket.once("close", () => {
        this.#open.delete(socket);
        this.#busy.delete(socket);
      });
    });
    server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#busy.add(socket);
      response.once("close", () => this.#busy.delete(socket));
    });
    // Also for a client that does not trust the certificate, and ends the handshake.
    server.on("clientError", (_error: Error, socket: { destroy(): void }) => socket.destroy());
  }

  /** A request has come in whole. */
  began(socket: TLSSocket): void {
    this.#busy.add(socket);
  }

  /** Its answer has been sent. */
  ended(socket: TLSSocket): void {
    this.#busy.delete(socket);
  }

  /** True when new connections are not taken. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * Ends all connections, and closes the server. Those with a request that is not answered when
   * `cut` aborts are broken; returns how many.
   */
  async end(cut: AbortSignal): Promise<number> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Node counts those that never had a request as busy; Go opens such ones in reserve.
    for (const socket of this.#open) if (!this.#busy.has(socket)) socket.destroy();
    // They would not be served any more, and one that never ends would be awaited.
    for (const socket of this.#handshaking.values()) socket.destroy();
    let broken = 0;
    const end = (): void => {
      broken = this.#busy.size;
      for (const socket of this.#open) socket.destroy();
    };
    if (cut.aborted) end();
    else cut.addEventListener("abort", end, { once: true });
    await closed;
    cut.removeEventListener("abort", end);
    return broken;
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
