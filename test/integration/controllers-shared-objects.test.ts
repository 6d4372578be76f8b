// Objects that several reconciled objects write: upsert, apply by sets, and the warning about two
// objects that apply one object under one field manager.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, retryOnConflict, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** A log that keeps warnings. */
function keepWarnings() {
  const warnings: string[] = [];
  return {
    log: { ...silentLog, warn: (message: string) => void warnings.push(message) },
    lines: (code: string) => warnings.filter((line) => line.startsWith(code)),
  };
}

describeLaws("shared objects", ({ run }) => {
  const dataOf = async (client: Client) => (await client.find(ConfigMap, "menu"))?.data ?? {};

  it("ten objects upsert one object at once, and every entry arrives", async () => {
    let calls = 0;
    const controller = defineController(Box, {
      concurrency: 5,
      async reconcile({ object, client, status }) {
        const map = await client.upsert(ConfigMap, "menu", (current) => {
          calls++;
          return ConfigMap("menu", { data: { ...current?.data, [object.metadata.name]: "yes" } });
        });
        assert.equal(map.data?.[object.metadata.name], "yes");
        status({ count: 1 });
      },
    });
    await run([controller], async (client, manager) => {
      const names = Array.from({ length: 10 }, (_, i) => `b${i}`);
      await Promise.all(names.map((name) => client.create(Box, Box(name, {}))));
      await until(async () => Object.keys(await dataOf(client)).length === 10);
      await until(() => manager.isIdle());
      const before = await client.get(ConfigMap, "menu");
      const metadata = { labels: { kept: "yes" }, finalizers: ["example.com/kept"] };
      await client.patch(ConfigMap, "menu", { type: "merge", body: { metadata } });
      const made = calls;
      await client.patch(Box, "b0", { type: "merge", body: { spec: { label: "again" } } });
      await until(() => calls > made);
      await until(() => manager.isIdle());
      const after = await client.get(ConfigMap, "menu");
      assert.deepEqual(after.metadata.finalizers, ["example.com/kept"]);
      assert.equal(after.metadata.labels?.["kept"], "yes");
      assert.deepEqual(after.data, before.data);
      await client.patch(ConfigMap, "menu", {
        type: "merge",
        body: { metadata: { finalizers: null } },
      });
    });
  });

  it("an upsert that changes nothing writes nothing", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile({ client }) {
        await client.upsert(ConfigMap, "menu", () => ConfigMap("menu", { data: { a: "1" } }));
        runs++;
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("b", {}));
      await until(() => runs === 1);
      const { resourceVersion } = (await client.get(ConfigMap, "menu")).metadata;
      await client.patch(Box, "b", { type: "merge", body: { spec: { label: "again" } } });
      await until(() => runs === 2);
      assert.equal((await client.get(ConfigMap, "menu")).metadata.resourceVersion, resourceVersion);
    });
  });

  const contributor = (withSet: boolean) =>
    defineController(Box, {
      async reconcile({ object, client, status }) {
        const { name } = object.metadata;
        const map = ConfigMap("menu", { data: { [name]: object.spec.label ?? "none" } });
        await client.apply(ConfigMap, map, withSet ? { set: name } : {});
        status({ note: object.spec.label ?? "none" });
      },
    });
  const bothDone = async (client: Client): Promise<void> => {
    for (const name of ["a", "b"]) {
      await client.create(Box, Box(name, { label: "first" }));
      await until(async () => (await client.get(Box, name)).status?.note === "first");
    }
  };

  it("names two objects that apply one object under one field manager", async () => {
    const { log, lines } = keepWarnings();
    await run(
      [contributor(false)],
      async (client) => {
        await bothDone(client);
        assert.deepEqual(await dataOf(client), { b: "first" }, "what the warning is about");
        const [warning, ...more] = lines("ERR_APPLY_SHARED");
        assert.match(
          warning!,
          /ConfigMap \S+\/menu is applied by Box \S+\/b and by Box \S+\/a with field manager "laws\/box"/,
        );
        assert.deepEqual(more, []);
      },
      { log },
    );
  });

  it("objects that apply as sets keep each other's fields, without a warning", async () => {
    const { log, lines } = keepWarnings();
    await run(
      [contributor(true)],
      async (client) => {
        await bothDone(client);
        assert.deepEqual(await dataOf(client), { a: "first", b: "first" });
        assert.deepEqual(lines("ERR_APPLY_SHARED"), []);
      },
      { log },
    );
  });

  it("retryOnConflict writes what a reconcile computes, whoever writes meanwhile", async () => {
    const controller = defineController(Box, {
      async reconcile({ client, status }) {
        await retryOnConflict(async (attempt) => {
          const map = await client.get(ConfigMap, "menu");
          assert.ok(map);
          if (attempt === 0) await client.patch(ConfigMap, "menu", { data: { other: "written" } });
          const count = String(Number(map.data?.["count"] ?? 0) + 1);
          await client.update(ConfigMap, { ...map, data: { ...map.data, count } });
        });
        status({ count: 1 });
      },
    });
    await run([controller], async (client) => {
      await client.create(ConfigMap, ConfigMap("menu", { data: { count: "4" } }));
      await client.create(Box, Box("b", {}));
      await until(async () => (await client.get(Box, "b")).status?.count === 1);
      await sleep(50);
      assert.deepEqual(await dataOf(client), { count: "5", other: "written" });
    });
  });
});
