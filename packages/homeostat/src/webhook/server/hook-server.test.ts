import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:https";
import { connect as connectPlain } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { describe, test, type TestContext } from "node:test";
import { createAuthority, issueServingCertificate } from "../../certificates/authority.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import type { Hook } from "../exchange.ts";
import { type HookServer, openHookServer } from "./hook-server.ts";

const runtime = createSystemRuntime();
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const log = { ...silent };
const authority = createAuthority({ runtime });
const issue = () =>
  issueServingCertificate(authority, { runtime, names: ["localhost"], addresses: ["127.0.0.1"] });

const echo: Hook = {
  path: "/echo",
  bodyLimit: 10,
  answer: ({ body, timeoutMs }) => ({
    status: 200,
    contentType: "application/json",
    body: JSON.stringify([body === undefined ? null : Buffer.from(body).toString(), timeoutMs]),
  }),
};

const open = (t: TestContext, ...hooks: readonly Hook[]) => openWith(t, runtime, hooks);

async function openWith(
  t: TestContext,
  own: Runtime,
  hooks: readonly Hook[] = [],
): Promise<HookServer> {
  const server = await openHookServer({
    hooks: [echo, ...hooks],
    certificate: issue(),
    port: 0,
    host: "127.0.0.1",
    runtime: own,
    log,
  });
  t.after(() => server.close(AbortSignal.abort()));
  return server;
}

interface Answer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly body: string;
}

function post(port: number, path: string, body: string, agent?: Agent): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const options = { port, host: "127.0.0.1", path, method: "POST", ca: authority.cert };
  const sent = request({ ...options, ...(agent ? { agent } : {}) }, (response) => {
    const { statusCode: status, headers } = response;
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    response.on("end", () => resolve({ status, connection: headers.connection, body: text }));
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

async function serialAt(port: number): Promise<string> {
  const socket: TLSSocket = connect({ port, host: "127.0.0.1", ca: authority.cert });
  await new Promise((resolve, reject) =>
    socket.once("secureConnect", resolve).once("error", reject),
  );
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

/** A connection on which bytes are sent as they are. */
async function openRaw(t: TestContext, port: number) {
  const socket: TLSSocket = connect({ port, host: "127.0.0.1", ca: authority.cert });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  let heard = "";
  socket.setEncoding("latin1").on("data", (text: string) => (heard += text));
  socket.on("error", () => {});
  const ended = new Promise((resolve) => socket.once("close", resolve));
  return {
    socket,
    send: (text: string) => void socket.write(text),
    /** What has come once `count` answers with these bodies are complete. */
    async bodies(...expected: readonly string[]): Promise<string> {
      while (expected.reduce((from, body) => heard.indexOf(body, Math.max(from, 0)) + 1, 1) === 0)
        await once(socket, "data");
      const all = heard;
      heard = "";
      return all;
    },
    ended,
  };
}

/** A hook that answers when it is told to. */
function createSlow() {
  const asked = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const hook: Hook = {
    path: "/slow",
    bodyLimit: 9,
    async answer() {
      asked.resolve();
      await going.promise;
      return { status: 200, contentType: "text/plain", body: "slowly" };
    },
  };
  return { hook, asked: asked.promise, go: () => going.resolve() };
}

/** As no API server sends it. */
const chunked = (path: string, ...chunks: readonly string[]): string =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n` +
  chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const plain = (body: string, path = "/echo"): string =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("plain requests", { timeout: 20_000 }, () => {
  test("are answered in order, however they are cut and joined", async (t) => {
    const { port } = await open(t);
    const { send, bodies } = await openRaw(t, port);
    const heard = bodies('["a",null]', '["b",2000]', '["",null]');
    send(plain("a") + plain("b", "/echo?timeout=2s") + plain(""));
    assert.equal((await heard).match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 3);
    const cut = bodies('["split",null]');
    const [head, body] = plain("split").split("\r\n\r\n");
    send(`${head}\r\n\r\n${body!.slice(0, 2)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    send(body!.slice(2));
    assert.match(await cut, /Content-Length: 14\r\nDate: .* GMT\r\n\r\n\["split",null\]$/);
  });

  test("that come while one is answered wait for it", async (t) => {
    const asked = Promise.withResolvers<void>();
    const going = Promise.withResolvers<void>();
    const order: string[] = [];
    const slow: Hook = {
      path: "/slow",
      bodyLimit: 9,
      async answer({ body }) {
        order.push(`asked ${String(Buffer.from(body!))}`);
        asked.resolve();
        await going.promise;
        return { status: 200, contentType: "text/plain", body: "slowly" };
      },
    };
    const { port } = await open(t, slow);
    const { send, bodies } = await openRaw(t, port);
    const heard = bodies("slowly", "slowly", '["é"'.slice(0, 2));
    send(plain("1", "/slow"));
    await asked.promise;
    send(plain("2", "/slow") + plain("x"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(order, ["asked 1"]);
    going.resolve();
    await heard;
    assert.deepEqual(order, ["asked 1", "asked 2"]);
    const last = bodies('["z",null]');
    send(plain("z"));
    await last;
  });

  test("are followed by others on the same connection, which Node's server answers", async (t) => {
    const { port } = await open(t);
    const { send, bodies } = await openRaw(t, port);
    const first = bodies('["a",null]');
    send(plain("a"));
    await first;
    const second = bodies('["xyz",null]', '["b",null]');
    send(
      "POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nxyz\r\n0\r\n\r\n" +
        plain("b"),
    );
    assert.equal((await second).match(/HTTP\/1\.1 200 OK\r\n/g)?.length, 2);
    const rest = bodies("404 page not found");
    send(plain("", "/none"));
    await rest;
  });

  test("are asked to leave while the server drains, and the connection ends", async (t) => {
    const server = await open(t);
    const { send, bodies, ended } = await openRaw(t, server.port);
    server.drain();
    const heard = bodies('["a",null]');
    send(plain("a"));
    assert.match(await heard, /\r\nConnection: close\r\n/);
    await ended;
  });

  test("that come in part are cut off after a minute, and only they", async (t) => {
    const timers: { readonly ms: number; readonly run: () => void; isOn: boolean }[] = [];
    const timer: Runtime["clock"]["timer"] = (ms, run) => {
      const made = { ms, run, isOn: true };
      timers.push(made);
      return { cancel: () => void (made.isOn = false) };
    };
    const { port } = await openWith(t, { ...runtime, clock: { ...runtime.clock, timer } });
    const { send, bodies, ended } = await openRaw(t, port);
    const whole = bodies('["hello",null]');
    send(plain("hello").slice(0, -2));
    await until(() => timers.length === 1);
    send("lo");
    await whole;
    assert.equal(timers[0]!.isOn, false);
    send(plain("hello").slice(0, -2));
    await until(() => timers.length === 2);
    assert.deepEqual([timers[1]!.ms, timers[1]!.isOn], [60_000, true]);
    timers[1]!.run();
    await ended;
  });

  test("of a client that sends no more end with it", async (t) => {
    const { port } = await open(t);
    const { socket, ended } = await openRaw(t, port);
    socket.end();
    await ended;
  });

  test("of a client that breaks its connection do no harm", async (t) => {
    const slow = createSlow();
    const { port } = await open(t, slow.hook);
    for (const text of [plain("hello").slice(0, -2), plain("x", "/slow")]) {
      const below = connectPlain({ port, host: "127.0.0.1" });
      const socket = connect({ socket: below, ca: authority.cert, servername: "localhost" });
      socket.on("error", () => {});
      await once(socket, "secureConnect");
      socket.write(text);
      await new Promise((resolve) => setTimeout(resolve, 20));
      below.resetAndDestroy();
    }
    await slow.asked;
    slow.go();
    assert.equal((await post(port, "/echo", "b")).status, 200);
  });

  test("that are cut off, or none, do no harm", async (t) => {
    const { port } = await open(t);
    const first = await openRaw(t, port);
    first.send(plain("hello").slice(0, -2));
    const broken = await openRaw(t, port);
    broken.send("nonsense\r\n\r\n");
    await broken.ended;
    assert.equal((await post(port, "/echo", "b")).status, 200);
  });
});

describe("other requests", { timeout: 20_000 }, () => {
  test("have the same limits and times", async (t) => {
    const { port } = await open(t);
    const { send, bodies } = await openRaw(t, port);
    const heard = bodies('["0123456789",2000]', '["",null]');
    send(`${chunked("/echo?timeout=2s", "01234", "56789")}0\r\n\r\n`);
    send(`${chunked("/echo")}0\r\n\r\n`);
    assert.doesNotMatch(await heard, /Connection: close/i);
    const long = bodies("[null,null]");
    send(`${chunked("/echo", "0123456789A")}0\r\n\r\n`);
    await long;
  });

  test("without an end are answered as too long, and the connection is closed", async (t) => {
    const { port } = await open(t);
    const { send, bodies, ended } = await openRaw(t, port);
    const heard = bodies("[null,null]");
    send(chunked("/echo", "0123456789A"));
    assert.match(await heard, /\r\nConnection: close\r\n/i);
    await ended;
  });

  test("may have a megabyte of headers and no more", async (t) => {
    const { port } = await open(t);
    const { send, bodies, ended } = await openRaw(t, port);
    const withHeader = (length: number): string =>
      plain("a").replace("\r\n\r\n", `\r\nX: ${"x".repeat(length)}\r\n\r\n`);
    const heard = bodies('["a",null]');
    send(withHeader(900_000));
    await heard;
    send(withHeader(1_100_000));
    await ended;
  });

  test("are answered before the port closes", async (t) => {
    const slow = createSlow();
    const server = await open(t, slow.hook);
    const { send, bodies, ended } = await openRaw(t, server.port);
    const heard = bodies("slowly");
    send(`${chunked("/slow", "x")}0\r\n\r\n`);
    await slow.asked;
    const closed = server.close(new AbortController().signal);
    slow.go();
    assert.match(await heard, /\r\nConnection: close\r\n/i);
    await ended;
    assert.equal(await closed, 0);
  });
});

describe("the port of webhooks", () => {
  test("is open on its own address only", async (t) => {
    const { port } = await open(t);
    const elsewhere = connect({ port, host: "127.0.0.2", ca: authority.cert });
    elsewhere.setTimeout(1000, () => elsewhere.destroy(new Error("no answer")));
    await assert.rejects(once(elsewhere, "secureConnect"));
  });

  test("is refused when it is taken", async (t) => {
    const { port } = await open(t);
    const taken = { hooks: [], certificate: issue(), port, host: "127.0.0.1", runtime, log };
    await assert.rejects(openHookServer(taken), { code: "EADDRINUSE" });
  });

  test("does not count a request whose client has left as unanswered", async (t) => {
    const slow = createSlow();
    const server = await open(t, slow.hook);
    for (const text of [plain("x", "/slow"), `${chunked("/slow", "x")}0\r\n\r\n`]) {
      const { socket, send, ended } = await openRaw(t, server.port);
      send(text);
      await slow.asked;
      socket.destroy();
      await ended;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await server.close(AbortSignal.abort()), 0);
  });

  test("answers paths with a limit of their bodies, and knows how long the client waits", async (t) => {
    const { port } = await open(t);
    assert.equal((await post(port, "/echo?timeout=1.5s", "hello")).body, '["hello",1500]');
    assert.equal((await post(port, "/echo", "")).body, '["",null]');
    assert.equal((await post(port, "/echo", "0123456789")).body, '["0123456789",null]');
    assert.equal((await post(port, "/echo", "0123456789A")).body, "[null,null]");
    assert.equal((await post(port, "/other", "")).status, 404);
  });

  test("outlives what hooks throw", async (t) => {
    const answer = () => {
      throw new Error("oh");
    };
    const late = async () => Promise.reject(new Error("oh"));
    const { port } = await open(
      t,
      { path: "/throws", bodyLimit: 9, answer },
      { path: "/rejects", bodyLimit: 9, answer: late },
    );
    for (const path of ["/throws", "/rejects"]) {
      const { status, body } = await post(port, path, "x");
      assert.deepEqual([status, body], [500, "answering a webhook: oh"]);
    }
    const { send, bodies } = await openRaw(t, port);
    const heard = bodies("answering a webhook: oh");
    send(plain("x", "/throws"));
    assert.match(await heard, /^HTTP\/1\.1 500 Internal Server Error\r\n/);
  });

  test("changes its certificate without closing a connection", async (t) => {
    const server = await open(t);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    await post(server.port, "/echo", "a", agent);
    const [socket] = Object.values(agent.freeSockets).flat();
    const before = await serialAt(server.port);
    const pair = issue();
    server.setCertificate(pair);
    assert.notEqual(await serialAt(server.port), before);
    await post(server.port, "/echo", "b", agent);
    assert.equal(Object.values(agent.freeSockets).flat()[0], socket);
    assert.throws(() => server.setCertificate({ ...pair, key: issue().key }));
    assert.equal((await post(server.port, "/echo", "c")).status, 200);
  });

  test("answers what it was asked before it closes, and asks clients to leave", async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const slow: Hook = {
      path: "/slow",
      bodyLimit: 9,
      async answer() {
        asked.resolve();
        await promise;
        return { status: 200, contentType: "text/plain", body: "done" };
      },
    };
    const server = await open(t, slow);
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    await post(server.port, "/echo", "idle", agent);
    const answer = post(server.port, "/slow", "x", new Agent({ keepAlive: true }));
    await asked.promise;
    const closed = server.close(AbortSignal.timeout(10_000));
    resolve();
    assert.deepEqual(await answer, { status: 200, connection: "close", body: "done" });
    await closed;
    await assert.rejects(post(server.port, "/echo", "late"), /ECONNREFUSED/);
  });

  test("does not wait for connections that ask for nothing", async (t) => {
    const server = await open(t);
    const reserve = connect({ port: server.port, host: "127.0.0.1", ca: authority.cert });
    await once(reserve, "secureConnect");
    reserve.resume();
    const ended = once(reserve, "close");
    await server.close(new AbortController().signal);
    await ended;
  });

  test("does not wait for a connection that never begins its handshake", async (t) => {
    const server = await open(t);
    const silent = connectPlain({ port: server.port, host: "127.0.0.1" });
    const ended = once(silent, "close");
    silent.on("error", () => {});
    await once(silent, "connect");
    // The server has taken it: it takes connections in their order.
    await post(server.port, "/echo", "x");
    const late = AbortSignal.timeout(5000);
    await server.close(late);
    assert.ok(!late.aborted);
    await ended;
  });

  test("cuts off answers that are late at the end", async (t) => {
    const asked = Promise.withResolvers<void>();
    const never: Hook = {
      path: "/never",
      bodyLimit: 9,
      answer() {
        asked.resolve();
        return new Promise(() => {});
      },
    };
    const server = await open(t, never);
    const answer = post(server.port, "/never", "x");
    answer.catch(() => {});
    await asked.promise;
    assert.equal(await server.close(AbortSignal.timeout(10)), 1);
    await assert.rejects(answer);
    const other = await open(t, never);
    const second = post(other.port, "/never", "x");
    second.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(await other.close(AbortSignal.abort()), 1);
    await assert.rejects(second);
  });
});
