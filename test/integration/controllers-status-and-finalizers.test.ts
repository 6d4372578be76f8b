// The status and the finalizer of a reconciled object: applies are complete and resurrect nothing,
// and the finalizer stays until finalize has returned.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, terminal } from "homeostat";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("status and finalizers", ({ run }) => {
  it("writes the whole status: keeps fields that it omits, clears undefined ones, leaves others' fields", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status, condition }) {
        if (object.spec.label === "first") status({ count: 1, note: "x" });
        if (object.spec.label === "second") status({ note: undefined });
        condition("Ready", object.spec.label === "second" ? "True" : "False", "Test");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("words", { label: "first" }));
      await until(async () => (await client.get(Box, "words")).status?.note === "x");
      await client
        .patch(
          Box,
          "words",
          { type: "merge", body: { status: { seen: ["somebody else"], conditions: [] } } },
          { subresource: "status" },
        )
        .catch(() => {});
      await client.apply(
        Box,
        {
          apiVersion: Box.apiVersion,
          kind: "Box",
          metadata: { name: "words" },
          status: {
            seen: ["somebody else"],
            conditions: [
              {
                type: "Checked",
                status: "True",
                reason: "Other",
                message: "",
                lastTransitionTime: "2026-01-01T00:00:00Z",
              },
            ],
          },
        },
        { subresource: "status", fieldManager: "somebody-else", force: true },
      );
      await client.patch(Box, "words", { type: "merge", body: { spec: { label: "second" } } });
      const box = await until(async () => {
        const one = await client.get(Box, "words");
        return one.status.note === undefined &&
          one.status.conditions?.some(
            (condition) => condition.type === "Ready" && condition.status === "True",
          )
          ? one
          : undefined;
      });
      assert.deepEqual([box.status.count, box.status.seen], [1, ["somebody else"]]);
      assert.deepEqual(box.status.conditions?.map((one) => one.type).toSorted(), [
        "Checked",
        "Ready",
      ]);
      const ready = box.status.conditions?.find((one) => one.type === "Ready");
      assert.equal(ready?.observedGeneration, box.metadata.generation);
    });
  });

  it("cannot recreate an object that is deleted while it is reconciled", async () => {
    let entered = (): void => {};
    let leave = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const gone = new Promise<void>((resolve) => (leave = resolve));
    const controller = defineController(Box, {
      async reconcile({ status }) {
        entered();
        await gone;
        status({ count: 1 });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("ghost", {}));
      await inside;
      await client.delete(Box, "ghost");
      leave();
      await sleep(50);
      await until(() => manager.isIdle());
      assert.equal(await client.find(Box, "ghost"), undefined);
    });
  });

  it("writes the status set before an error, and clears a map that loses its last key", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status, condition }) {
        if (object.spec.label === "bad") {
          condition("Ready", "False", "BadSpec");
          throw terminal("bad");
        }
        status({ tags: object.spec.label === "full" ? { a: "1" } : {} });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("said", { label: "bad" }));
      await until(
        async () => (await client.get(Box, "said")).status?.conditions?.[0]?.reason === "BadSpec",
      );
      await client.patch(Box, "said", { type: "merge", body: { spec: { label: "full" } } });
      await until(async () => (await client.get(Box, "said")).status.tags?.["a"] === "1");
      await client.patch(Box, "said", { type: "merge", body: { spec: { label: "none" } } });
      await until(async () => (await client.get(Box, "said")).status.tags?.["a"] === undefined);
    });
  });

  it("releases the object although finalize sets a status that changes each time", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile() {},
      async finalize({ status }) {
        status({ count: ++runs });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("changing", {}));
      await until(async () => (await client.get(Box, "changing")).metadata.finalizers?.length);
      await client.patch(Box, "changing", {
        type: "merge",
        body: { metadata: { labels: { touched: "yes" } } },
      });
      await client.delete(Box, "changing");
      await until(async () => (await client.find(Box, "changing")) === undefined);
      assert.equal(runs, 1);
    });
  });

  it("removes its finalizer without another run when another writer comes between", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile() {},
      async finalize({ object, client }) {
        runs++;
        const { finalizers = [] } = object.metadata;
        await client.patch(Box, object.metadata.name, {
          metadata: { labels: { n: String(runs) }, finalizers: finalizers.toReversed() },
        });
      },
    });
    await run([controller], async (client) => {
      const finalizers = ["example.com/other"];
      await client.create(Box, Box({ name: "between", finalizers } as never, {}));
      await until(async () => (await client.get(Box, "between")).metadata.finalizers?.length === 2);
      await client.delete(Box, "between");
      await until(
        async () =>
          (await client.get(Box, "between")).metadata.finalizers?.join() === "example.com/other",
      );
      assert.equal(runs, 1);
      await client.patch(Box, "between", {
        type: "merge",
        body: { metadata: { finalizers: null } },
      });
    });
  });

  it("observedGeneration never goes back when two controllers set the status", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = defineController(Box, {
      name: "slow",
      async reconcile({ object, status }) {
        if (object.metadata.generation === 1) await held;
        status({ note: `slow ${object.metadata.generation}` });
      },
    });
    const quick = defineController(Box, {
      name: "quick",
      async reconcile({ object, status }) {
        status({ count: object.metadata.generation });
      },
    });
    const seen: number[] = [];
    await run([slow, quick], async (client) => {
      await client.create(Box, Box("two", {}));
      await until(async () => (await client.get(Box, "two")).status?.count === 1);
      await client.patch(Box, "two", { type: "merge", body: { spec: { label: "x" } } });
      await until(async () => (await client.get(Box, "two")).status.observedGeneration === 2);
      const stop = new AbortController();
      const watching = (async () => {
        const { namespace, signal } = { namespace: client.namespace, signal: stop.signal };
        for await (const { object } of client.watch(Box, { namespace, signal }))
          seen.push(object.status?.observedGeneration ?? 0);
      })().catch(() => {});
      release();
      await until(async () => (await client.get(Box, "two")).status.note === "slow 2");
      await sleep(30);
      stop.abort();
      await watching;
      assert.deepEqual([...new Set(seen)], [2]);
    });
  });

  it("keeps the finalizer while finalize throws, and releases the object when it returns", async () => {
    let broken = true;
    let calls = 0;
    const controller = defineController(Box, {
      async reconcile({ status }) {
        status({ count: 1 });
      },
      async finalize() {
        calls++;
        if (broken) throw new Error("the bucket is not empty");
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("last", {}));
      const box = await until(async () => {
        const one = await client.get(Box, "last");
        return one.status?.count === 1 ? one : undefined;
      });
      assert.deepEqual(box.metadata.finalizers, ["laws.example.com/laws.box"]);
      await client.delete(Box, "last");
      await until(() => calls > 2);
      assert.ok(await client.find(Box, "last"));
      const progress = manager.states().find((one) => one.key.endsWith("/last"))?.progress;
      assert.match(JSON.stringify(progress), /retrying.*the bucket is not empty|running/);
      broken = false;
      await until(async () => (await client.find(Box, "last")) === undefined);
    });
  });
});
