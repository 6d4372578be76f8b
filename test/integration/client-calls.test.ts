// Dry runs, warnings and time limits of the server, on every server.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isNotFound } from "homeostat/api";
import { type Client, createWarningWriter, evict } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, Pod, ServiceAccount } from "homeostat/k8s/core/v1";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

for (const what of serverKinds()) {
  describe(`calls on the ${what} server`, { timeout: 30_000 }, () => {
    let server: TestServer;
    let client: Client;
    const lines: string[] = [];
    before(async () => {
      server = await openServer(what);
      const warned = createWarningWriter({ write: (line) => void lines.push(line) });
      client = await server.client({ fieldManager: "calls", observer: { warned } });
    });
    after(() => server.close());

    it("of a client of dry runs change nothing", async () => {
      const dry = client.with({ dryRun: "All" });
      const manifest = (name: string, value = "1") => ({ metadata: { name }, data: { value } });
      const made = await client.create(ConfigMap, manifest("kept"));
      const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
      await client.create(Pod, pod);
      await client.create(ServiceAccount, { metadata: { name: "sa" } });

      assert.ok((await dry.create(ConfigMap, manifest("new"))).metadata.uid);
      await dry.apply(ConfigMap, manifest("new"));
      await dry.applyUnread(ConfigMap, manifest("new"));
      assert.equal(
        (await dry.update(ConfigMap, ConfigMap("kept", { data: { value: "2" } }))).data!["value"],
        "2",
      );
      await dry.patch(ConfigMap, "kept", { type: "merge", body: { data: { value: "3" } } });
      await dry.patch(
        Pod,
        "p",
        { type: "merge", body: { status: { message: "m" } } },
        { subresource: "status" },
      );
      await dry.delete(ConfigMap, "kept");
      await dry.deleteCollection(ConfigMap, { namespace: client.namespace });
      assert.equal(await evict(dry, "p"), true);
      await dry.delete(Pod, "p");
      await dry.create(
        ServiceAccount,
        { metadata: { name: "sa" }, spec: {} },
        { subresource: "token" },
      );

      const kept = await client.get(ConfigMap, "kept");
      assert.equal(kept.metadata.resourceVersion, made.metadata.resourceVersion);
      await assert.rejects(client.get(ConfigMap, "new"), isNotFound);
      const { metadata, status } = await client.get(Pod, "p");
      assert.deepEqual([metadata.deletionTimestamp, status?.message], [undefined, undefined]);
    });

    it("show each warning once", async () => {
      const body = { data: { a: "b" }, unknown: 1 };
      const patch = { type: "merge", body } as const;
      for (const value of ["kept", "kept"]) await client.patch(ConfigMap, value, patch);
      assert.deepEqual(lines, ['Warning: unknown field "unknown"\n']);
    });

    it("tell the server how long they may take", async () => {
      await client.get(ConfigMap, "kept", { serverTimeoutMs: 5000 });
      await client.list(Deployment, { serverTimeoutMs: 5000, totalTimeoutMs: 20_000 });
      const query = { timeout: "soon" };
      const path = `/api/v1/namespaces/${client.namespace}/configmaps`;
      await assert.rejects(
        client.request({ method: "GET", path, query }),
        /invalid timeout specified in the request URL/,
        "the server reads it",
      );
    });
  });
}
