// What is cached of a kind: objects selected by labels, reduced objects, or metadata alone.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, metadataOf, ref } from "homeostat";
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

  it("refuses to control or own the metadata of a kind", () => {
    assert.throws(
      () => defineController(Box, { owns: [metadataOf(Secret)], reconcile() {} } as never),
      /ERR_CONTROLLER_DEFINITION|metadataOf\(Secret\) can only be referred to/,
    );
  });
});
