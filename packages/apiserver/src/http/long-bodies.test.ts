// Bodies in parts that are longer than a slab: whole over every protocol, and let go of when their
// client leaves in the middle.
import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import http2 from "node:http2";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { createSystemRuntime } from "homeostat/runtime";
import { BodyParts, slabBytes } from "../apimachinery/body-parts.ts";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import { listen, type Listener } from "./listen.ts";

const runtime = createSystemRuntime();
const items = Array.from({ length: 5000 }, (_, i) => `${i}:${"é".repeat(i % 600)};`);
const expected = items.join("");
const headers = { "content-type": "application/json" };
let slabs = 0;

class CountedParts extends BodyParts {
  override *slabs(size: number): Generator<Uint8Array, void, undefined> {
    for (const slab of super.slabs(size)) {
      slabs++;
      yield slab;
    }
  }
}

let plain: Listener;
let secure: Listener;

before(async () => {
  const answer = async () => {
    const body = new CountedParts();
    for (const item of items) body.text(item);
    return { status: 200, headers, body };
  };
  plain = await listen(answer);
  const authority = createAuthority({ runtime });
  const names = { names: ["localhost"], addresses: [] };
  secure = await listen(answer, {
    tls: issueServingCertificate(authority, { runtime, ...names }),
  });
});
after(() => Promise.all([plain.close(), secure.close()]));

const get = async (accept: string): Promise<IncomingMessage> => {
  const asked = http.get({
    port: plain.port,
    agent: false,
    headers: { "accept-encoding": accept },
  });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
};

async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("a long body arrives whole over HTTP/1.1, with its length, to a reader that pauses", async () => {
  const response = await get("identity");
  assert.equal(Number(response.headers["content-length"]), Buffer.byteLength(expected));
  await new Promise((done) => setTimeout(done, 50));
  assert.equal((await read(response)).toString(), expected);
});

test("it arrives compressed where gzip is accepted", async () => {
  const response = await get("gzip");
  assert.equal(response.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(await read(response)).toString(), expected);
});

test("many arrive at once over one HTTP/2 connection", async () => {
  const session = http2.connect(`https://localhost:${secure.port}`, { rejectUnauthorized: false });
  try {
    const bodies = await Promise.all(
      Array.from({ length: 8 }, () => read(session.request({ ":path": "/" }))),
    );
    for (const body of bodies) assert.equal(body.toString(), expected);
  } finally {
    session.destroy();
  }
});

test("a client that leaves in the middle holds nothing: others are served, the port closes", async () => {
  const socket = connect({ port: plain.port, host: "127.0.0.1" });
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "data");
  socket.pause();
  const response = await get("identity");
  socket.resetAndDestroy();
  assert.equal((await read(response)).toString(), expected);
});

test("a stream that is reset in the middle takes no more of the body", async () => {
  const session = http2.connect(`https://localhost:${secure.port}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize: 1000 },
  });
  try {
    slabs = 0;
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    await once(stream, "data");
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await once(stream, "close");
    await read(session.request({ ":path": "/" }));
    const whole = Math.ceil(Buffer.byteLength(expected) / slabBytes);
    assert.ok(slabs < 2 * whole, `${slabs} slabs of two bodies of ${whole}`);
  } finally {
    session.destroy();
  }
});
