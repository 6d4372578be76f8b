// Heads that Node's HTTP/1.1 does not take as they are: texts beyond latin1, and requests for a
// tunnel.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import type { Handler } from "../apimachinery/handler.ts";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import { listen } from "./listen.ts";
import { createSystemRuntime } from "homeostat/runtime";

const answers: Handler = async () => ({
  status: 200,
  headers: { warning: ['299 - "unknown field \\"spec.größe→\\""', '299 - "plain"'] },
  body: new TextEncoder().encode("{}"),
});

test("a warning with any character arrives as UTF-8, as Go writes it", async () => {
  const listener = await listen(answers, { port: 0 });
  try {
    const request = http.get(listener.url);
    const [response] = (await once(request, "response")) as [http.IncomingMessage];
    response.resume();
    await once(response, "end");
    const warnings = response.rawHeaders
      .filter((_, i, all) => all[i - 1]?.toLowerCase() === "warning")
      .map((value) => Buffer.from(value, "latin1").toString("utf8"));
    assert.deepEqual(
      [response.statusCode, warnings],
      [200, ['299 - "unknown field \\"spec.größe→\\""', '299 - "plain"']],
    );
  } finally {
    await listener.close();
  }
});

test("a head that cannot be written closes the connection", async () => {
  const listener = await listen(
    async () => ({ status: 200, headers: { "x-broken": "a\nb" }, body: new Uint8Array() }),
    { port: 0 },
  );
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

const echo: Handler = async ({ method, path, headers }) => ({
  status: 405,
  headers: { "x-seen": `${method} ${path} ${headers["x-a"] ?? ""}` },
  body: new TextEncoder().encode("no"),
});

/** All that a server says to these bytes before it hangs up. */
async function said(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(bytes);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

test("a method that Node does not know is answered by the API server", async () => {
  const listener = await listen(echo, { port: 0 });
  try {
    const answer = await said(
      listener.port,
      "FOO /api?x HTTP/1.1\r\nHost: x\r\nX-A: 1\r\nx-a: 2\r\n\r\n",
    );
    assert.equal(
      answer,
      "HTTP/1.1 405 Method Not Allowed\r\nx-seen: FOO /api?x 1, 2\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno",
    );
  } finally {
    await listener.close();
  }
});

test("malformed requests are refused as Go refuses them", async () => {
  const listener = await listen(echo, { port: 0 });
  try {
    const bad =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request";
    for (const bytes of [
      "FOO\r\n\r\n",
      "\u0000\u0001\u0002",
      "GET / HTTP/1.1\r\nbroken\r\n\r\n",
      "FOO / HTTP/1.1\r\nx y: 1\r\n\r\n",
    ])
      assert.equal(await said(listener.port, bytes), bad);
  } finally {
    await listener.close();
  }
});

test("plain HTTP on a TLS port gets an error; silent and malformed connections close with the listener", async () => {
  const runtime = createSystemRuntime();
  const tls = issueServingCertificate(createAuthority({ runtime }), {
    runtime,
    names: ["localhost"],
    addresses: ["127.0.0.1"],
  });
  const listener = await listen(echo, { port: 0, tls });
  const refusal =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
  for (const method of ["GET", "POST", "OPTIONS"])
    assert.equal(
      await said(listener.port, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`),
      refusal,
      method,
    );
  assert.doesNotMatch(
    await said(listener.port, "DELETE / HTTP/1.1\r\nHost: x\r\n\r\n"),
    /HTTP/,
    "as in Go, not every method is known here",
  );
  const silent = connect(listener.port, "127.0.0.1");
  await once(silent, "connect");
  const ended = once(silent, "close");
  silent.on("error", () => {});
  silent.resume();
  await listener.close();
  await ended;
});
