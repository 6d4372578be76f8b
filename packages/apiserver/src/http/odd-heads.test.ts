// Heads that Node's HTTP/1.1 does not take as they are: texts beyond latin1, and requests for a tunnel.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import type { Handler } from "./handler.ts";
import { listen } from "./listen.ts";

const answers: Handler = async () => ({ status: 200, headers: { warning: ['299 - "unknown field \\"spec.größe→\\""', '299 - "plain"'] }, body: new TextEncoder().encode("{}") });

test("a warning with any character arrives as UTF-8, as Go writes it", async () => {
  const listener = await listen(answers, { port: 0 });
  try {
    const request = http.get(listener.url);
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    await once(response, "end");
    const warnings = response.rawHeaders.filter((_, i, all) => all[i - 1]?.toLowerCase() === "warning").map((value) => Buffer.from(value, "latin1").toString("utf8"));
    assert.deepEqual([response.statusCode, warnings], [200, ['299 - "unknown field \\"spec.größe→\\""', '299 - "plain"']]);
  } finally {
    await listener.close();
  }
});

test("a head that cannot be written ends the connection instead of leaving it open", async () => {
  const listener = await listen(async () => ({ status: 200, headers: { "x-broken": "a\nb" }, body: new Uint8Array() }), { port: 0 });
  try {
    await assert.rejects(once(http.get(listener.url), "response"), /socket hang up/);
  } finally {
    await listener.close();
  }
});

test("a tunnel is refused", async () => {
  const listener = await listen(answers, { port: 0 });
  try {
    const socket = connect(listener.port, "127.0.0.1");
    socket.end("CONNECT /api HTTP/1.1\r\nHost: x\r\n\r\n");
    const [chunk] = (await once(socket, "data")) as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 405 Method Not Allowed\r\n/);
  } finally {
    await listener.close();
  }
});
