// How long a connection may rest, on sockets without TLS.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import type { TLSSocket } from "node:tls";
import { test } from "node:test";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { PlainConnection } from "./plain-connection.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };

test("a connection is closed once it has rested, and not while it is answered", async (t) => {
  const going = Promise.withResolvers<void>();
  const answer = async () => {
    await going.promise;
    return { status: 200, contentType: "text/plain", body: "at last" };
  };
  const paths = new Map([["/slow", { path: "/slow", bodyLimit: 9, answer }]]);
  const http = createHttpServer();
  const server = createServer((socket) => {
    new PlainConnection(socket as TLSSocket, {
      paths,
      state: { isDraining: false },
      effects: { runtime: createSystemRuntime(), log },
      connections: { began() {}, ended() {} } as never,
      limits: { idleMs: 30, requestMs: 10_000 },
      toNode: (taken) => http.emit("connection", taken),
    });
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const idle = await open();
  idle.resume();
  await once(idle, "close");
  const busy = await open();
  busy.write("POST /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
  await new Promise((resolve) => setTimeout(resolve, 100));
  going.resolve();
  const [heard] = (await once(busy, "data")) as [Buffer];
  assert.match(heard.toString(), /^HTTP\/1\.1 200 OK\r\n.*at last$/s);
  await once(busy, "close");
});
