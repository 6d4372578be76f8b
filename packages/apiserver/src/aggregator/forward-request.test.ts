// The driver's connections: what a failed attempt leaves behind, and what becomes of broken ones.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { test, type TestContext } from "node:test";
import { createSystemRuntime, createVirtualRuntime } from "homeostat/runtime";
import { type ApiResponse, discard, isStream, type StreamSink } from "../apimachinery/handler.ts";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import { createForwardDriver } from "./forward-request.ts";

const target = { host: "127.0.0.1", port: 1, serverName: "wardle.default.svc" };
const sent = { method: "GET", path: "/apis/wardle.io/v1", headers: {}, body: new Uint8Array() };

test("a certificate that could not be issued is asked for again", async () => {
  let failures = 1;
  const forwarder = createForwardDriver({
    clock: createVirtualRuntime().clock,
    certificate: async () => {
      if (failures-- > 0) throw new Error("no entropy");
      return { cert: "", key: "", ca: "" };
    },
  });
  await assert.rejects(forwarder.send(target, sent), /^Error: no entropy$/);
  await assert.rejects(forwarder.send(target, sent), /connect: connection refused$/);
  forwarder.close();
});

const switching =
  "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n";

/** A server that breaks off, switches protocols unasked, is silent, or streams without end. */
async function setUp(t: TestContext) {
  const runtime = createSystemRuntime();
  const names = ["wardle.default.svc"];
  const identity = issueServingCertificate(createAuthority({ runtime }), { runtime, names });
  const open = new Set<Duplex>();
  const server = createServer({ cert: identity.cert, key: identity.key }, (request, response) => {
    if (request.url === "/unasked") return void request.socket.write(switching);
    if (request.url === "/silent") return;
    if (request.url === "/echo") response.setHeader("x-back", request.headers["x-text"]!);
    response.write("half");
    if (request.url === "/broken") setImmediate(() => request.socket.destroy());
    if (request.url === "/echo") response.end();
  });
  server.on("upgrade", (_request, socket: Duplex) => void socket.write(switching));
  const raw = new Set<Socket>();
  server.on("connection", (socket: Socket) => raw.add(socket));
  server.on("secureConnection", (socket: Duplex) => {
    open.add(socket.on("error", () => {}));
    socket.on("close", () => open.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const forwarder = createForwardDriver({ clock: runtime.clock, certificate: undefined });
  t.after(() => {
    forwarder.close();
    for (const socket of open) socket.destroy();
    server.close();
  });
  const at = { ...target, port: (server.address() as AddressInfo).port };
  const send = (path: string, more: object = {}) =>
    forwarder.send({ ...at, insecureSkipTLSVerify: true }, { ...sent, path, ...more });
  /** Resolves once the server has no connection. */
  const allClosed = () =>
    Promise.all(Array.from(open, (socket) => new Promise((done) => socket.once("close", done))));
  return { send, server, raw, allClosed };
}

/** How a stream goes on. */
const outcomeOf = ({ body }: ApiResponse) =>
  new Promise<string>((done) => {
    assert(isStream(body));
    let text = "";
    const sink: StreamSink = {
      data: (chunk) => (text += Buffer.from(chunk).toString()).length > 0,
      end: () => done(`${text}, end`),
      cut: () => done(`${text}, cut`),
    };
    body.open(sink);
  });

test("a response that breaks off does not end as a whole one does", async (t) => {
  const { send } = await setUp(t);
  assert.equal(await outcomeOf(await send("/broken")), "half, cut");
  assert.equal(await outcomeOf(await send("/echo", { headers: { "x-text": "a" } })), "half, end");
  const late = await send("/broken");
  await new Promise((done) => setTimeout(done, 50));
  assert.match(await outcomeOf(late), /, cut$/);
});

test("what no client takes is closed", async (t) => {
  const { send, allClosed } = await setUp(t);
  const closed = send("/stream").then(async (response) => {
    const gone = allClosed();
    discard(response);
    await gone;
  });
  await closed;
  const response = await send("/", { upgrade: true, headers: upgrading });
  const gone = allClosed();
  discard(response);
  await gone;
});

test(
  "a request that is not answered ends when its client leaves",
  { timeout: 20_000 },
  async (t) => {
    const { send, server, allClosed } = await setUp(t);
    const { promise: closed, resolve: leave } = Promise.withResolvers<void>();
    const asked = once(server, "request");
    const answer = assert.rejects(send("/silent", { closed }));
    await asked;
    const gone = allClosed();
    leave();
    await Promise.all([answer, gone]);
  },
);

test("a response that is not whole in time is cut", { timeout: 20_000 }, async (t) => {
  const { send } = await setUp(t);
  assert.equal(await outcomeOf(await send("/stream", { timeoutMs: 50 })), "half, cut");
});

const upgrading = { connection: "Upgrade", upgrade: "echo" };

test("a connection that breaks before it is taken ends the stream, and nothing else", async (t) => {
  const { send, raw } = await setUp(t);
  const response = await send("/", { upgrade: true, headers: upgrading });
  for (const socket of raw) socket.resetAndDestroy();
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(await outcomeOf(response), ", end");
});

test("a server that switches protocols unasked has no response", async (t) => {
  const { send, allClosed } = await setUp(t);
  await assert.rejects(send("/unasked"), {
    message: 'backend tried to switch protocol "echo" when "" was requested',
  });
  await allClosed();
});

test("texts in headers are UTF-8 both ways", async (t) => {
  const { send } = await setUp(t);
  const { headers } = await send("/echo", { headers: { "x-text": "\u65e5\u672c \u00e9" } });
  assert.equal(headers["x-back"], "\u65e5\u672c \u00e9");
});
