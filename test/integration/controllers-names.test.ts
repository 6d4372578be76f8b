// The names that a controller leaves in objects: unique, stable, and set by hand for a migration.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createManager, defineController, type Manager, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const formerFinalizer = "laws.example.com/box";

describeLaws("names", ({ client: openClient, run }) => {
  const finalizersOf = async (client: Client, name: string) =>
    (await client.find(Box, name))?.metadata.finalizers ?? [];
  const addFormer = (client: Client, name: string, fieldManager: string) =>
    client.patch(
      Box,
      name,
      { type: "merge", body: { metadata: { finalizers: [formerFinalizer] } } },
      { fieldManager },
    );

  it("two operators with a controller of one name both clean up", async () => {
    const client = await openClient();
    const cleaned: string[] = [];
    const start = async (operator: string): Promise<Manager> => {
      const controller = defineController(Box, {
        async reconcile() {},
        async finalize({ object }) {
          assert.equal(object.metadata.name, "shared");
          cleaned.push(operator);
        },
      });
      const manager = createManager({
        operator,
        controllers: [controller],
        client,
        namespace: client.namespace,
        log: silentLog,
      });
      await manager.start();
      return manager;
    };
    const managers = [await start("first"), await start("second")];
    await client.create(Box, Box("shared", {}));
    await until(async () => (await finalizersOf(client, "shared")).length === 2);
    assert.deepEqual((await finalizersOf(client, "shared")).toSorted(), [
      "laws.example.com/first.box",
      "laws.example.com/second.box",
    ]);
    await client.delete(Box, "shared");
    await until(async () => (await client.find(Box, "shared")) === undefined);
    for (const manager of managers) await manager.stop();
    assert.deepEqual(cleaned.toSorted(), ["first", "second"]);
  });

  it("sets manager and finalizer by hand", async () => {
    const controller = defineController(Box, {
      fieldManager: "old-operator",
      finalizer: "old.example.com/clean-up",
      async reconcile({ object, status }) {
        if (object.spec.label === undefined) status({ count: 1 });
        else status({ note: object.spec.label });
      },
      async finalize() {},
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("moved", {}));
      const box = await until(async () => {
        const one = await client.get(Box, "moved");
        return one.status?.count === 1 ? one : undefined;
      });
      assert.deepEqual(box.metadata.finalizers, ["old.example.com/clean-up"]);
      const { managedFields } = box.metadata as { managedFields?: readonly { manager: string }[] };
      assert.ok(managedFields?.some(({ manager }) => manager === "old-operator"));
      assert.ok(!managedFields?.some(({ manager }) => manager === "laws/box"));
      await client.patch(Box, "moved", { type: "merge", body: { spec: { label: "x" } } });
      await until(async () => (await client.get(Box, "moved")).status.note === "x");
      assert.equal((await client.get(Box, "moved")).status.count, 1, "its own entry is kept");
      await client.delete(Box, "moved");
      await until(async () => (await client.find(Box, "moved")) === undefined);
    });
  });

  it("replaces its finalizer of an earlier release, and releases objects that carry it", async () => {
    const client = await openClient();
    for (const name of ["alive", "leaving"]) {
      await client.create(Box, Box(name, {}));
      await addFormer(client, name, "laws/box");
    }
    await client.delete(Box, "leaving");
    const cleaned: string[] = [];
    const controller = defineController(Box, {
      async reconcile() {},
      async finalize({ object }) {
        cleaned.push(object.metadata.name);
      },
    });
    const manager = createManager({
      operator: "laws",
      controllers: [controller],
      client,
      namespace: client.namespace,
      log: silentLog,
    });
    await manager.start();
    await until(
      async () => (await finalizersOf(client, "alive")).join() === "laws.example.com/laws.box",
    );
    await until(async () => (await client.find(Box, "leaving")) === undefined);
    assert.deepEqual(cleaned, ["leaving"]);
    await manager.stop();
  });

  it("leaves a finalizer of that form alone when another writer set it", async () => {
    const controller = defineController(Box, {
      async reconcile() {},
      async finalize() {},
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("foreign", {}));
      await until(async () => (await finalizersOf(client, "foreign")).length === 1);
      await client.patch(
        Box,
        "foreign",
        {
          type: "merge",
          body: { metadata: { finalizers: ["laws.example.com/laws.box", formerFinalizer] } },
        },
        { fieldManager: "somebody-else" },
      );
      await client.delete(Box, "foreign");
      await until(async () => (await finalizersOf(client, "foreign")).join() === formerFinalizer);
      await client.patch(Box, "foreign", {
        type: "merge",
        body: { metadata: { finalizers: null } },
      });
    });
  });

  it("refuses names that objects cannot carry", async () => {
    const client = await openClient();
    const create = (operator: string, names: object) =>
      createManager({
        operator,
        controllers: [defineController(Box, { ...names, async reconcile() {} })],
        client,
      });
    for (const [operator, names] of [
      ["Laws", {}],
      ["laws", { name: "a.b" }],
      ["laws", { name: "a".repeat(60) }],
      ["laws", { fieldManager: "a".repeat(129) }],
      ["laws", { fieldManager: "a\nb" }],
      ["laws", { finalizer: "unqualified" }],
      ["laws", { finalizer: "example.com/-x" }],
    ] as const)
      assert.throws(() => create(operator, names), /ERR_CONTROLLER_NAME/, JSON.stringify(names));
    create("laws.example.com", { name: "a".repeat(46) });
  });
});
