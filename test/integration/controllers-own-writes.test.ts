// What a controller has written itself costs no second reconcile, unless the controller goes on
// from it; what others write always reaches it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, type Manager, ref, terminal } from "homeostat";
import type { Client } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** Resolves once the watch has delivered the newest revision of a box and the manager rests. */
async function settled(client: Client, manager: Manager, name: string): Promise<void> {
  let before = "";
  await until(async () => {
    const { resourceVersion } = (await client.get(Box, name)).metadata;
    await sleep(30);
    const rests = manager.isIdle() && resourceVersion === before;
    before = resourceVersion;
    return rests;
  });
}

const countedTo = (client: Client, name: string, count: number) =>
  until(async () => (await client.get(Box, name)).status?.count === count);

describeLaws("own writes", ({ run }) => {
  it("a status that the reconcile does not read costs one run, and explain says why", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile({ object, status, condition }) {
        runs++;
        condition("Ready", "True", "Counted");
        status({ count: object.spec.parts.length });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("free", { parts: ["a"] }));
      await countedTo(client, "free", 1);
      await settled(client, manager, "free");
      assert.equal(runs, 1);
      const [explained] = manager.explain(Box, `${client.namespace}/free`);
      assert.deepEqual(
        explained!.queue!.ignored.map(({ what, source }) => ({ what, source })),
        [{ what: "Box changed by its own reconcile", source: "itself" }],
      );
      await client.patch(Box, "free", { type: "merge", body: { spec: { parts: ["a", "b"] } } });
      await countedTo(client, "free", 2);
      await settled(client, manager, "free");
      assert.equal(runs, 2, "another client's change runs it once");
    });
  });

  it("the finalizer, owned objects and results of the client cost no further run", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      owns: [Part, ConfigMap],
      async reconcile({ object, own, client, status }) {
        runs++;
        const { name, uid } = object.metadata;
        const parts = object.spec.parts.map((part) => Part(`${name}-${part}`, { of: name }));
        const made = await own(Part, parts);
        const controlled = { apiVersion: Box.apiVersion, kind: "Box", name, uid, controller: true };
        await client.apply(ConfigMap, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name, ownerReferences: [controlled] },
          data: { parts: String(made.length) },
        });
        status({ count: made.length });
      },
      async finalize() {},
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("owner", { parts: ["a", "b", "c"] }));
      await countedTo(client, "owner", 3);
      await settled(client, manager, "owner");
      assert.equal(runs, 1);
      await client.delete(Part, "owner-b");
      await until(() => runs > 1);
      await settled(client, manager, "owner");
      assert.ok((await client.get(Part, "owner-b")).metadata.uid, "it is made again");
    });
  });

  it("a controller goes on from the status it reads", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        const count = object.status.count ?? 0;
        if (count < 7) status({ count: count + 1 });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("steps", {}));
      await countedTo(client, "steps", 7);
    });
  });

  it("a controller goes on from an annotation, and from a status, that its client writes", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, client, status }) {
        const { name, annotations } = object.metadata;
        const step = Number(annotations?.["laws.example.com/step"] ?? 0);
        status({ count: step });
        const next = { annotations: { "laws.example.com/step": String(step + 1) } };
        if (step < 5) await client.patch(Box, name, { metadata: next });
      },
    });
    const reader = defineController(Box, {
      name: "reader",
      async reconcile({ object, client, status }) {
        const { name } = object.metadata;
        const notes = (await client.get(Box, name))?.status.note ?? "";
        if (notes.length < 5) status({ note: `${notes}x` });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("steps", {}));
      await countedTo(client, "steps", 5);
    });
    await run([reader], async (client) => {
      await client.create(Box, Box("steps", {}));
      await until(async () => (await client.get(Box, "steps")).status?.note === "xxxxx");
    });
  });

  it("a controller goes on from the objects that it lists", async () => {
    const grower = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own, client }) {
        const { name, namespace } = object.metadata;
        const there = await client.list(Part, { namespace: namespace! });
        if (there.length < 4)
          await own(
            Part,
            Array.from({ length: there.length + 1 }, (_, i) => Part(`${name}-${i}`, { of: name })),
          );
      },
    });
    await run([grower], async (client) => {
      await client.create(Box, Box("growing", {}));
      const { namespace } = client;
      await until(async () => (await client.list(Part, { namespace })).items.length === 4);
    });
  });

  it("a controller goes on from the objects that it refers to", async () => {
    const controller = defineController(Box, {
      owns: [ConfigMap],
      refs: { friend: ref(ConfigMap, (box) => box.metadata.name) },
      async reconcile({ object, refs: { friend }, own }) {
        const step = Number(friend?.data?.["step"] ?? 0);
        const metadata = { name: object.metadata.name };
        const data = { step: String(Math.min(4, step + 1)) };
        await own(ConfigMap, [{ apiVersion: "v1", kind: "ConfigMap", metadata, data }]);
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("steps", {}));
      await until(async () => (await client.find(ConfigMap, "steps"))?.data?.["step"] === "4");
    });
  });

  it("a change of another writer during the run, before its own write, is not missed", async () => {
    const seen: (string | undefined)[] = [];
    let others: Client | undefined;
    let explain: (() => readonly string[] | undefined) | undefined;
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own, status }) {
        const { label } = object.spec;
        const { name } = object.metadata;
        seen.push(label);
        await own(Part, [Part(`${name}-part`, { of: label ?? "none" })]);
        if (label === undefined) {
          await others!.patch(Box, name, { type: "merge", body: { spec: { label: "new" } } });
          await until(() => explain!()?.includes("Box changed"));
        }
        status({ note: label ?? "none" });
      },
    });
    await run([controller], async (client, manager) => {
      others = client;
      const key = `${client.namespace}/between`;
      explain = () => manager.explain(Box, key)[0]?.queue?.causes.map(({ what }) => what);
      await client.create(Box, Box("between", {}));
      await until(async () => (await client.get(Box, "between")).status?.note === "new");
      await settled(client, manager, "between");
      assert.deepEqual(seen, [undefined, "new"]);
    });
  });

  it("a failed run waits for its back-off, whatever it wrote", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      async reconcile({ object, condition, client }) {
        runs++;
        condition(
          "Ready",
          "False",
          "Failed",
          `attempt ${object.status.conditions?.length} ${runs}`,
        );
        const annotations = { "laws.example.com/attempt": String(runs) };
        await client.patch(Box, object.metadata.name, { metadata: { annotations } });
        throw new Error("not today");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("failing", {}));
      await until(() => runs >= 5);
      await sleep(500);
      assert.ok(runs <= 8, `${runs} runs; back-off from 5 ms, doubling, allows 8 within a second`);
    });
  });

  it("a controller that stalls goes on from the status it reads", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        const count = object.status.count ?? 0;
        if (count < 3) status({ count: count + 1 });
        throw terminal("nothing more to try");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("stalling", {}));
      await countedTo(client, "stalling", 3);
    });
  });
});
