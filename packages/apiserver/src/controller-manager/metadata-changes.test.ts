// Controllers in the server's process get changes of metadata without text. What their caches say
// must be what the lines of a watch say.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { ObjectChange, Transport } from "homeostat/api";
import { type CachedObject, createCache } from "homeostat/cache";
import { createClient } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { createSystemRuntime } from "homeostat/runtime";
import type { ApiServerOptions } from "../api-server-options.ts";
import { startApiServer } from "../start-api-server.ts";

const runtime = createSystemRuntime();
const scope = { namespace: "default", metadataOnly: true };

/** What the transport's receivers take: its lines alone, or what it hands over without text too. */
function listening(transport: Transport, takes: "lines" | "changes", changes: ObjectChange[]) {
  return {
    ...transport,
    send: ((request, { change, ...sink }) =>
      transport.send(request, {
        ...sink,
        ...(takes === "changes" && change && { change: (one) => (changes.push(one), change(one)) }),
      })) as Transport["send"],
  };
}

const shown = (object: CachedObject) => ({
  ...object,
  labels: object.metadataText("labels"),
  annotations: object.metadataText("annotations"),
  object: object.read() as unknown,
});

/** A cache of metadata, and what its handlers were called with. */
async function follow(t: TestContext, transport: Transport) {
  const cache = createCache({ client: createClient({ transport, runtime }), runtime });
  const { informer } = cache.acquire(ConfigMap, scope);
  const seen: unknown[] = [];
  informer.addHandler({
    added: (object) => seen.push(["added", shown(object)]),
    updated: (old, object) => seen.push(["updated", shown(old), shown(object)]),
    deleted: (object) => seen.push(["deleted", shown(object)]),
  });
  cache.start();
  await cache.synced();
  t.after(() => cache.stop());
  return { informer, seen };
}

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u-1", blockOwnerDeletion: true };

async function play(transport: Transport): Promise<string> {
  const client = createClient({ transport, runtime });
  const key = (name: string) => ({ name, namespace: "default" });
  const merge = (name: string, metadata: object) =>
    client.patch(ConfigMap, key(name), { type: "merge", body: { metadata } });
  await client.create(ConfigMap, { metadata: { ...key("plain"), labels: { a: "b" } } });
  await client.create(ConfigMap, { metadata: { ...key("owned"), ownerReferences: [owner] } });
  await merge("plain", { annotations: { a: 'q"\u00e4' }, labels: null });
  await merge("plain", { finalizers: ["example.com/a"] });
  await client.delete(ConfigMap, key("plain"));
  await merge("plain", { finalizers: null });
  await merge("owned", { ownerReferences: [owner, { ...owner, uid: "u-2" }] });
  await client.delete(ConfigMap, key("owned"));
  const last = await client.create(ConfigMap, { metadata: key("last") });
  return last.metadata.resourceVersion!;
}

/** Plays before two caches; returns what their handlers saw, and the changes without text. */
async function compare(t: TestContext, options: Pick<ApiServerOptions, "faults">) {
  const server = await startApiServer({ listen: false, controllers: "none", ...options });
  t.after(() => server.close());
  const changes: ObjectChange[] = [];
  const byLines = await follow(t, listening(server.transport(), "lines", changes));
  const byChanges = await follow(t, listening(server.transport(), "changes", changes));
  const last = await play(server.transport());
  for (const { informer } of [byLines, byChanges])
    while (informer.entry("default/last")?.resourceVersion !== last)
      await new Promise(setImmediate);
  assert.deepEqual(await byChanges.informer.compare(), await byLines.informer.compare());
  return { lines: byLines.seen, seen: byChanges.seen, types: changes.map(({ type }) => type) };
}

test("metadata without text is what the lines of a watch say", async (t) => {
  const { lines, seen, types } = await compare(t, {});
  assert.deepEqual(seen, lines);
  const [A, M, D] = ["ADDED", "MODIFIED", "DELETED"];
  assert.deepEqual(types, [A, A, M, M, M, D, M, D, A]);
});

test("a server with faults sends lines, on which faults act", async (t) => {
  const { lines, seen, types } = await compare(t, { faults: "in-process" });
  assert.deepEqual(seen, lines);
  assert.deepEqual(types, []);
});
