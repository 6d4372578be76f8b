// What a port answers by itself, and how it ends.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as sendRequest } from "node:http";
import { request as sendSecure, type RequestOptions } from "node:https";
import { connect } from "node:net";
import { X509Certificate } from "node:crypto";
import { connect as connectSecure } from "node:tls";
import { describe, it, type TestContext } from "node:test";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { openPort, type PortHandler, type PortOptions, type PortRequest } from "./http-port.ts";
import { selfSignedCertificate } from "./port-certificate.ts";
import { createMetrics } from "../../metrics/index.ts";

const runtime = createSystemRuntime();
const lines: string[] = [];
const log = { debug() {}, info() {}, warn() {}, error: (line: string) => void lines.push(line) };
const fine: PortHandler = () => ({ status: 200, body: "fine" });

async function open(t: TestContext, handler = fine, given: Partial<PortOptions> = {}) {
  const { clock } = runtime;
  const host = "127.0.0.1";
  const port = await openPort({ what: "metrics", port: 0, host, handler, clock, log, ...given });
  t.after(() => port.close());
  return port;
}

async function send(port: number, path: string, method = "GET", headers = {}) {
  return heard(sendRequest, { port, path, method, headers });
}

async function heard(request: typeof sendSecure, asked: RequestOptions) {
  const to = { host: "127.0.0.1", ...asked };
  const sent = request({ ...to, agent: false, rejectUnauthorized: false }).end();
  // A server that refuses a request breaks the connection on which it is still sent.
  sent.on("error", () => {});
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, body };
}

describe("a port", () => {
  it("answers as browsers need it: a type, its length, and nothing to keep or to guess", async (t) => {
    const { port } = await open(t, () => ({ status: 200, body: "é" }));
    const { status, headers, body } = await send(port, "/");
    assert.deepEqual([status, body], [200, "é"]);
    assert.equal(headers["content-type"], "text/plain; charset=utf-8");
    assert.equal(headers["content-length"], "2");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cache-control"], "no-cache, private");
    const head = await send(port, "/", "HEAD");
    assert.deepEqual([head.status, head.headers["content-length"], head.body], [200, "2", ""]);
  });

  it("lets nothing be written", async (t) => {
    let calls = 0;
    const { port } = await open(t, () => ({ status: 200, body: `${calls++}` }));
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, body } = await send(port, "/", method);
      assert.deepEqual([status, body], [405, "405 method not allowed\n"], method);
    }
    assert.equal(calls, 0);
  });

  it("tells its handler path, query, headers and whether the client is on this host", async (t) => {
    let seen: PortRequest | undefined;
    const { port } = await open(t, (request) => {
      seen = request;
      return { status: 200, body: "" };
    });
    await send(port, "/a/b?c=d?e&f", "GET", { authorization: "Bearer x" });
    assert.deepEqual([seen?.method, seen?.path, seen?.isLoopback], ["GET", "/a/b", true]);
    assert.deepEqual(
      [...seen!.query],
      [
        ["c", "d?e"],
        ["f", ""],
      ],
    );
    assert.equal(seen?.headers["authorization"], "Bearer x");
    await send(port, "/a");
    assert.deepEqual([...seen!.query], []);
  });

  it("answers 500 when its handler fails, and says why in the log only", async (t) => {
    const failing: readonly PortHandler[] = [
      () => {
        throw new Error("the password is x");
      },
      () => Promise.reject(new Error("the password is x")),
    ];
    for (const handler of failing) {
      const { port } = await open(t, handler);
      lines.length = 0;
      const { status, body } = await send(port, "/a?b");
      assert.deepEqual([status, body], [500, "500 internal server error\n"]);
      assert.deepEqual(lines, ["answering GET /a?b: the password is x"]);
    }
  });

  it("is open on its own address only, and not where it is taken", async (t) => {
    const { port } = await open(t);
    const elsewhere = connect(port, "127.0.0.2");
    elsewhere.setTimeout(1000, () => elsewhere.destroy(new Error("no answer")));
    await assert.rejects(once(elsewhere, "connect"));
    await assert.rejects(open(t, fine, { port }), {
      code: "ERR_MANAGER_PORT",
      message: /opening port \d+ for metrics: .*EADDRINUSE/,
    });
  });

  it("takes a megabyte of headers and no more", async (t) => {
    const { port } = await open(t);
    assert.equal((await send(port, "/", "GET", { x: "x".repeat(900_000) })).status, 200);
    const long = send(port, "/", "GET", { x: "x".repeat(1_100_000) });
    assert.equal(
      await long.then(
        ({ status }) => status,
        () => 431,
      ),
      431,
    );
  });

  it("does so with TLS, and takes another certificate from the next connection on", async (t) => {
    const { first } = selfSignedCertificate({ runtime, log, metrics: createMetrics() });
    const other = selfSignedCertificate({ runtime, log, metrics: createMetrics() }).first;
    const { port, setCertificate } = await open(t, fine, { certificate: first });
    const get = (length: number) => heard(sendSecure, { port, headers: { x: "x".repeat(length) } });
    assert.equal((await get(900_000)).status, 200);
    assert.equal(
      await get(1_100_000).then(
        ({ status }) => status,
        () => 431,
      ),
      431,
    );
    const serialOf = async (): Promise<string> => {
      const socket = connectSecure({ port, host: "127.0.0.1", rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    };
    assert.equal(await serialOf(), new X509Certificate(first.cert).serialNumber);
    setCertificate(other);
    assert.equal(await serialOf(), new X509Certificate(other.cert).serialNumber);
    assert.throws(() => setCertificate({ ...other, key: first.key }));
  });

  it("gives requests a second to end when it closes", async (t) => {
    const asked = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    const slow: PortHandler = async () => {
      asked.resolve();
      await going.promise;
      return { status: 200, body: "at last" };
    };
    const port = await open(t, slow);
    const answered = send(port.port, "/");
    await asked.promise;
    const closed = port.close();
    await assert.rejects(send(port.port, "/"), /ECONNREFUSED/);
    going.resolve();
    assert.equal((await answered).body, "at last");
    await closed;
    const hung = await open(t, () => new Promise(() => {}));
    const never = send(hung.port, "/");
    never.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.now();
    await hung.close();
    const tookMs = performance.now() - began;
    assert.ok(tookMs > 900 && tookMs < 5000, `${tookMs} ms`);
    await assert.rejects(never);
  });

  for (const isSecure of [true, false])
    it(`${isSecure ? "with" : "without"} TLS closes although a client sends nothing`, async (t) => {
      const { first } = selfSignedCertificate({ runtime, log, metrics: createMetrics() });
      const port = await open(t, fine, { certificate: isSecure ? first : undefined });
      const client = connect(port.port, "127.0.0.1");
      client.on("error", () => {});
      await once(client, "connect");
      const ended = once(client, "close");
      await port.close();
      await ended;
      assert.ok(client.destroyed);
    });
});
