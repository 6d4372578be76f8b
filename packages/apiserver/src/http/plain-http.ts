// Responds to plain HTTP on a TLS port with an error, as Go's server does: inspects the first bytes
// of a connection before TLS reads them.
// Upstream: net/http (server.go, tlsRecordHeaderLooksLikeHTTP).
import type { Server, Socket } from "node:net";

const looksLikeHttp = /^(?:GET \/|HEAD |POST |PUT \/|OPTIO)/;
const refusal = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/**
 * Inspects connections before `server`, a TLS server, accepts them. Connections that send nothing
 * for `silentMs` are closed.
 */
export function refusePlainHttp(server: Server, silentMs: number): void {
  const accept = server.listeners("connection") as ((socket: Socket) => void)[];
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const giveUp = (): void => void socket.destroy();
    socket.setTimeout(silentMs, giveUp);
    socket.on("error", giveUp);
    // Otherwise the server would keep half-open connections of clients that sent nothing.
    socket.on("end", giveUp);
    socket.once("data", (first: Buffer) => {
      socket.setTimeout(0, giveUp);
      socket.off("error", giveUp);
      socket.off("end", giveUp);
      if (looksLikeHttp.test(first.toString("latin1", 0, 5))) {
        socket.on("error", giveUp);
        socket.end(refusal);
        return;
      }
      socket.pause();
      socket.unshift(first);
      for (const each of accept) each.call(server, socket);
    });
  });
}
