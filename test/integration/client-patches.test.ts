// Patches by builders, on every server: what they change, and what their preconditions refuse.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isConflict, isInvalid } from "homeostat/api";
import {
  applyConfiguration,
  type Client,
  jsonPatch,
  mergePatch,
  type Patch,
  type PatchPreconditions,
  strategicPatch,
} from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const selector = { matchLabels: { app: "web" } };
const containers = [
  { name: "web", image: "web:1" },
  { name: "side", image: "side:1" },
];
const template = { metadata: { labels: { app: "web" } }, spec: { containers } };

for (const what of serverKinds()) {
  describe(`patches on the ${what} server`, { timeout: 30_000 }, () => {
    let server: TestServer;
    let client: Client;
    before(async () => {
      server = await openServer(what);
      client = await server.client({ fieldManager: "patches" });
      const spec = { replicas: 1, selector, template };
      await client.create(Deployment, Deployment("web", { spec }));
    });
    after(() => server.close());
    const images = async () => {
      const { spec } = await client.get(Deployment, "web");
      return spec.template.spec!.containers.map(({ image }) => image);
    };

    it("change what they name", async () => {
      const json = jsonPatch(Deployment)
        .test((web) => web.spec.replicas, 1)
        .replace((web) => web.spec.replicas, 2)
        .append((web) => web.spec.template.spec.containers, { name: "third", image: "third:1" });
      assert.equal((await client.patch(Deployment, "web", json)).spec.replicas, 2);
      assert.deepEqual(await images(), ["web:1", "side:1", "third:1"]);
      await assert.rejects(client.patch(Deployment, "web", json), isInvalid, "the test fails");
      const strategic = strategicPatch(Deployment, {
        spec: {
          template: {
            spec: {
              containers: [
                { name: "web", image: "web:2" },
                { name: "side", $patch: "delete" },
              ],
            },
          },
        },
      });
      await client.patch(Deployment, "web", strategic);
      assert.deepEqual(await images(), ["web:2", "third:1"]);
      const merge = mergePatch(Deployment, { spec: { paused: true, minReadySeconds: null } });
      const { spec } = await client.patch(Deployment, "web", merge);
      assert.deepEqual([spec.paused, spec.minReadySeconds], [true, undefined]);
      const applied = applyConfiguration(Deployment, "web", {
        spec: { template: { spec: { containers: [{ name: "web", image: "web:3" }] } } },
      });
      await assert.rejects(client.apply(Deployment, applied, { fieldManager: "b" }), isConflict);
      await client.apply(Deployment, applied, { fieldManager: "b", force: true });
      assert.deepEqual(await images(), ["web:3", "third:1"]);
    });

    it("are refused when the object has changed, or is another one", async () => {
      const { metadata } = await client.get(Deployment, "web");
      const labels = { at: "old" };
      const patches: readonly ((given: PatchPreconditions) => Patch)[] = [
        (given) => jsonPatch(Deployment, given).add((web) => web.metadata.labels, labels),
        (given) => mergePatch(Deployment, { metadata: { labels } }, given),
        (given) => strategicPatch(Deployment, { metadata: { labels } }, given),
      ];
      await client.patch(Deployment, "web", mergePatch(Deployment, { spec: { replicas: 5 } }));
      const { resourceVersion } = metadata;
      for (const patch of patches) {
        const send = (given: PatchPreconditions) => client.patch(Deployment, "web", patch(given));
        await assert.rejects(send({ resourceVersion }), isConflict);
        await assert.rejects(send({ uid: "another" }), isInvalid);
      }
      const applied = (given: PatchPreconditions) =>
        client.apply(
          Deployment,
          applyConfiguration(Deployment, "web", { metadata: { labels } }, given),
          { fieldManager: "c" },
        );
      await assert.rejects(applied({ resourceVersion }), isConflict);
      await assert.rejects(applied({ uid: "another" }), isInvalid);
      const now = await client.get(Deployment, "web");
      assert.equal(now.metadata.labels, undefined);
      for (const patch of patches) {
        const { uid, resourceVersion } = (await client.get(Deployment, "web")).metadata;
        const done = await client.patch(Deployment, "web", patch({ uid, resourceVersion }));
        assert.deepEqual(done.metadata.labels, labels);
      }
    });
  });
}
