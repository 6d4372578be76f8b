// Sets of owned objects: members are told apart by namespace and name, move between sets, and are
// waited for in finalize.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import {
  createManager,
  defineController,
  defineResource,
  installDefinitions,
  silentLog,
} from "homeostat";
import type { Client } from "homeostat/client";
import { Namespace, Secret } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { Box, describeLaws, lawsApi, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** A cluster-scoped owner of parts; each is `namespace/name`. */
const Depot = defineResource({
  ...lawsApi,
  kind: "Depot",
  scope: "Cluster",
  spec: z.object({ parts: z.array(z.string()) }),
});
const depots = defineController(Depot, {
  owns: [Part],
  async reconcile({ object, own }) {
    await own(
      Part,
      object.spec.parts.map((part) => {
        const [namespace, name] = part.split("/") as [string, string];
        return Part({ namespace, name }, { of: object.metadata.name });
      }),
    );
  },
});

describeLaws("sets of owned objects", ({ client: openClient, run }) => {
  before(async () => installDefinitions(await openClient(), [Depot]));

  it("leave out what is not wanted: it is deleted, and the others come back in order", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object: { spec }, own, status }) {
        const has = (name: string) => spec.parts.includes(name);
        const made = await own(Part, [
          has("z") && Part("z", { of: "b" }),
          has("m") ? Part("m", { of: "b" }) : undefined,
          has("k") ? Part("k", { of: "b" }) : null,
          Part("a", { of: "b" }),
        ]);
        status({ seen: made.map(({ metadata }) => metadata.name) });
      },
    });
    await run([controller], async (client) => {
      const makes = async (...parts: readonly string[]) => {
        await client.patch(Box, "b", { type: "merge", body: { spec: { parts } } });
        const expected = [...parts, "a"];
        await until(
          async () => (await client.get(Box, "b")).status?.seen?.join() === `${expected}`,
        );
        await until(async () => {
          const { items } = await client.listPage(Part);
          return `${items.map(({ metadata }) => metadata.name)}` === `${expected.toSorted()}`;
        });
      };
      await client.create(Box, Box("b", { parts: [] }));
      await makes("z", "m", "k");
      await makes("m");
      await makes();
    });
  });

  it("refuse what is no object", async () => {
    const errors: unknown[] = [];
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ own }) {
        await own(Part, ["" as never]).catch((error: unknown) => errors.push(error));
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("b", {}));
      await until(() => errors.length > 0);
      assert.ok(errors[0] instanceof Error);
    });
  });

  const partsOf = async (client: Client, owner: string) =>
    (await client.list(Part)).items
      .filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === owner)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      .toSorted();

  it("a cluster-scoped owner has children of one name in two namespaces, and moves one", async () => {
    await run(
      [depots],
      async (client) => {
        const other = await client.create(Namespace, { metadata: { generateName: "test-" } });
        const third = await client.create(Namespace, { metadata: { generateName: "test-" } });
        const [a, b, c] = [client.namespace, other.metadata.name, third.metadata.name].map(
          (namespace) => `${namespace}/p`,
        ) as [string, string, string];
        const name = `depot-${client.namespace}`;
        await client.create(Depot, Depot(name, { parts: [a, b] }));
        await until(async () => (await partsOf(client, name)).join() === [a, b].toSorted().join());
        await client.patch(Depot, name, { type: "merge", body: { spec: { parts: [a, c] } } });
        await until(async () => (await partsOf(client, name)).join() === [a, c].toSorted().join());
        await client.delete(Depot, name);
        for (const namespace of [other, third])
          await client.delete(Namespace, namespace.metadata.name);
      },
      { namespace: undefined as never },
    );
  });

  it("refuses a child outside the manager's namespace", async () => {
    await run([depots], async (client, manager) => {
      const name = `depot-${client.namespace}`;
      await client.create(Depot, Depot(name, { parts: ["default/p"] }));
      const state = await until(() =>
        manager.states().find((one) => one.key === name && one.progress.at === "retrying"),
      );
      assert.match(
        JSON.stringify(state.progress),
        /ERR_OWN_NAMESPACE: .*is in default, but this manager watches namespace/,
      );
      assert.equal(await client.find(Part, { namespace: "default", name: "p" }), undefined);
      await client.delete(Depot, name);
    });
  });

  for (const [title, sets] of [
    ["the old set is called first", ["a", "b"]],
    ["the new set is called first", ["b", "a"]],
    ["from the unnamed set to a named one", [undefined, "b"]],
    ["from a named set to the unnamed one", ["a", undefined]],
  ] as const)
    it(`a child that moves between sets lives on, and then belongs to one: ${title}`, async () => {
      const controller = defineController(Box, {
        owns: [Part],
        async reconcile({ object, own }) {
          const from = sets[0] === "b" ? sets[1] : sets[0];
          for (const set of sets) {
            const place = set === from ? "from" : "to";
            const names = place === object.spec.label ? ["moving"] : [];
            const parts = [...names, `stays-${place}`].map((name) => Part(name, { of: place }));
            await own(Part, parts, set === undefined ? {} : { set });
          }
        },
      });
      await run([controller], async (client, manager) => {
        const labelled = (label: string) =>
          client.patch(Box, "mover", { type: "merge", body: { spec: { label } } });
        await client.create(Box, Box("mover", { label: "from" }));
        const { uid } = (await until(() => client.find(Part, "moving"))).metadata;
        await labelled("to");
        await until(async () => (await client.find(Part, "moving"))?.spec.of === "to");
        await until(() => manager.isIdle());
        const moved = await client.get(Part, "moving");
        assert.equal(moved.metadata.uid, uid);
        const { managedFields } = moved.metadata as { managedFields?: readonly object[] };
        assert.equal(managedFields?.length, 1, JSON.stringify(managedFields));
        await labelled("nowhere");
        await until(async () => (await client.find(Part, "moving")) === undefined);
        assert.ok((await client.find(Part, "stays-from")) && (await client.find(Part, "stays-to")));
      });
    });

  it("a child that moves in the first reconcile of a process lives on", async () => {
    const controller = (sets: readonly (readonly [string | undefined, readonly string[]])[]) =>
      defineController(Box, {
        owns: [Part],
        async reconcile({ own, status }) {
          for (const [set, names] of sets)
            await own(
              Part,
              names.map((name) => Part(name, { of: set ?? "unnamed" })),
              set === undefined ? {} : { set },
            );
          status({ count: sets.length });
        },
      });
    const client = await openClient();
    const during = async (one: ReturnType<typeof controller>, count: number) => {
      const options = { operator: "laws", client, namespace: client.namespace, log: silentLog };
      const manager = createManager({ ...options, controllers: [one] });
      await manager.start();
      await until(async () => (await client.get(Box, "upgraded")).status?.count === count);
      await manager.stop();
    };
    await client.create(Box, Box("upgraded", {}));
    await during(controller([[undefined, ["x", "y"]]]), 1);
    const { uid } = (await client.get(Part, "x")).metadata;
    const moved = controller([
      [undefined, ["y"]],
      ["named", ["x"]],
    ]);
    await during(moved, 2);
    const part = await client.get(Part, "x");
    assert.deepEqual([part.metadata.uid, part.spec.of], [uid, "named"]);
  });

  it("a failed reconcile with several sets deletes nothing", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own }) {
        const { label } = object.spec;
        await own(Part, label === undefined ? [Part("kept", { of: "a" })] : [], { set: "a" });
        if (label === "fail") throw new Error("before the other set");
        await own(Part, label === "ok" ? [Part("kept", { of: "b" })] : [], { set: "b" });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("careful", {}));
      const { uid } = (await until(() => client.find(Part, "kept"))).metadata;
      const label = (value: string) =>
        client.patch(Box, "careful", { type: "merge", body: { spec: { label: value } } });
      await label("fail");
      await until(() => manager.states().some(({ progress }) => progress.at === "retrying"));
      assert.equal((await client.get(Part, "kept")).metadata.uid, uid);
      await label("ok");
      await until(async () => (await client.get(Part, "kept")).spec.of === "b");
      assert.equal((await client.get(Part, "kept")).metadata.uid, uid);
    });
  });

  it("own(kind, []) in finalize waits until the children are gone, and holds no worker", async () => {
    let after = 0;
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own, status }) {
        if (object.metadata.name === "parent")
          await own(Part, [
            Part({ name: "child", finalizers: ["example.com/slow"] } as never, { of: "x" }),
          ]);
        status({ count: 1 });
      },
      async finalize({ own, retry }) {
        const again = retry.in("10ms");
        await own(Part, []);
        after++;
        return after === 1 ? again : undefined;
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("parent", {}));
      await until(() => client.find(Part, "child"));
      await client.delete(Box, "parent");
      await until(() =>
        manager
          .states()
          .some(
            ({ progress }) =>
              progress.at === "waiting" && progress.what === "Part child to be gone",
          ),
      );
      assert.deepEqual(manager.breaches(), [], "what it would have returned is not dropped");
      await client.create(Box, Box("other", {}));
      await until(async () => (await client.get(Box, "other")).status?.count === 1);
      assert.equal(after, 0);
      assert.ok(await client.find(Box, "parent"));
      await client.patch(Part, "child", {
        type: "merge",
        body: { metadata: { finalizers: null } },
      });
      await until(async () => (await client.find(Box, "parent")) === undefined);
      assert.equal(after, 2);
    });
  });

  it("finalize cannot release the object by ignoring the wait", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ own }) {
        await own(Part, [
          Part({ name: "heir", finalizers: ["example.com/slow"] } as never, { of: "x" }),
        ]);
      },
      async finalize({ own }) {
        await own(Part, []).catch(() => {});
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("hasty", {}));
      await until(() => client.find(Part, "heir"));
      await client.delete(Box, "hasty");
      await until(() => manager.states().some(({ progress }) => progress.at === "waiting"));
      await sleep(50);
      assert.ok(await client.find(Box, "hasty"));
      await client.patch(Part, "heir", { type: "merge", body: { metadata: { finalizers: null } } });
      await until(async () => (await client.find(Box, "hasty")) === undefined);
    });
  });

  it("an undeclared kind is refused before anything is read", async () => {
    const controller = defineController(Box, {
      owns: [Part] as never,
      async reconcile({
        own,
      }: {
        own: (kind: unknown, desired: readonly never[]) => Promise<unknown>;
      }) {
        await own(Secret, []);
      },
    } as never);
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("undeclared", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(JSON.stringify(state.progress), /ERR_UNDECLARED: .*owning Secret/);
      assert.deepEqual(
        manager.freshness().map(({ kind }) => kind.kind),
        ["Box", "Part"],
      );
    });
  });
});
