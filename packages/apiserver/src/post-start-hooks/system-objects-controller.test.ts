import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import type { CoreServices } from "../registry/scope/core-services.ts";
import { createMemoryStore } from "../storage/memory-store.ts";
import { startSystemObjectsControllers } from "./system-objects-controller.ts";

/** Deletes a system ConfigMap. Resolves to the answers of the server to its restoration. */
async function restoring(status: number): Promise<readonly string[]> {
  const runtime = createVirtualRuntime({ seed: 1 });
  const store = createMemoryStore();
  const catalog = {
    find: (_group: string, _version: string, resource: string) => ({
      resource,
      storageKey: resource,
      namespaced: true,
    }),
  };
  const name = "extension-apiserver-authentication";
  const bootstrapObjects = (): readonly string[] => [
    JSON.stringify({ kind: "ConfigMap", metadata: { name, namespace: "kube-system" } }),
  ];
  const log: string[] = [];
  const controllers = startSystemObjectsControllers({
    core: { store, runtime, catalog } as unknown as CoreServices,
    bootstrapObjects,
    loopback: async (method, path) => {
      log.push(`${method} ${path}`);
      return { status, object: {} };
    },
  });
  const attributes = {
    uid: "",
    generation: 0,
    labels: {},
    fields: {},
    owners: [],
    finalizers: [],
    deleting: false,
  };
  const encoded = { bytes: Buffer.from("{}"), attributes };
  const key = `configmaps/kube-system/${name}`;
  const created = await store.commit(key, 0, () => encoded);
  assert.ok(typeof created === "object");
  await store.commit(
    key,
    created.revision,
    () => null,
    () => encoded,
  );
  await runtime.advance(5500);
  await Promise.all(controllers.map((controller) => controller.stop()));
  return log;
}

const post = "POST /api/v1/namespaces/kube-system/configmaps";

test("an object that exists already is no failure, unlike other refusals", async () => {
  assert.deepEqual(await restoring(201), [post]);
  assert.deepEqual(await restoring(409), [post]);
  assert.equal((await restoring(500)).length, 6, "one attempt a second");
});
