import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createPlainServer, type IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { createServer as createNetServer, type AddressInfo, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { createSystemRuntime } from "homeostat/runtime";
import type { ByteStream } from "../apimachinery/handler.ts";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import {
  createWebhookClient,
  type ServiceResolver,
  type WebhookAccess,
  type WebhookClientConfig,
} from "./webhook-client.ts";

const runtime = createSystemRuntime();
const { clock } = runtime;
let server: Server;
let port = 0;
let caBundle = "";
let ownCertificate = "";
interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly text: string;
  readonly retryAfter?: string;
  readonly location?: string;
}
let answer: (
  path: string,
  body: string,
  request: IncomingMessage,
) => Answer | "hang up" | "silence";
let calls = 0;

before(async () => {
  const authority = createAuthority({ runtime });
  const pair = issueServingCertificate(authority, {
    runtime,
    names: ["hook.shop.svc"],
    addresses: ["127.0.0.1"],
  });
  caBundle = Buffer.from(authority.cert).toString("base64");
  ownCertificate = /-----BEGIN[^-]*-----[^-]+-----END[^-]*-----/.exec(pair.cert)![0];
  server = createServer({ key: pair.key, cert: pair.cert }, (req, res) => {
    let text = "";
    req.on("data", (chunk) => (text += chunk));
    req.on("end", () => {
      calls++;
      const out = answer(req.url!, text, req);
      if (out === "hang up") return req.socket.destroy();
      if (out === "silence") return undefined;
      res.writeHead(out.status ?? 200, {
        "content-type": out.type ?? "application/json",
        ...(out.location === undefined ? {} : { location: out.location }),
        ...(out.retryAfter === undefined ? {} : { "retry-after": out.retryAfter }),
      });
      return res.end(out.text);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const post = async (
  config: WebhookClientConfig,
  more: { timeoutMs?: number; resolve?: ServiceResolver; access?: WebhookAccess } = {},
): Promise<string> => {
  const resolve = more.resolve ?? (() => ({ host: "127.0.0.1", port }));
  const client = createWebhookClient({ clock, resolve });
  try {
    const bytes = await client.post({ config, body: '{"a":1}', ...more });
    return Buffer.from(bytes).toString("utf8");
  } catch (error) {
    return (error as Error).message.replaceAll(`127.0.0.1:${port}`, "HOOK");
  } finally {
    client.close();
  }
};
const here = (path = "/turn"): WebhookClientConfig => ({
  url: `https://127.0.0.1:${port}${path}`,
  caBundle,
});

test("the body and the path with its timeout arrive, and the response's body returns", async () => {
  answer = (path, body) => ({ text: `${path} ${body}` });
  assert.equal(await post(here()), '/turn?timeout=30s {"a":1}');
  assert.equal(await post(here("/turn?x=1"), { timeoutMs: 1500 }), '/turn?timeout=1.5s {"a":1}');
});

test("a Service is called by its name at its location", async () => {
  answer = (path) => ({ text: path });
  const service = { namespace: "shop", name: "hook", path: "/x", port: 8443 };
  assert.equal(await post({ service, caBundle }), "/x?timeout=30s");
  const missing = await post(
    { service, caBundle },
    {
      resolve: () => {
        throw new Error('service "hook" not found');
      },
    },
  );
  assert.equal(
    missing,
    'Post "https://hook.shop.svc:8443/x?timeout=30s": service "hook" not found',
  );
  const unnamed = await post({ service: { ...service, name: "other" }, caBundle });
  assert.match(unnamed, /x509: certificate is valid for .*hook\.shop\.svc, not other\.shop\.svc$/);
});

test("a Service in this process needs no port", async () => {
  const service = { namespace: "shop", name: "hook" };
  const body = await post(
    { service },
    {
      resolve:
        () =>
        async ({ path, body: bytes }) => ({
          status: 200,
          headers: {},
          body: new TextEncoder().encode(`${path} ${Buffer.from(bytes).toString("utf8")}`),
        }),
    },
  );
  assert.equal(body, '/?timeout=30s {"a":1}');
});

test("a Service in this process may stream its answer, or break off", async () => {
  const config = { service: { namespace: "shop", name: "hook" } };
  const ask = (how: "end" | "cut"): Promise<string> => {
    const body: ByteStream = {
      open(sink) {
        for (const part of ["a", "b"]) sink.data(new TextEncoder().encode(part));
        sink[how]!();
        return { resume: () => {}, close: () => {} };
      },
    };
    return post(config, { resolve: () => async () => ({ status: 200, headers: {}, body }) });
  };
  assert.equal(await ask("end"), "ab");
  assert.equal(await ask("cut"), 'Post "https://hook.shop.svc:443/?timeout=30s": EOF');
});

for (const [status, text, type, message] of [
  [503, "later", "text/plain", "the server is currently unable to handle the request"],
  [
    500,
    "oh\n",
    "text/plain",
    'an error on the server ("oh") has prevented the request from succeeding',
  ],
  [
    500,
    "oh",
    "application/json",
    'an error on the server ("unknown") has prevented the request from succeeding',
  ],
  [404, "", "text/plain", "the server could not find the requested resource"],
  [403, "no", "text/plain", "no"],
  [
    418,
    "tea",
    "text/plain",
    "the server responded with the status code 418 but did not return more information",
  ],
  [409, '{"kind":"Status","status":"Failure","message":"mine"}', "application/json", "mine"],
  [
    409,
    '{"status":"Failure","message":"mine"}',
    "application/json",
    "the server reported a conflict",
  ],
] as const)
  test(`${status} with ${JSON.stringify(text)}`, async () => {
    answer = () => ({ status, text, type });
    assert.equal(await post(here()), message);
  });

test("faults of the connection have Go's texts", async () => {
  const at = 'Post "https://HOOK/turn?timeout=30s": ';
  answer = () => "hang up";
  assert.equal(await post(here()), `${at}EOF`);
  assert.equal(
    await post({ url: `https://127.0.0.1:${port}/turn` }),
    `${at}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  );
  const plain = createNetServer();
  await new Promise<void>((done) => plain.listen(0, "127.0.0.1", done));
  const dead = (plain.address() as AddressInfo).port;
  await new Promise((done) => plain.close(done));
  assert.equal(
    await post({ url: `https://127.0.0.1:${dead}`, caBundle }),
    `Post "https://127.0.0.1:${dead}/?timeout=30s": dial tcp 127.0.0.1:${dead}: connect: connection refused`,
  );
});

test("a bundle may hold the certificate of the webhook itself", async () => {
  answer = () => ({ text: "done" });
  const own = { ...here(), caBundle: Buffer.from(ownCertificate).toString("base64") };
  assert.equal(await post(own), "done");
});

test("a bundle of no authorities makes no client", async () => {
  assert.equal(
    await post({ url: `https://127.0.0.1:${port}`, caBundle: "eA==" }),
    "unable to load root certificates: unable to parse bytes as PEM block",
  );
});

test("an authority of the right name with another key is named", async () => {
  const { cert } = createAuthority({ runtime });
  const text = await post({ ...here(), caBundle: Buffer.from(cert).toString("base64") });
  assert.match(
    text,
    /unknown authority \(possibly because of "(?:x509: ECDSA verification failure|crypto\/rsa: verification error)" while trying to verify candidate authority certificate "homeostat"\)$/,
  );
});

test("a webhook that does not answer in time", async () => {
  answer = () => "silence";
  const text = await post(here(), { timeoutMs: 50 });
  assert.equal(text, 'Post "https://HOOK/turn?timeout=50ms": context deadline exceeded');
});

test("a response with Retry-After is tried again, one without is not", async () => {
  calls = 0;
  answer = () => (calls < 2 ? { status: 503, text: "", retryAfter: "0" } : { text: "done" });
  assert.equal(await post(here()), "done");
  answer = () => ({ status: 503, text: "" });
  calls = 0;
  assert.equal(await post(here()), "the server is currently unable to handle the request");
  assert.equal(calls, 1);
});

test("attempts share the time of the call", async () => {
  answer = () => ({ status: 429, text: "", retryAfter: "1" });
  const text = await post(here(), { timeoutMs: 50 });
  assert.equal(text, 'Post "https://HOOK/turn?timeout=50ms": context deadline exceeded');
});

test("redirects share the time of the call", async () => {
  let now = 0;
  const asked: number[] = [];
  const late = (ms: number, run: () => void) => (asked.push(ms), clock.timer(ms, run));
  const client = createWebhookClient({
    clock: { ...clock, now: () => now, monotonic: () => now, timer: late },
    resolve: () => assert.fail("no Service"),
  });
  answer = (path) => {
    now += 20_000;
    return path.startsWith("/turn")
      ? { status: 307, location: "/there", text: "" }
      : { text: "done" };
  };
  await client.post({ config: here(), body: "{}" });
  client.close();
  assert.deepEqual(asked, [30_000, 10_000]);
});

test(
  "connections to the webhooks that were called last are kept, others closed",
  { timeout: 20_000 },
  async () => {
    const plain = createPlainServer({ keepAliveTimeout: 0 }, (_, response) => response.end("{}"));
    await new Promise<void>((done) => plain.listen(0, "127.0.0.1", done));
    const { port: at } = plain.address() as AddressInfo;
    const client = createWebhookClient({ clock, resolve: () => assert.fail("no Service") });
    const call = (name: string): Promise<unknown> =>
      client.post({ config: { url: `http://127.0.0.1:${at}/${name}` }, body: "{}" });
    const sockets: Socket[] = [];
    plain.on("connection", (socket: Socket) => sockets.push(socket));
    for (let i = 0; i < 200; i++) await call(String(i));
    await call("0");
    assert.equal(sockets.length, 200);
    const closed = Promise.race(sockets.map(async (socket, i) => (await once(socket, "close"), i)));
    await call("one more");
    assert.equal(await closed, 1);
    client.close();
    plain.close();
  },
);

test("a redirect is followed, with the body for 307 and 308 only", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    answer = (path, body, { method }) =>
      path.startsWith("/turn")
        ? { status, location: "/there?x=1", text: "" }
        : { text: `${method} ${path} ${body}` };
    const shown = status < 307 ? "GET /there?x=1 " : 'POST /there?x=1 {"a":1}';
    assert.equal(await post(here()), shown);
  }
  answer = () => ({ status: 307, location: "/turn", text: "" });
  assert.equal(await post(here()), 'Post "https://HOOK/turn": stopped after 10 redirects');
  answer = () => ({ status: 302, text: "gone" });
  assert.match(await post(here()), /the server responded with the status code 302/);
  const service = { namespace: "shop", name: "hook" };
  answer = (path) =>
    path.startsWith("/x")
      ? { status: 307, location: `https://127.0.0.1:${port}/away`, text: "" }
      : { text: path };
  const resolve = (): never => assert.fail("another host is no Service");
  assert.equal(await post({ ...here("/x"), caBundle }, { resolve }), "/away");
  assert.equal(await post({ service: { ...service, path: "/x" }, caBundle }), "/away");
});

test("the server presents itself, and may skip verification", async () => {
  answer = (_, __, { headers }) => ({ text: headers.authorization ?? "none" });
  assert.equal(await post(here()), "none");
  assert.equal(
    await post(here(), { access: { headers: { authorization: "Bearer t" } } }),
    "Bearer t",
  );
  const unknown = { url: `https://127.0.0.1:${port}/` };
  assert.match(await post(unknown), /x509: certificate signed by unknown authority/);
  assert.equal(await post(unknown, { access: { skipsVerification: true } }), "none");
  assert.match(
    await post(here(), { access: { serverName: "other.example.com" } }),
    /x509: certificate is valid for .*, not other.example.com/,
  );
});
