// What is cached of a kind: objects selected by labels, reduced objects, or metadata alone.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, defineController, fieldsOf, metadataOf, ref } from "homeostat";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("cached kinds", ({ run }) => {
  it("caches the selected objects of a kind, reduced, and counts their bytes", async () => {
    const controller = defineController(Box, {
      refs: { friend: ref(ConfigMap, (box) => box.spec.friend) },
      async reconcile({ refs: { friend }, status }) {
        status({ note: friend ? Object.keys(friend.data ?? {}).join() : "nobody" });
      },
    });
    const project = (map: { data?: object }) => ({ ...map, data: { ...map.data, big: undefined } });
    const kinds = [[ConfigMap, { labelSelector: "app=laws", project }]] as const;
    await run(
      [controller],
      async (client, manager) => {
        const note = async () => (await client.get(Box, "lonely")).status?.note;
        const data = { small: "x", big: "y".repeat(10_000) };
        await client.create(ConfigMap, ConfigMap("pal", { data }));
        await client.create(Box, Box("lonely", { friend: "pal" }));
        await until(async () => (await note()) === "nobody");
        await client.patch(ConfigMap, "pal", {
          type: "merge",
          body: { metadata: { labels: { app: "laws" } } },
        });
        await until(async () => (await note()) === "small");
        const stats = manager.cacheStats().find(({ kind }) => kind.kind === "ConfigMap");
        assert.equal(stats?.scope.labelSelector, "app=laws");
        assert.equal(stats?.objects, 1);
        assert.ok(stats.bytes > 50 && stats.bytes < 2000, `${stats.bytes} bytes`);
      },
      { cache: { kinds } },
    );
  });

  it("refers to the metadata of a kind, beside whole objects of it", async () => {
    const controller = defineController(Box, {
      refs: {
        friend: ref(metadataOf(Secret), (box) => box.spec.friend),
        whole: ref(Secret, (box) => box.spec.label),
      },
      async reconcile({ refs: { friend, whole }, status }) {
        const fields = [friend, whole].map((one) => String(one !== undefined && "data" in one));
        status({ note: `${friend?.metadata.labels?.["round"]} ${fields.join()}` });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Secret, Secret("pal", { data: { word: "c2VjcmV0" } }));
      await client.create(Box, Box("lonely", { friend: "pal", label: "pal" }));
      const says = (note: string) =>
        until(async () => (await client.get(Box, "lonely")).status?.note === note);
      await says("undefined false,true");
      await client.patch(Secret, "pal", {
        type: "merge",
        body: { metadata: { labels: { round: "2" } } },
      });
      await says("2 false,true");
      const scopes = manager.cacheStats().filter(({ kind }) => kind.kind === "Secret");
      assert.deepEqual(scopes.map(({ scope }) => scope.metadataOnly).toSorted(), [false, true]);
    });
  });

  it("watches some fields of a kind, beside whole objects of it, and drops the others", async () => {
    const Named = fieldsOf(ConfigMap, "data.name");
    const controller = defineController(Box, {
      refs: { whole: ref(ConfigMap, (box) => box.spec.label) },
      watches: { named: all(Named, { fields: { "data.name": "pal" } }) },
      async reconcile({ watches: { named }, refs: { whole }, cache, status }) {
        const [first] = named;
        const again = first && cache.get(Named, first.metadata.name);
        const parts = [first, again, whole].map((one) => Object.keys(one?.data ?? {}).join("+"));
        status({ note: `${parts.join()} ${first?.metadata.labels?.["round"]}` });
      },
    });
    await run([controller], async (client, manager) => {
      const data = { name: "pal", big: "y".repeat(10_000) };
      await client.create(ConfigMap, ConfigMap("pal", { data }));
      await client.create(Box, Box("lonely", { label: "pal" }));
      const says = (note: string) =>
        until(async () => (await client.get(Box, "lonely")).status?.note === note);
      await says("name,name,big+name undefined");
      await client.patch(ConfigMap, "pal", {
        type: "merge",
        body: { metadata: { labels: { round: "2" } } },
      });
      await says("name,name,big+name 2");
      const caches = manager.cacheStats().filter(({ kind }) => kind.kind === "ConfigMap");
      const sizes = caches.map(({ scope, bytes }) => [scope.fields?.join(), bytes < 5000]);
      assert.deepEqual(
        new Map(sizes as [string, boolean][]),
        new Map<string | undefined, boolean>([
          ["data.name", true],
          [undefined, false],
        ]),
      );
    });
  });

  it("refuses reads and selections beyond the fields that are declared", async () => {
    const Named = fieldsOf(ConfigMap, "data.name");
    assert.throws(() => all(Named, { fields: { "data.other": "a" } }), {
      code: "ERR_WATCH_SELECTION",
      message: /selecting ConfigMap by "data.other": only data.name of it is cached/,
    });
    assert.throws(() => all(metadataOf(ConfigMap), { fields: { "data.name": "a" } }), {
      code: "ERR_WATCH_SELECTION",
    });
    assert.throws(
      () => defineController(Box, { owns: [Named], reconcile() {} } as never),
      /fieldsOf\(ConfigMap, …\) can only be referred to, watched or indexed/,
    );
    const refused: unknown[] = [];
    const controller = defineController(Box, {
      watches: { named: all(Named) },
      async reconcile({ cache }) {
        for (const kind of [ConfigMap, metadataOf(ConfigMap), fieldsOf(ConfigMap, "immutable")])
          try {
            cache.get(kind as never, "pal");
          } catch (error) {
            refused.push((error as { code?: unknown }).code);
          }
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("lonely", {}));
      await until(() => refused.length >= 3);
      assert.deepEqual(new Set(refused), new Set(["ERR_UNDECLARED"]));
    });
  });

  it("refuses to control or own the metadata of a kind", () => {
    assert.throws(
      () => defineController(Box, { owns: [metadataOf(Secret)], reconcile() {} } as never),
      /ERR_CONTROLLER_DEFINITION|metadataOf\(Secret\) can only be referred to/,
    );
  });
});
