// What a manager serves: probes that follow its caches and its shutdown, and metrics that only
// those may read whom the API server allows to.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { createManager, defineController, defineResource, silentLog } from "homeostat";
import { createAuthority, issueServingCertificate } from "homeostat/certificates";
import { createSystemRuntime } from "homeostat/runtime";
import * as z from "zod";
import { getText as get } from "../fixtures/get-text.ts";
import { intercept } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, lawsApi } from "../fixtures/laws.ts";
import { tokenOf } from "../fixtures/reader-token.ts";
import { readMetrics } from "../fixtures/read-metrics.ts";
import { until } from "../fixtures/until.ts";

const Missing = defineResource({ ...lawsApi, kind: "Missing", spec: z.object({}) });
const boxes = defineController(Box, { name: "boxes", async reconcile() {} });
const anyPorts = { health: { port: 0 }, metrics: { port: 0 } } as const;

describeLaws("ports", ({ client: open, run }) => {
  it("serves probes, with the user's checks among them", async () => {
    let db: Error | undefined;
    const readyz = {
      db: () => {
        if (db) throw db;
      },
    };
    await run(
      [boxes],
      async (_client, manager) => {
        const at = `http://127.0.0.1:${manager.ports().health}`;
        await until(async () => (await get(`${at}/readyz`)).body === "ok");
        const all = "[+]ping ok\n[+]informer-sync ok\n[+]shutdown ok\n[+]db ok\n";
        const verbose = await get(`${at}/readyz?verbose`);
        assert.deepEqual([verbose.status, verbose.body], [200, `${all}readyz check passed\n`]);
        assert.equal(verbose.type, "text/plain; charset=utf-8");
        db = new Error("no connection");
        const failing = await get(`${at}/readyz?exclude=ping`);
        assert.equal(failing.status, 500);
        assert.match(failing.body, /^\[\+\]ping excluded: ok\n.*\[-\]db failed: no connection\n/s);
        assert.equal((await get(`${at}/readyz/db`)).status, 500);
        assert.equal((await get(`${at}/healthz`)).body, "ok", "it is alive");
      },
      { health: { port: 0, readyz } },
    );
  });

  it("is not ready while caches sync, nor while it stops, and serves until it has stopped", async () => {
    const client = await open();
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = false;
    const slow = defineController(Box, {
      name: "slow",
      reconcile() {
        begun = true;
        return promise;
      },
    });
    const missing = defineController(Missing, { name: "missing", async reconcile() {} });
    const manager = createManager({
      operator: "ports",
      controllers: [slow, missing],
      client,
      namespace: client.namespace,
      log: silentLog,
      ...anyPorts,
    });
    const starting = manager.start().catch((error: unknown) => error);
    await until(() => manager.ports().metrics !== undefined);
    const { health, metrics } = manager.ports();
    const at = `http://127.0.0.1:${health}`;
    const syncing = await get(`${at}/readyz/informer-sync`);
    assert.equal(syncing.status, 500);
    await until(async () =>
      (await get(`${at}/readyz`)).body.includes("failed: Missing in namespace "),
    );
    assert.equal((await get(`${at}/healthz`)).status, 200);
    await client.create(Box, Box("one", {}));
    await until(() => begun);
    const stopping = manager.stop();
    assert.match((await get(`${at}/readyz`)).body, /\[-\]shutdown failed: the manager is stopping/);
    assert.equal((await get(`${at}/healthz`)).status, 200);
    assert.equal((await get(`http://127.0.0.1:${metrics}/metrics`)).status, 200);
    resolve();
    await stopping;
    await starting;
    await assert.rejects(get(`${at}/healthz`), /ECONNREFUSED/);
    assert.deepEqual(manager.ports(), {});
  });

  it("is not ready while an informer is blind, and says which and why", async (test) => {
    const client = await open();
    const worker = await open();
    let isBlind = false;
    intercept(test, worker, (line) => (isBlind && line.includes("/boxes") ? "hang" : "pass"));
    const manager = createManager({
      operator: "blind",
      controllers: [boxes],
      client: worker,
      namespace: client.namespace,
      log: silentLog,
      ...anyPorts,
    });
    await manager.start();
    const at = `http://127.0.0.1:${manager.ports().health}/readyz`;
    await until(async () => (await get(at)).status === 200);
    isBlind = true;
    const blind = await until(
      async () => {
        const { status, body } = await get(at);
        return status === 500 && body;
      },
      { timeoutMs: 30_000 },
    );
    assert.match(blind, /\[-\]informer-sync failed: Box in namespace test-\S+: no watch for \d+ s/);
    isBlind = false;
    await until(async () => (await get(at)).status === 200);
    await manager.stop();
  });

  it("serves metrics to all who can reach the port, unless it is told otherwise", async () => {
    await run(
      [boxes],
      async (_client, manager) => {
        const at = `http://127.0.0.1:${manager.ports().metrics}`;
        const { status, body, type } = await get(`${at}/metrics`);
        assert.equal(status, 200);
        assert.equal(type, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
        const max = "controller_runtime_max_concurrent_reconciles";
        assert.equal(readMetrics(body).value(max, { controller: "boxes" }), 1);
        assert.equal((await get(`${at}/`)).status, 404);
      },
      { metrics: { port: 0 } },
    );
  });

  it("serves metrics over HTTPS to whom the API server allows to get them", async () => {
    const client = await open();
    const reader = await tokenOf(client, "reader", ["/metrics"]);
    const stranger = await tokenOf(client, "stranger", []);
    await run(
      [boxes],
      async (_client, manager) => {
        const at = `https://127.0.0.1:${manager.ports().metrics}/metrics`;
        const allowed = await get(at, reader);
        assert.equal(allowed.status, 200, allowed.body);
        assert.match(allowed.body, /^# HELP/);
        const denied = await get(at, stranger);
        const name = `system:serviceaccount:${client.namespace}:stranger`;
        assert.deepEqual(
          [denied.status, denied.body],
          [403, `Authorization denied for user ${name}\n`],
        );
        for (const token of [undefined, "invalid"]) {
          const { status, body } = await get(at, token);
          assert.deepEqual([status, body], [401, "Unauthorized\n"]);
        }
        // As with controller-runtime, nobody is asked about what is not there.
        assert.equal((await get(at.replace("/metrics", "/other"))).status, 404);
      },
      { metrics: { port: 0, authorization: { client } } },
    );
  });

  it("takes a certificate from files, and its successor", { timeout: 60_000 }, async () => {
    const runtime = createSystemRuntime();
    const folder = await mkdtemp(join(tmpdir(), "ports-"));
    const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
    const issue = async (): Promise<void> => {
      const authority = createAuthority({ runtime });
      const pair = issueServingCertificate(authority, { runtime, names: ["localhost"] });
      await writeFile(files.certFile, pair.cert);
      await writeFile(files.keyFile, pair.key);
    };
    await issue();
    await run(
      [boxes],
      async (_client, manager) => {
        const at = `https://127.0.0.1:${manager.ports().metrics}/metrics`;
        const first = await get(at);
        await issue();
        await until(async () => (await get(at)).serial !== first.serial, { timeoutMs: 30_000 });
        const reads = readMetrics((await get(at)).body);
        assert.ok(reads.value("certwatcher_read_certificate_total")! >= 2);
        assert.equal(reads.value("certwatcher_read_certificate_errors_total"), 0);
      },
      { metrics: { port: 0, tls: files } },
    );
    await rm(folder, { recursive: true });
  });

  it("does not start when a port is taken, and leaves none open", async () => {
    const client = await open();
    await run(
      [boxes],
      async (_client, running) => {
        const metrics = { port: running.ports().metrics! };
        const others = [defineController(Box, { name: "others", async reconcile() {} })];
        const options = { controllers: others, client, log: silentLog, allowReplicas: true };
        const manager = createManager({
          operator: "late",
          ...options,
          health: { port: 0 },
          metrics,
        });
        await assert.rejects(
          manager.start(),
          /ERR_MANAGER_PORT: opening port \d+ for metrics: .*EADDRINUSE/,
        );
        assert.deepEqual(manager.ports(), {});
      },
      { metrics: { port: 0 } },
    );
  });
});
