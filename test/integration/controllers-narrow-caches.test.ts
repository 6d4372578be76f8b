// Kinds that controllers only watch, by values: the cache holds what they select.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, defineController, type Manager, ref } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import type { Client } from "homeostat/client";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const labels = { app: "seen" };
const map = (name: string, app: string) => ConfigMap({ name, labels: { app } }, {});
const labelled = (app: string) => ({
  type: "merge" as const,
  body: { metadata: { labels: { app } } },
});
const statsOf = (manager: Manager) => {
  const { scope, objects } = manager.cacheStats().find(({ kind }) => kind.kind === "ConfigMap")!;
  return [scope.labelSelector, objects];
};
const noted = (client: Client, note: string) =>
  until(async () => (await client.get(Box, "b")).status?.note === note);

describeLaws("narrow caches", ({ run }) => {
  it("hold what is selected, as objects begin and cease to match", async () => {
    const controller = defineController(Box, {
      watches: { maps: all(ConfigMap, { labels }) },
      async reconcile({ watches: { maps }, status }) {
        status({ note: maps.map(({ metadata }) => metadata.name).join() });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(ConfigMap, map("one", "seen"));
      await client.create(ConfigMap, map("two", "other"));
      await client.create(Box, Box("b", {}));
      await noted(client, "one");
      assert.deepEqual(statsOf(manager), ["app=seen", 1]);
      await client.patch(ConfigMap, "two", labelled("seen"));
      await noted(client, "one,two");
      await client.patch(ConfigMap, "one", labelled("other"));
      await noted(client, "two");
      await client.delete(ConfigMap, "two");
      await noted(client, "");
      assert.deepEqual(statsOf(manager), ["app=seen", 0]);
    });
  });

  it("are whole where another controller of the manager needs the kind", async () => {
    const watching = defineController(Box, {
      name: "watching",
      watches: { maps: all(ConfigMap, { labels }) },
      async reconcile({ watches: { maps }, status }) {
        status({ count: maps.length });
      },
    });
    const referring = defineController(Box, {
      name: "referring",
      refs: { friend: ref(ConfigMap, (box) => box.spec.friend) },
      async reconcile({ refs: { friend }, status }) {
        status({ note: friend?.metadata.name });
      },
    });
    await run([watching, referring], async (client, manager) => {
      await client.create(ConfigMap, map("one", "seen"));
      await client.create(ConfigMap, map("two", "other"));
      await client.create(Box, Box("b", { friend: "two" }));
      await noted(client, "two");
      await until(async () => (await client.get(Box, "b")).status?.count === 1);
      const [selector, objects] = statsOf(manager);
      assert.equal(selector, undefined);
      assert.ok((objects as number) >= 2);
    });
  });

  it("become whole when a reconcile reads more from the cache", async () => {
    const errors: string[] = [];
    const controller = defineController(Box, {
      watches: { maps: all(ConfigMap, { labels }) },
      async reconcile({ cache, log, status }) {
        try {
          const two = cache.get(ConfigMap, "two");
          const names = cache.list(ConfigMap).map(({ metadata }) => metadata.name);
          // A cluster puts a ConfigMap into every namespace.
          const own = names.filter((name) => name !== "kube-root-ca.crt");
          status({ note: `${two?.metadata.name} ${own.length}` });
        } catch (error) {
          errors.push((error as { code: string }).code);
          log.debug("again");
          throw error;
        }
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(ConfigMap, map("one", "seen"));
      await client.create(ConfigMap, map("two", "other"));
      assert.equal(statsOf(manager)[0], "app=seen");
      await client.create(Box, Box("b", {}));
      await noted(client, "two 2");
      assert.equal(new Set(errors).size, 1);
      assert.equal(errors[0], "ERR_CACHE_NARROW");
      assert.equal(statsOf(manager)[0], undefined);
    });
  });

  it("leave the user's own selection of a kind alone", async () => {
    let [runs, listed] = [0, 0];
    const controller = defineController(Box, {
      watches: { maps: all(ConfigMap, { labels: { tier: "a" } }) },
      async reconcile({ cache, status }) {
        runs++;
        status({ note: `${cache.list(ConfigMap).length}` });
        listed++;
      },
    });
    const kinds = [[ConfigMap, { labelSelector: "app=seen" }]] as const;
    await run(
      [controller],
      async (client, manager) => {
        await client.create(ConfigMap, map("one", "seen"));
        await client.create(Box, Box("b", {}));
        await noted(client, "1");
        assert.equal(statsOf(manager)[0], "app=seen");
        assert.equal(listed, runs, "no read is refused");
      },
      { cache: { kinds } },
    );
  });
});
