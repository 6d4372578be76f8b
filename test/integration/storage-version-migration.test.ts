// Storage version migrations: served on request, and run by their controller.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiServerOptions, startApiServer } from "@homeostat/apiserver";
import { createClient, dynamicKind } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { ClusterRole } from "homeostat/k8s/rbac/v1";
import { StorageVersionMigration } from "homeostat/k8s/storagemigration/v1beta1";
import { until } from "../fixtures/until.ts";

const asked: ApiServerOptions = {
  featureGates: { StorageVersionMigrator: true },
  runtimeConfig: { "storagemigration.k8s.io/v1beta1": true },
};
const role = "system:controller:storage-version-migrator-controller";
const Post = dynamicKind({
  apiVersion: "x.io/v1",
  kind: "Post",
  resource: "posts",
  scope: "Namespaced",
});

async function open(options: ApiServerOptions) {
  const server = await startApiServer({ listen: false, controllers: "all", ...options });
  const client = createClient({ transport: server.transport() });
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  return { client, close };
}

const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
});
const posts = (storage: string) => ({
  metadata: { name: "posts.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "posts", kind: "Post" },
    versions: ["v1", "v2"].map((name) => version(name, name === storage)),
  },
});

test("without the feature gate, or without the API, nothing of it is served", async (t) => {
  for (const options of [{}, { featureGates: asked.featureGates! }]) {
    const { client, close } = await open(options);
    t.after(close);
    const kinds = await client.kinds.all();
    assert.ok(!kinds.some(({ group }) => group === "storagemigration.k8s.io"));
    assert.equal(await client.find(ClusterRole, role), undefined);
  }
});

test("a migration rewrites what lies in another version, and drops that version", async (t) => {
  const { client, close } = await open(asked);
  t.after(close);
  assert.ok(await client.find(ClusterRole, role));
  await client.create(CustomResourceDefinition, posts("v1") as never);
  await until(() => client.listPage(Post).catch(() => undefined));
  const old = await client.create(Post, { metadata: { name: "old", namespace: "default" } });
  await client.patch(CustomResourceDefinition, "posts.x.io", {
    type: "merge",
    body: { spec: posts("v2").spec },
  });
  const stored = async () =>
    (await client.get(CustomResourceDefinition, "posts.x.io")).status?.storedVersions;
  assert.deepEqual(await stored(), ["v1", "v2"]);
  for (const [name, resource] of [
    ["done", { group: "x.io", resource: "posts" }],
    ["refused", { group: "", resource: "componentstatuses" }],
  ] as const)
    await client.create(StorageVersionMigration, { metadata: { name }, spec: { resource } });
  const ended = (name: string) =>
    until(async () => {
      const conditions = (await client.get(StorageVersionMigration, name)).status?.conditions ?? [];
      const hasEnded = conditions.some(
        ({ type, status }) => type === "Running" && status === "False",
      );
      return hasEnded
        ? conditions.map(({ type, status, message }) => [type, status, message])
        : undefined;
    });
  assert.deepEqual(await ended("done"), [
    ["Running", "False", "Migration completed"],
    ["Succeeded", "True", ""],
  ]);
  assert.deepEqual(await stored(), ["v2"]);
  const { metadata } = await client.get(Post, { name: "old", namespace: "default" });
  assert.notEqual(metadata.resourceVersion, old.metadata.resourceVersion);
  assert.deepEqual((await ended("refused"))[1], [
    "Failed",
    "True",
    'resource "/v1, Resource=componentstatuses" does not support discovery operations: [update patch list]',
  ]);
});
