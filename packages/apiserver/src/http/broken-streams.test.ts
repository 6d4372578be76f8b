// Streams whose client leaves early, and streams that break off, over plain HTTP/1.1.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import type { StreamSink } from "../apimachinery/handler.ts";
import { listen, type Listener } from "./listen.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
let listener: Listener;
let asked = Promise.withResolvers<void>();
let respond = Promise.withResolvers<void>();
let opened = Promise.withResolvers<StreamSink>();
let closed = Promise.withResolvers<void>();
/** Of the request that was asked last. */
let left: Promise<void> | undefined;

before(async () => {
  listener = await listen(
    async ({ path, headers, closed: clientLeft }) => {
      left = clientLeft;
      asked.resolve();
      await respond.promise;
      return {
        status: path === "/upgrade" && headers["upgrade"] ? 101 : 200,
        headers: path === "/odd" ? { "x-odd": "a\nb" } : {},
        body: {
          open(sink) {
            opened.resolve(sink);
            return { resume() {}, close: () => closed.resolve(), write: () => true };
          },
        },
      };
    },
    { upgrades: () => true },
  );
});
after(() => listener.close());

/** A client that has asked, and whose request waits for `respond`. */
async function ask(path: string): Promise<Socket> {
  asked = Promise.withResolvers();
  respond = Promise.withResolvers();
  opened = Promise.withResolvers();
  closed = Promise.withResolvers();
  const socket = connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
  const upgrade = path === "/upgrade" || path === "/odd";
  const more = upgrade ? "Connection: Upgrade\r\nUpgrade: echo\r\n" : "";
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`);
  await asked.promise;
  return socket;
}

for (const path of ["/", "/upgrade"])
  test(`the stream of ${path} is closed if its client left before the head`, async () => {
    const socket = await ask(path);
    socket.resetAndDestroy();
    await once(socket, "close");
    await new Promise((done) => setTimeout(done, 50));
    assert(left);
    await left;
    respond.resolve();
    await closed.promise;
  });

test("a stream that breaks off has no last chunk", async () => {
  const socket = await ask("/");
  let text = "";
  socket.on("data", (chunk) => (text += chunk.toString()));
  socket.on("error", () => {});
  respond.resolve();
  const sink = await opened.promise;
  sink.data(bytes("half"));
  await once(socket, "data");
  sink.cut!();
  await once(socket, "end");
  socket.destroy();
  assert.ok(!text.includes("0\r\n\r\n"), text);
});

test("a client that half closes an upgraded connection has closed it", async () => {
  const socket = await ask("/upgrade");
  respond.resolve();
  await opened.promise;
  socket.resume().end();
  await closed.promise;
});

test("a response to an upgrade that cannot be written closes the connection", async () => {
  const socket = await ask("/odd");
  respond.resolve();
  socket.resume();
  await once(socket, "end");
  socket.destroy();
});
