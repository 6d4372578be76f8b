// Races that a server cannot be made to run in order; the rest is tested on servers.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { ApiStatusError, isForbidden } from "../../api/status.ts";
import type { Kind } from "../../api/kind.ts";
import type { Client } from "../../client/client.ts";
import { upsert } from "./upsert.ts";

const Map = { apiVersion: "v1", kind: "ConfigMap", resource: "configmaps", scope: "Namespaced" };
type Data = KubeObject & { readonly data: Readonly<Record<string, string>> };

const stored = (data: Data["data"]): Data => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "m", namespace: "n", uid: "u", resourceVersion: "7" } as Data["metadata"],
  data,
});

/** Upserts `a: "1"`; `found` is what the first read returns, and `later` any later one. */
async function writesOf(found: Data | undefined, later: Data): Promise<readonly unknown[]> {
  const writes: unknown[] = [];
  const reads = [found];
  const read = async () => (reads.length > 0 ? reads.shift() : later);
  const client = {
    find: read,
    get: read,
    async create(_kind: Kind, { data }: Data) {
      writes.push({ create: data });
      const status = { kind: "Status", apiVersion: "v1", code: 409, reason: "AlreadyExists" };
      throw new ApiStatusError(status as never);
    },
    async update(_kind: Kind, { metadata, data }: Data) {
      writes.push({ update: data, uid: metadata.uid, resourceVersion: metadata.resourceVersion });
      return later;
    },
  } as unknown as Client;
  const mutate = (current: KubeObject | undefined) =>
    ({ metadata: { name: "m" }, data: { ...(current as Data)?.data, a: "1" } }) as never;
  await upsert(client, { kind: Map as Kind, key: { name: "m", namespace: "n" }, mutate }, {});
  return writes;
}

it("sends nothing when the object is as it should be", async () => {
  assert.deepEqual(await writesOf(stored({ a: "1" }), stored({})), []);
});

it("changes an object that another writer creates meanwhile", async () => {
  assert.deepEqual(await writesOf(undefined, stored({ b: "2" })), [
    { create: { a: "1" } },
    { update: { b: "2", a: "1" }, uid: "u", resourceVersion: "7" },
  ]);
  assert.deepEqual(await writesOf(undefined, stored({ a: "1" })), [{ create: { a: "1" } }]);
});

it("sends the revision that `mutate` saw, and the metadata that it leaves out", async () => {
  const sent: KubeObject[] = [];
  const { metadata, ...rest } = stored({});
  const labelled = { ...rest, metadata: { ...metadata, labels: { kept: "yes" } } } as KubeObject;
  const client = {
    find: async () => labelled,
    async update(_kind: Kind, object: KubeObject) {
      sent.push(object);
      return object;
    },
  } as unknown as Client;
  const mutate = () => ({
    metadata: { name: "another", uid: "stale", resourceVersion: "1", annotations: { a: "b" } },
    data: { a: "1" },
  });
  await upsert(client, { kind: Map as Kind, key: "m", mutate: mutate as never }, {});
  const { namespace, ...mine } = sent[0]!.metadata;
  assert.deepEqual(mine, {
    name: "m",
    uid: "u",
    resourceVersion: "7",
    labels: { kept: "yes" },
    annotations: { a: "b" },
  });
  assert.equal(namespace, "n");
});

it("an error of the write is the upsert's", async () => {
  const status = { kind: "Status", apiVersion: "v1", code: 403, reason: "Forbidden" };
  const refuse = async () => {
    throw new ApiStatusError(status as never);
  };
  const client = { find: async () => undefined, create: refuse, get: async () => stored({}) };
  const wanted = { kind: Map as Kind, key: "m", mutate: () => stored({}) };
  await assert.rejects(upsert(client as unknown as Client, wanted, {}), isForbidden);
});
