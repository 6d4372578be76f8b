// What the ports of a manager answer, and to whom.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { describe, it, type TestContext } from "node:test";
import { createClient } from "../../client/create-client.ts";
import { createScriptedTransport } from "../../client/scripted-transport.suite.ts";
import { createMetrics } from "../../metrics/index.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { OperatorServers, type OperatorServersOptions } from "./operator-servers.ts";

const runtime = createSystemRuntime();
const host = "127.0.0.1";
const summary = "/debug/homeostat/v1alpha1/summary";

/** An API server where `good` may read all. */
function createReviewer() {
  const asked: string[] = [];
  const transport = createScriptedTransport((exchange) => {
    const { kind, spec } = exchange.body as unknown as { kind: string; spec: { token?: string } };
    asked.push(kind);
    const user = { username: "ann" };
    const token = { authenticated: spec.token === "good", user };
    exchange.answer(201, { kind, status: kind === "TokenReview" ? token : { allowed: true } });
  });
  return { client: createClient({ transport, runtime }), asked };
}

async function open(t: TestContext, given: Partial<OperatorServersOptions>) {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const servers = new OperatorServers({
    runtime,
    log: { debug() {}, info: say, warn: say, error: say },
    health: undefined,
    metrics: undefined,
    set: createMetrics(),
    client: undefined,
    readiness: () => ({ ready: true, reasons: [] }),
    isStopping: () => false,
    metricsText: () => "a 1\n",
    introspection: {
      operator: "cook",
      now: () => 0,
      startedAt: 0,
      inspect: () => [],
      readiness: () => ({ ready: true, reasons: [] }),
      recorded: undefined,
      blocks: () => undefined,
    },
    ...given,
  });
  t.after(() => servers.stop());
  await servers.start();
  return { servers, lines, ...servers.ports() };
}

async function get(url: string, headers: Readonly<Record<string, string>> = {}) {
  const request = url.startsWith("https:") ? requestSecure : requestPlain;
  const sent = request(url, { headers, agent: false, rejectUnauthorized: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return [response.statusCode, body] as const;
}

describe("the ports of an operator", () => {
  it("are none that nobody has asked for", async (t) => {
    const { servers, lines } = await open(t, {});
    assert.deepEqual([servers.ports(), lines], [{}, []]);
  });

  it("have metrics, and nothing else, at /metrics", async (t) => {
    const { metrics } = await open(t, { metrics: { port: 0, host } });
    const at = `http://${host}:${metrics}`;
    assert.deepEqual(await get(`${at}/metrics?a=b`), [200, "a 1\n"]);
    for (const path of ["/", "/metrics/", "/Metrics", summary])
      assert.deepEqual(await get(`${at}${path}`), [404, "404 page not found\n"], path);
  });

  it("show what the manager does to programs of this host that mean this host", async (t) => {
    const { metrics } = await open(t, { metrics: { port: 0, host, introspection: true } });
    const at = `http://${host}:${metrics}`;
    for (const name of [`${host}:${metrics}`, "localhost", "localhost:1", "[::1]:1"])
      assert.equal((await get(`${at}${summary}`, { host: name }))[0], 200, name);
    for (const name of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:1"])
      assert.deepEqual(
        await get(`${at}${summary}`, { host: name }),
        [403, "introspection without `authorization` answers this host only\n"],
        name,
      );
    assert.equal((await get(`${at}/metrics`, { host: "evil.example" }))[0], 200);
    assert.equal((await get(`${at}/debug/homeostat/v1alpha1x`))[0], 404);
  });

  it("with authorization are secure, and answer whom the API server lets, from anywhere", async (t) => {
    const { client, asked } = createReviewer();
    const own = createReviewer();
    for (const [authorization, given] of [
      ["delegated", own.client],
      [{ client }, undefined],
    ] as const) {
      const { metrics, lines } = await open(t, {
        metrics: { port: 0, host, authorization, introspection: true },
        client: given,
      });
      assert.deepEqual(lines, [`serving metrics on port ${metrics}`]);
      const at = `https://${host}:${metrics}`;
      const good = { authorization: "Bearer good", host: "cook.kitchen.svc" };
      assert.deepEqual(await get(`${at}/metrics`, good), [200, "a 1\n"]);
      assert.equal((await get(`${at}${summary}`, good))[0], 200);
      for (const path of ["/metrics", summary]) {
        assert.equal((await get(`${at}${path}`))[0], 401, path);
        const bad = { authorization: "Bearer bad" };
        assert.equal((await get(`${at}${path}`, bad))[0], 401, path);
      }
      assert.equal((await get(`${at}/other`, good))[0], 404);
      await assert.rejects(get(`http://${host}:${metrics}/metrics`, good));
    }
    const reviews = ["TokenReview", "SubjectAccessReview", "SubjectAccessReview", "TokenReview"];
    assert.deepEqual([asked, own.asked], [reviews, reviews], "each asks its own client");
  });

  it("have a certificate when they are told to, also where all may read", async (t) => {
    const { metrics } = await open(t, { metrics: { port: 0, host, tls: "self-signed" } });
    assert.deepEqual(await get(`https://${host}:${metrics}/metrics`), [200, "a 1\n"]);
  });

  it("say in their probes what is not ready, and that the manager stops", async (t) => {
    let ready = { ready: true, reasons: [] as string[] };
    let isStopping = false;
    const { health, servers } = await open(t, {
      health: { port: 0, host, healthz: { own() {} }, readyz: { mine() {} } },
      readiness: () => ready,
      isStopping: () => isStopping,
    });
    const at = `http://${host}:${health}`;
    assert.deepEqual(await get(`${at}/readyz`), [200, "ok"]);
    ready = { ready: false, reasons: ["a is blind", "b too"] };
    isStopping = true;
    assert.deepEqual(await get(`${at}/readyz`), [
      500,
      "[+]ping ok\n[-]informer-sync failed: a is blind; b too\n" +
        "[-]shutdown failed: the manager is stopping\n[+]mine ok\nreadyz check failed\n",
    ]);
    assert.deepEqual(await get(`${at}/healthz?verbose`), [
      200,
      "[+]ping ok\n[+]own ok\nhealthz check passed\n",
    ]);
    await servers.stop();
    assert.deepEqual(servers.ports(), {});
    await assert.rejects(get(`${at}/healthz`), /ECONNREFUSED/);
  });

  it("are closed again when one of them cannot be opened", async (t) => {
    const { metrics } = await open(t, { metrics: { port: 0, host } });
    const failing = open(t, { health: { port: 0, host }, metrics: { port: metrics, host } });
    await assert.rejects(failing, { code: "ERR_MANAGER_PORT" });
  });
});
