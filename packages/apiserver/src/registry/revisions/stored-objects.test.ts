import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";
import { createStoredObjects } from "./stored-objects.ts";

const quotas = { group: "", resource: "resourcequotas" };
const served = {
  ...quotas,
  storageKey: "/resourcequotas",
  namespaced: true,
} as unknown as ServedResource;

test("a kind is empty by namespace, before and after objects come and go", async () => {
  const store = createMemoryStore();
  const catalog = { find: () => served } as unknown as ResourceCatalog;
  const objects = createStoredObjects(store, catalog);
  const encoded = (isDeleted = false) => ({
    bytes: Buffer.from("{}"),
    attributes: { uid: "u", generation: 1, labels: {}, fields: {} } as never,
    schemaEpoch: 0,
    isDeleted,
  });
  const put = (name: string, expected: number) =>
    store.commit(`/resourcequotas/a/${name}`, expected, () => encoded() as never);
  const first = await put("x", 0);
  assert.equal(objects.isEmpty(quotas, "a"), false);
  assert.equal(objects.isEmpty(quotas, "b"), true);
  assert.ok(typeof first === "object");
  const changed = await put("x", first.revision);
  await put("y", 0);
  assert.ok(typeof changed === "object");
  await store.commit("/resourcequotas/a/x", changed.revision, () => null);
  assert.equal(objects.isEmpty(quotas, "a"), false);
  const [left] = (store.list("/resourcequotas/a/") as { items: Iterable<{ revision: number }> })
    .items;
  await store.commit("/resourcequotas/a/y", left!.revision, () => null);
  assert.equal(objects.isEmpty(quotas, "a"), true);
});
