// Children that owner references cannot reach: in another namespace than their owner, or in none.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, defineResource, installDefinitions } from "homeostat";
import type { Client } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { Box, describeLaws, lawsApi, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const merge = (body: object) => ({ type: "merge" as const, body });
const all = { namespace: undefined };

const Depot = defineResource({
  ...lawsApi,
  kind: "Depot",
  scope: "Cluster",
  spec: z.object({ namespaces: z.array(z.string()).default([]) }),
});
const Badge = defineResource({
  ...lawsApi,
  kind: "Badge",
  scope: "Cluster",
  spec: z.object({ of: z.string() }),
});

async function createNamespace(client: Client): Promise<string> {
  const { metadata } = await client.create(Namespace, { metadata: { generateName: "else-" } });
  return metadata.name;
}

/** Owns a Part named as its `label` in the namespaces of its `parts`. */
const scattering = (runs: string[] = []) =>
  defineController(Box, {
    owns: [Part],
    async reconcile({ object, own, client, condition }) {
      runs.push(object.metadata.name);
      const { name } = object.metadata;
      const { parts, label = name } = object.spec;
      const made = await own(
        Part,
        parts.map((namespace) => Part({ name: label, namespace }, { of: name })),
      );
      for (const { metadata } of made) await client.get(Part, metadata);
      condition("Ready", "True", "Scattered");
    },
  });

describeLaws("own elsewhere", ({ run, client: open }) => {
  it("repairs, prunes and collects children in other namespaces", async () => {
    await run(
      [scattering()],
      async (client, manager) => {
        const [a, b] = [await createNamespace(client), await createNamespace(client)];
        const find = (namespace: string) => client.find(Part, { name: "box", namespace });
        const home = client.namespace!;
        await client.create(Box, Box("box", { parts: [home, a, b] }));
        await until(async () => (await find(home)) && (await find(a)) && (await find(b)));
        const child = (await find(a))!;
        const { uid, finalizers } = (await client.get(Box, "box")).metadata;
        assert.deepEqual(finalizers, ["laws.example.com/laws.box"]);
        assert.equal(child.metadata.ownerReferences, undefined);
        assert.equal(child.metadata.labels?.["homeostat.dev/owner-uid"], uid);
        assert.equal(
          child.metadata.annotations?.["homeostat.dev/owner"],
          `Box.laws.example.com ${home}/box`,
        );
        assert.equal((await find(home))?.metadata.ownerReferences?.[0]?.uid, uid);
        assert.deepEqual(manager.breaches(), [], "a read of such a child is declared");
        await client.delete(Part, { name: "box", namespace: a });
        await until(async () => (await find(a))?.metadata.uid !== child.metadata.uid && find(a));
        await client.patch(
          Part,
          { name: "box", namespace: a },
          merge({ metadata: { labels: null, annotations: null } }),
        );
        await until(async () => {
          const found = await find(a);
          return found?.metadata.labels !== undefined && found.metadata.annotations !== undefined;
        });
        await client.patch(Box, "box", merge({ spec: { parts: [home, a] } }));
        await until(async () => (await find(b)) === undefined);
        await client.patch(
          Part,
          { name: "box", namespace: a },
          merge({ metadata: { finalizers: ["example.com/slow"] } }),
        );
        await client.delete(Box, "box");
        await until(async () => (await find(a))?.metadata.deletionTimestamp !== undefined);
        assert.ok(await client.find(Box, "box"), "the owner goes after its children");
        await client.patch(
          Part,
          { name: "box", namespace: a },
          merge({ metadata: { finalizers: null } }),
        );
        await until(async () => (await client.find(Box, "box")) === undefined);
        assert.equal(await find(a), undefined);
      },
      all,
    );
  });

  it("collects a child whose namespace is no longer watched, also one that goes slowly", async () => {
    const client = await open();
    const labels = { own: client.namespace! };
    const [home, away] = [await createNamespace(client), await createNamespace(client)];
    for (const name of [home, away])
      await client.patch(Namespace, name, merge({ metadata: { labels } }));
    const part = { name: "box", namespace: away };
    const box = { name: "box", namespace: home };
    await run(
      [scattering()],
      async (_, manager) => {
        await client.create(Box, Box(box, { parts: [away] }));
        await until(() => client.find(Part, part));
        const finalizers = ["example.com/slow"];
        await client.patch(Part, part, merge({ metadata: { finalizers } }));
        await client.patch(Namespace, away, merge({ metadata: { labels: { own: null } } }));
        await until(() =>
          manager
            .states()
            .some(({ progress }) => /ERR_OWN_NAMESPACE/.test(JSON.stringify(progress))),
        );
        await client.delete(Box, box);
        await until(async () => (await client.get(Part, part)).metadata.deletionTimestamp);
        assert.ok(await client.find(Box, box), "the owner goes after its children");
        await client.patch(Part, part, merge({ metadata: { finalizers: null } }));
        await until(async () => (await client.find(Box, box)) === undefined);
        assert.equal(await client.find(Part, part), undefined);
      },
      { namespace: undefined, namespaces: { labels } },
    );
  });

  it("refuses a child that the cache does not select, and collects one that lost its label", async () => {
    const client = await open();
    const away = await createNamespace(client);
    const part = { name: "box", namespace: away };
    const boxes = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own }) {
        const labels = object.spec.label ? { app: object.spec.label } : {};
        await own(Part, [Part({ ...part, labels }, { of: "x" })]);
      },
    });
    await run(
      [boxes],
      async (_, manager) => {
        const box = { name: "box", namespace: client.namespace! };
        await client.create(Box, Box(box, {}));
        await until(() =>
          manager
            .states()
            .some(({ progress }) =>
              /ERR_OWN_SELECTION: .* labels app=x/.test(JSON.stringify(progress)),
            ),
        );
        assert.equal(await client.find(Part, part), undefined);
        await client.patch(Box, box, merge({ spec: { label: "x" } }));
        await until(() => client.find(Part, part));
        await client.patch(
          Box,
          box,
          merge({ metadata: { annotations: { "homeostat.dev/paused": "" } } }),
        );
        await client.patch(Part, part, merge({ metadata: { labels: { app: "y" } } }));
        await client.delete(Box, box);
        await client.patch(Box, box, merge({ metadata: { annotations: null } }));
        await until(async () => (await client.find(Box, box)) === undefined);
        assert.equal(await client.find(Part, part), undefined);
      },
      { namespace: undefined, cache: { kinds: [[Part, { labelSelector: "app=x" }]] } },
    );
  });

  it("never takes the child of another owner, and gives no finalizer without need", async () => {
    const runs: string[] = [];
    await run(
      [scattering(runs)],
      async (client, manager) => {
        const elsewhere = await createNamespace(client);
        await client.create(Box, Box("first", { label: "child", parts: [elsewhere] }));
        await until(() => client.find(Part, { name: "child", namespace: elsewhere }));
        await client.create(Box, Box("second", { label: "child", parts: [elsewhere] }));
        await client.create(Box, Box("plain", { parts: [client.namespace!] }));
        const state = await until(() =>
          manager
            .states()
            .find(({ key, progress }) => key.endsWith("/second") && progress.at === "retrying"),
        );
        assert.match(
          JSON.stringify(state.progress),
          /ERR_OWN_FOREIGN: .*belongs to Box.laws.example.com .*\/first/,
        );
        await until(() => runs.includes("plain"));
        await client.delete(Box, "second");
        await until(async () => (await client.find(Box, "second")) === undefined);
        const child = await client.get(Part, { name: "child", namespace: elsewhere });
        assert.equal(child.spec.of, "first");
        const plain = await client.get(Box, "plain");
        assert.equal(plain.metadata.finalizers, undefined);
        await client.delete(Box, "first");
        await until(async () => (await client.find(Box, "first")) === undefined);
      },
      all,
    );
  });

  it("a cluster-scoped owner owns in many namespaces, by owner references", async () => {
    const client = await open();
    await installDefinitions(client, [Depot, Badge]);
    const depots = defineController(Depot, {
      owns: [Part],
      async reconcile({ object, own }) {
        const { name } = object.metadata;
        await own(
          Part,
          object.spec.namespaces.map((namespace) => Part({ name, namespace }, { of: name })),
        );
      },
    });
    await run(
      [depots],
      async () => {
        const name = `depot-${client.namespace}`;
        const [a, b] = [client.namespace!, await createNamespace(client)];
        await client.create(Depot, Depot(name, { namespaces: [a, b] }));
        const find = (namespace: string) => client.find(Part, { name, namespace });
        const [one, two] = await until(async () => {
          const found = [await find(a), await find(b)] as const;
          return found[0] && found[1] && found;
        });
        assert.equal(one!.metadata.ownerReferences?.[0]?.kind, "Depot");
        assert.equal(two!.metadata.ownerReferences?.[0]?.kind, "Depot");
        await client.delete(Part, { name, namespace: b });
        await until(() => find(b));
        await client.patch(Depot, name, merge({ spec: { namespaces: [b] } }));
        await until(async () => (await find(a)) === undefined);
        assert.equal((await client.get(Depot, name)).metadata.finalizers, undefined);
      },
      all,
    );
  });

  it("a namespaced owner owns cluster-scoped children, and finalize runs before they go", async () => {
    const client = await open();
    await installDefinitions(client, [Depot, Badge]);
    const nameOf = (namespace: string | undefined) => `badge-${namespace}`;
    const finalized: boolean[] = [];
    const boxes = defineController(Box, {
      owns: [Badge],
      async reconcile({ object, own }) {
        const badge = Badge(nameOf(object.metadata.namespace), { of: object.metadata.name });
        await own(Badge, [badge], { set: "badges" });
      },
      async finalize({ object, client: reader }) {
        const badge = await reader.get(Badge, nameOf(object.metadata.namespace));
        finalized.push(badge !== undefined);
      },
    });
    await run(
      [boxes],
      async (user) => {
        const name = nameOf(user.namespace);
        await user.create(Box, Box("box", {}));
        await until(() => user.find(Badge, name));
        await user.delete(Badge, name);
        await until(() => user.find(Badge, name));
        await user.delete(Box, "box");
        await until(async () => (await user.find(Box, "box")) === undefined);
        assert.equal(await user.find(Badge, name), undefined);
        assert.deepEqual(finalized, [true]);
      },
      all,
    );
  });
});
