// The empty status of defined resources: a read followed by a replace changes nothing on any
// server.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineResource, installDefinitions } from "homeostat";
import { type Client, dynamicKind } from "homeostat/client";
import * as z from "zod";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const api = { group: "promised.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ size: z.int() }),
  status: z.object({ seen: z.int() }),
});
const Lid = defineResource({ ...api, kind: "Lid", spec: z.object({}) });
const Definition = dynamicKind({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
});

for (const what of serverKinds()) {
  describe(`a promised status on the ${what} server`, { timeout: 30_000 }, () => {
    let server: TestServer;
    let client: Client;
    before(async () => {
      server = await openServer(what);
      client = await server.client({ fieldManager: "test" });
      await installDefinitions(client, [Box, Lid]);
    });
    after(async () => {
      for (const { definition } of [Box, Lid])
        await client.delete(Definition, `${definition.plural}.${definition.group}`);
      await server.close();
    });

    it("is read and not written back", async () => {
      const made = await client.create(Box, Box("a", { size: 1 }));
      assert.deepEqual(made.status, {});
      const read = await client.get(Box, "a");
      for (const subresource of [undefined, "status"]) {
        const replaced = await client.update(Box, read, {
          fieldValidation: "Strict",
          ...(subresource && { subresource }),
        });
        assert.deepEqual(replaced, read, "nothing changed, not even the revision");
      }
      const raw = await client.request({
        method: "GET",
        path: `/apis/${api.group}/${api.version}/namespaces/${client.namespace}/boxes/a`,
      });
      assert.equal("status" in (raw.json() as object), false);
    });

    it("does no harm where the schema has no status", async () => {
      await client.create(Lid, Lid("a", {}));
      const read = await client.get(Lid, "a");
      assert.deepEqual(await client.update(Lid, read, { fieldValidation: "Strict" }), read);
    });
  });
}
