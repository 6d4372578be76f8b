// What `/readyz` says of an operator whose network fails: which caches are blind and why, until
// they see again. How soon it says so is in packages/homeostat/src/cache/blind-informers.test.ts.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createManager, defineController, installDefinitions, silentLog } from "homeostat";
import { createClient } from "homeostat/client";
import { openFaultProxy } from "../fixtures/fault-proxy.ts";
import { getText } from "../fixtures/get-text.ts";
import { Box } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";
import { accessTo, openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const boxes = defineController(Box, { name: "boxes", async reconcile() {} });

for (const what of serverKinds().filter((kind) => kind !== "in-process"))
  describe(`probes behind a broken network, ${what} server`, { timeout: 120_000 }, () => {
    let server: TestServer;
    before(async () => {
      server = await openServer(what);
      await installDefinitions(await server.client(), [Box]);
    });
    after(() => server.close());

    for (const [fault, reason] of [
      ["goAway", /no watch for \d+ s \(limit 8 s\): ERR_CLIENT_UNREACHABLE/],
      ["blackHole", /no watch for \d+ s \(limit 8 s\): /],
    ] as const)
      it(`are false while the network fails, and say why: ${fault}`, async () => {
        const reached = await accessTo(server);
        const { namespace } = await server.client();
        const proxy = await openFaultProxy(reached.server);
        const client = createClient({ access: { ...reached, server: proxy.url }, namespace });
        const manager = createManager({
          operator: "blind",
          controllers: [boxes],
          client,
          namespace,
          log: silentLog,
          health: { port: 0 },
        });
        try {
          await manager.start();
          const at = `http://127.0.0.1:${manager.ports().health}`;
          await until(async () => (await getText(`${at}/readyz`)).status === 200);
          await proxy[fault]();
          const failing = await until(
            async () => {
              const { status, body } = await getText(`${at}/readyz`);
              return status === 500 && body;
            },
            { timeoutMs: 20_000 },
          );
          assert.match(failing, /\[-\]informer-sync failed: Box in namespace test-/);
          assert.match(failing, reason);
          assert.equal((await getText(`${at}/readyz/informer-sync`)).status, 500);
          assert.equal((await getText(`${at}/readyz?exclude=informer-sync`)).body, "ok");
          assert.equal((await getText(`${at}/healthz`)).body, "ok", "a restart would mend nothing");
          await proxy.restore();
          await until(async () => (await getText(`${at}/readyz`)).status === 200, {
            timeoutMs: 20_000,
          });
        } finally {
          await manager.stop();
          await client.close();
          await proxy.close();
        }
      });
  });
