// An informer on a faulty network: it reconnects without a new list, reports when it is stale, and
// ends with the state of the server. Timeouts are shortened; the network is real.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type Client, createClient } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { createSystemRuntime } from "homeostat/runtime";
import {
  type Cache,
  createCache,
  type Informer,
  type ReflectorLimits,
} from "../../packages/homeostat/src/cache/index.ts";
import { type FaultProxy, openFaultProxy } from "../fixtures/fault-proxy.ts";
import { until } from "../fixtures/until.ts";
import { accessTo, openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const limits: Partial<ReflectorLimits> = {
  firstMs: 5,
  renewMs: 2000,
  overtimeMs: 300,
  openMs: 400,
  unreadyMs: 1500,
  healthyMs: 60,
};

for (const what of serverKinds().filter((kind) => kind !== "in-process")) {
  describe(`informer behind a broken network, ${what} server`, { timeout: 60_000 }, () => {
    let server: TestServer;
    let proxy: FaultProxy;
    let writer: Client;
    let reader: Client;
    let cache: Cache;
    let informer: Informer<typeof ConfigMap>;

    before(async () => {
      server = await openServer(what);
      const access = await accessTo(server);
      proxy = await openFaultProxy(access.server);
      writer = await server.client();
      reader = createClient({
        access: { ...access, server: proxy.url },
        namespace: writer.namespace,
      });
    });
    after(async () => {
      await cache.stop();
      await reader.close();
      await proxy.close();
      await server.close();
    });
    beforeEach(async () => {
      await cache?.stop();
      cache = createCache({ client: reader, runtime: createSystemRuntime(), limits });
      informer = cache.acquire(ConfigMap, { namespace: writer.namespace }).informer;
      cache.start();
      await cache.synced();
    });

    let written = 0;
    const write = async (): Promise<string> => {
      const name = `m${written++}`;
      await writer.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
      return name;
    };
    const shows = (name: string): boolean =>
      informer.entry(`${writer.namespace}/${name}`) !== undefined;

    it("resumes after every cut without losing an event or listing again", async () => {
      const names: string[] = [];
      for (let i = 0; i < 8; i++) {
        names.push(await write());
        proxy.cut();
        names.push(await write());
      }
      await until(() => names.every(shows));
      assert.equal(informer.freshness().relists, 0);
    });

    it("closes a silent watch", async () => {
      proxy.silence();
      const name = await write();
      await until(() => shows(name));
      assert.equal(informer.freshness().relists, 0);
      await until(() => informer.freshness().ready);
    });

    it("is unready while the server is unreachable, gives a reason, and recovers", async () => {
      const seen: boolean[] = [];
      informer.onFreshness(({ ready }) => seen.push(ready));
      await proxy.goAway();
      await until(() => !informer.freshness().ready);
      assert.match(
        informer.freshness().reason,
        /^no watch for \d+ s \(limit \d+ s\): ERR_CLIENT_UNREACHABLE: connecting to /,
      );
      const name = await write();
      await proxy.restore();
      await until(() => shows(name) && informer.freshness().ready);
      assert.ok(seen.includes(false), "readiness was told");
      assert.ok((await informer.compare()).conclusive);
    });
  });
}
