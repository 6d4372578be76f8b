// Upgraded connections (web sockets, SPDY) through the server to an aggregated API server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as send } from "node:https";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { test, type TestContext } from "node:test";
import { type ApiServerOptions, startApiServer } from "@homeostat/apiserver";
import { createClient } from "homeostat/client";
import { APIService } from "homeostat/k8s/apiregistration/v1";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import { createSystemRuntime } from "homeostat/runtime";
import { until } from "../fixtures/until.ts";

const group = { group: "wardle.io", version: "v1" };
const exec = "/apis/wardle.io/v1/namespaces/default/fish/f/exec?command=date";
const big = Buffer.alloc(1 << 20, "x");

/** Echoes in upper case what comes after an upgrade. */
async function startExtension(t: TestContext) {
  const runtime = createSystemRuntime();
  const { cert, key } = issueServingCertificate(createAuthority({ runtime }), {
    runtime,
    names: ["wardle.default.svc"],
  });
  const seen: IncomingMessage[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    seen.push(request);
    response.end(JSON.stringify({ kind: "APIResourceList", resources: [] }));
  });
  const open = new Set<Duplex>();
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    seen.push(request);
    if (request.url?.includes("refused"))
      return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
    open.add(socket.on("error", () => {}));
    socket.unshift(head);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: Upgrade\r\n\r\nhi ",
    );
    socket.on("data", (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
    socket.on("end", () => socket.end());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen, open };
}

async function setUp(t: TestContext, options: ApiServerOptions = {}) {
  const extension = await startExtension(t);
  const server = await startApiServer({
    ...options,
    controllers: "none",
    serviceLocations: new Map([["default/wardle", { host: "127.0.0.1", port: extension.port }]]),
  });
  const client = createClient({ transport: server.transport() });
  t.after(async () => {
    await client.close();
    await server.close();
  });
  await client.create(APIService, {
    metadata: { name: "v1.wardle.io" },
    spec: {
      ...group,
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: "default", name: "wardle" },
    },
  });
  await until(async () => {
    const { status } = await client.get(APIService, "v1.wardle.io");
    return status?.conditions?.some(({ status: each }) => each === "True");
  });
  const upgrade = (path: string, token = server.token) => {
    const request = send(`${server.url}${path}`, {
      rejectUnauthorized: false,
      agent: false,
      headers: { connection: "Upgrade", upgrade: "echo", authorization: `Bearer ${token}` },
    });
    request.end();
    return request;
  };
  return { ...extension, server, upgrade };
}

const upgraded = (request: ReturnType<typeof send>) =>
  new Promise<{ response: IncomingMessage; socket: Duplex; head: Buffer }>((done, fail) => {
    request.on("upgrade", (response, socket, head) => done({ response, socket, head }));
    request.on("response", ({ statusCode }) => fail(new Error(`status ${statusCode}`)));
    request.on("error", fail);
  });

const answered = async (request: ReturnType<typeof send>) => {
  request.on("upgrade", () => request.destroy(new Error("upgraded")));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return [response.statusCode, text] as const;
};

test("bytes pass both ways, and either end closes both", async (t) => {
  const { upgrade, seen, open } = await setUp(t);
  const { response, socket, head } = await upgraded(upgrade(exec));
  assert.deepEqual([response.headers.upgrade, response.headers["audit-id"]], ["echo", undefined]);
  const last = seen.find(({ url }) => url === exec);
  assert.deepEqual(
    [last!.headers.upgrade, last!.headers["x-remote-user"], last!.headers.authorization],
    ["echo", "kubernetes-admin", undefined],
  );
  let text = head.toString();
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.write("abc");
  socket.write(big);
  while (text.length < 6 + big.length) await new Promise((done) => socket.once("data", done));
  assert.equal(text, `hi ABC${big.toString().toUpperCase()}`);
  const ended = new Promise((done) => socket.once("close", done));
  const [backend] = open;
  const closed = new Promise((done) => backend!.once("close", done));
  socket.destroy();
  await Promise.all([ended, closed]);
  const { socket: second } = await upgraded(upgrade(exec));
  const gone = new Promise((done) => second.once("close", done));
  [...open].at(-1)!.destroy();
  second.resume();
  await gone;
});

test("an audited connection passes bytes both ways too", async (t) => {
  const { upgrade } = await setUp(t, { audit: { policy: "Metadata" } });
  const { socket, head } = await upgraded(upgrade(exec));
  let text = head.toString();
  socket.write("abc");
  for await (const chunk of socket) {
    text += String(chunk);
    if (text === "hi ABC") break;
  }
  assert.equal(text, "hi ABC");
});

test("a refusal of the other server, and of this one, is a plain response", async (t) => {
  const { upgrade } = await setUp(t);
  assert.deepEqual(await answered(upgrade(`${exec}&refused`)), [403, "no"]);
  const [status] = await answered(upgrade(exec, "wrong"));
  assert.equal(status, 401);
  const [plain] = await answered(upgrade("/api/v1/namespaces/default/pods/p/exec?command=date"));
  assert.equal(plain, 404);
});

test("closing the server ends upgraded connections", async (t) => {
  const { upgrade, server } = await setUp(t);
  const { socket } = await upgraded(upgrade(exec));
  socket.on("error", () => {});
  socket.resume();
  const gone = new Promise((done) => socket.once("close", done));
  await server.close();
  await gone;
});
