// Serves an HTTP/1.1 request for another protocol (web sockets, SPDY): joins the client's
// connection to the stream of the response, or writes a plain response.
// Upstream: k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go (tryUpgrade).
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { CertificateCaller } from "./certificate-user.ts";
import {
  type ApiResponse,
  type ByteStream,
  discard,
  type Handler,
  isStream,
} from "../apimachinery/handler.ts";
import type { StreamTurns } from "./stream-writer.ts";
import { sendAnswer, toApiRequest, type Underway, wireHeaders } from "./serve-request.ts";

/** One request and its connection. */
interface UpgradeExchange {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** The first bytes behind the request. */
  readonly head: Uint8Array;
  readonly underway: Set<Underway>;
  readonly turns: StreamTurns;
  readonly caller: CertificateCaller | undefined;
}

/** Resolves when the connection is closed. */
export async function serveUpgrade(handler: Handler, exchange: UpgradeExchange): Promise<void> {
  const { request, socket, head, underway, turns, caller } = exchange;
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.on("error", () => socket.destroy());
  const apiRequest = toApiRequest(request, new Uint8Array(), caller, closed);
  const answer = await handler(apiRequest);
  if (answer.cut) socket.destroy();
  if (socket.destroyed) return discard(answer);
  if (answer.status === 101 && isStream(answer.body)) {
    if (head.length) socket.unshift(head);
    socket.write(headOf(answer), "latin1");
    join(answer.body, socket, underway);
  } else {
    const { ServerResponse } = process.getBuiltinModule("node:http");
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.on("finish", () => socket.end());
    try {
      await sendAnswer(answer, apiRequest, { response, underway, turns });
    } catch {
      // The client must not wait when headers cannot be written.
      socket.destroy();
      discard(answer);
    }
  }
  await closed;
}

function headOf({ headers }: ApiResponse): string {
  const lines = Object.entries(wireHeaders(headers)).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => `${name}: ${value}`),
  );
  return ["HTTP/1.1 101 Switching Protocols", ...lines, "", ""].join("\r\n");
}

/** Passes bytes both ways until one side closes. */
function join(stream: ByteStream, socket: Socket, underway: Set<Underway>): void {
  const opened = stream.open({
    data: (chunk) => socket.write(chunk),
    drained: () => void socket.resume(),
    end: () => void socket.destroySoon(),
  });
  const entry: Underway = { finish: () => void socket.destroy() };
  underway.add(entry);
  socket.on("data", (chunk: Uint8Array) => {
    if (opened.write?.(chunk) === false) socket.pause();
  });
  socket.on("drain", () => opened.resume());
  // A plain connection stays half open otherwise.
  socket.on("end", () => void socket.destroySoon());
  socket.on("close", () => {
    underway.delete(entry);
    opened.close();
  });
}
