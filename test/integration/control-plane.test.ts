// The controllers inside the embedded server: they can be disabled, catch up after a restart, stop
// when the server closes, and send no requests when idle.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { type ApiServer, type ApiServerOptions, startApiServer } from "@homeostat/apiserver";
import { type Client, createClient } from "homeostat/client";
import { ConfigMap, Namespace, Secret } from "homeostat/k8s/core/v1";
import { until } from "../fixtures/until.ts";

const folder = mkdtempSync(join(tmpdir(), "control-plane-"));
after(() => rmSync(folder, { recursive: true }));

async function withServer<T>(
  options: ApiServerOptions,
  run: (client: Client, server: ApiServer) => Promise<T>,
): Promise<T> {
  const server = await startApiServer({ listen: false, ...options });
  const client = createClient({ transport: server.transport() });
  try {
    return await run(client, server);
  } finally {
    await client.close();
    await server.close();
  }
}
type Owner = { readonly metadata: { readonly name: string; readonly uid: string } };
async function make(
  client: Client,
  name: string,
  owner?: Owner,
  finalizers: readonly string[] = [],
): Promise<Owner> {
  const ownerReferences = owner
    ? [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          name: owner.metadata.name,
          uid: owner.metadata.uid,
          blockOwnerDeletion: true,
        },
      ]
    : [];
  return client.create(ConfigMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ownerReferences, finalizers },
  } as never);
}
/** Without what the server itself keeps in kube-system. */
const names = async (client: Client): Promise<readonly string[]> =>
  (await client.list(ConfigMap)).items
    .filter(({ metadata }) => metadata.namespace !== "kube-system")
    .map(({ metadata }) => metadata.name);

describe("the controllers of the control plane", { timeout: 60_000 }, () => {
  it("do nothing when they are disabled", () =>
    withServer({ controllers: "none" }, async (client) => {
      await make(client, "child", await make(client, "owner"));
      await client.delete(ConfigMap, "owner");
      const other = await make(client, "other");
      await client.delete(ConfigMap, "other", { propagationPolicy: "Foreground" });
      await client.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "n" },
      });
      await client.delete(Namespace, "n");
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.deepEqual(await names(client), ["child", other.metadata.name]);
      assert.equal(
        ((await client.get(Namespace, "n")) as { status?: { phase?: string } }).status?.phase,
        "Terminating",
      );
    }));

  it("can be chosen one by one", () =>
    withServer({ controllers: ["namespace"] }, async (client) => {
      await make(client, "child", await make(client, "owner"));
      await client.delete(ConfigMap, "owner");
      await client.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "n" },
      });
      await client.delete(Namespace, "n");
      await until(async () => (await client.find(Namespace, "n")) === undefined);
      assert.deepEqual(await names(client), ["child"]);
    }));

  it("refuse an unknown name", () =>
    assert.rejects(
      startApiServer({ listen: false, controllers: ["gardener"] }),
      /unknown controller "gardener"; expected default, all .* garbagecollector, namespace/,
    ));

  it("continue unfinished work after a restart", async () => {
    const dataDir = join(folder, "data");
    await withServer({ controllers: "none", dataDir }, async (client) => {
      await make(client, "of-background", await make(client, "background"));
      await make(client, "of-foreground", await make(client, "foreground"));
      await make(client, "of-orphaned", await make(client, "orphaned"));
      await make(client, "of-stayer", await make(client, "stayer"));
      await make(client, "of-nobody", {
        metadata: { name: "background", uid: "0e000000-0000-4000-8000-00000000000a" },
      });
      await client.delete(ConfigMap, "background", { propagationPolicy: "Background" });
      await client.delete(ConfigMap, "foreground", { propagationPolicy: "Foreground" });
      await client.delete(ConfigMap, "orphaned", { propagationPolicy: "Orphan" });
      await client.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "n" },
      });
      await client.delete(Namespace, "n");
    });
    await withServer({ dataDir }, async (client) => {
      await until(
        async () =>
          (await names(client)).length === 3 && (await client.find(Namespace, "n")) === undefined,
      );
      assert.deepEqual(await names(client), ["of-orphaned", "of-stayer", "stayer"]);
      const freed = (await client.get(ConfigMap, "of-orphaned")) as {
        metadata: { ownerReferences?: object };
      };
      assert.equal(freed.metadata.ownerReferences, undefined);
    });
  });

  it("stop with the server, however much work is queued", async () => {
    const server = await startApiServer({ listen: false });
    const client = createClient({ transport: server.transport() });
    const owner = await make(client, "owner");
    for (let i = 0; i < 1000; i += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, k) =>
          make(client, `d${i + k}`, owner, k % 2 ? ["test.example.com/hold"] : []),
        ),
      );
    await client.delete(ConfigMap, "owner");
    const started = performance.now();
    await server.close();
    const took = performance.now() - started;
    assert.ok(took < 500, `closing took ${took} ms`);
    await client.close();
  });

  it("collect two thousand dependents in seconds", () =>
    withServer({}, async (client) => {
      const owner = await make(client, "owner");
      for (let i = 0; i < 2000; i += 100)
        await Promise.all(Array.from({ length: 100 }, (_, k) => make(client, `d${i + k}`, owner)));
      await client.delete(ConfigMap, "owner");
      await until(async () => (await names(client)).length === 0, {
        timeoutMs: 20_000,
        everyMs: 20,
      });
    }));

  it("send no requests when nothing changes", () =>
    withServer({}, async (client) => {
      const owner = await make(client, "owner");
      await make(client, "child", owner);
      await client.create(Secret, {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
          name: "s",
          ownerReferences: [
            {
              apiVersion: "missing.example.com/v1",
              kind: "Missing",
              name: "m",
              uid: owner.metadata.uid,
            },
          ],
        },
      } as never);
      await client.create(Namespace, {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "stuck" },
      });
      await client.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "held", namespace: "stuck", finalizers: ["test.example.com/hold"] },
      } as never);
      await client.delete(Namespace, "stuck");
      await until(
        async () =>
          ((await client.get(Namespace, "stuck")) as { status?: { conditions?: object } }).status
            ?.conditions !== undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, 100));
      const before = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, 500));
      const { user, system } = process.cpuUsage(before);
      assert.ok(
        (user + system) / 1000 < 150,
        `${(user + system) / 1000} ms of processor time in half a second`,
      );
    }));
});
