// What streams look like on the wire, over plain HTTP/1.1.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import type { StreamSink } from "../apimachinery/handler.ts";
import { listen, type Listener } from "./listen.ts";

const sinks: StreamSink[] = [];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
let listener: Listener;

before(async () => {
  listener = await listen(async () => ({
    status: 200,
    headers: {},
    body: {
      open(sink) {
        sinks.push(sink);
        return { resume() {}, close() {} };
      },
    },
  }));
});
after(() => listener.close());

/** Resolves to the body as it was sent, once the server has ended it. */
async function receive(push: (sink: StreamSink) => void, version = "1.1"): Promise<string> {
  const socket = connect(listener.port, "127.0.0.1");
  socket.write(`GET / HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`);
  let text = "";
  socket.on("data", (chunk) => {
    const isFirst = !text;
    text += chunk.toString();
    if (isFirst) push(sinks.at(-1)!);
  });
  await once(socket, "close");
  return text.slice(text.indexOf("\r\n\r\n") + 4);
}

test("frames of one turn are one chunk, and those of the next another", async () => {
  const body = await receive((sink) => {
    for (const text of ["one\n", "", "two\n"]) assert.ok(sink.data(bytes(text)));
    setTimeout(() => {
      sink.data(bytes("three\n"));
      sink.end();
    }, 5);
  });
  assert.equal(body, "8\r\none\ntwo\n\r\n6\r\nthree\n\r\n0\r\n\r\n");
});

test("streams with the same frames, and with others, each get their own", async () => {
  const [one, two, three] = ["one\n", "two\n", "three\n"].map(bytes);
  const frames = [[one, two], [one, two], [one], [one, three], [three, two]];
  const bodies = frames.map(() => receive(() => {}));
  while (sinks.length < 1 + frames.length) await new Promise((resolve) => setImmediate(resolve));
  const own = sinks.slice(-frames.length);
  own.forEach((sink, i) => frames[i]!.forEach((frame) => sink.data(frame!)));
  setTimeout(() => own.forEach((sink) => sink.end()), 5);
  assert.deepEqual((await Promise.all(bodies)).toSorted(), [
    "4\r\none\n\r\n0\r\n\r\n",
    "8\r\none\ntwo\n\r\n0\r\n\r\n",
    "8\r\none\ntwo\n\r\n0\r\n\r\n",
    "a\r\none\nthree\n\r\n0\r\n\r\n",
    "a\r\nthree\ntwo\n\r\n0\r\n\r\n",
  ]);
});

test("a client of HTTP/1.0 gets no chunks", async () => {
  const body = await receive((sink) => {
    sink.data(bytes("one\n"));
    sink.data(bytes("two\n"));
    sink.end();
  }, "1.0");
  assert.equal(body, "one\ntwo\n");
});
