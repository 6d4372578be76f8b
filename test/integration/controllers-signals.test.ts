// Signals between controllers: who sets, who clears, and by when.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  all,
  createManager,
  defineController,
  defineSignal,
  type Signal,
  silentLog,
} from "homeostat";
import type { Client } from "homeostat/client";
import { Event } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const by = { setBy: ["filler"], clearedBy: ["emptier"] };
const carriers = {
  annotation: { annotation: "laws.example.com/full" },
  label: { label: "laws.example.com/full" },
  finalizer: { finalizer: "laws.example.com/full" },
} as const;
const checked = defineSignal({
  name: "checked",
  on: Box,
  carrier: { condition: "Checked" },
  ...by,
});

/** One controller of parts that sets a signal on boxes, and one of boxes that clears it. */
const pair = (signal: Signal<typeof Box>) => [
  defineController(Part, {
    name: "filler",
    watches: { boxes: all(Box) },
    signals: [signal],
    async reconcile(context) {
      for (const box of context.watches.boxes)
        if (box.spec.label === "fill") await signal.set(context, box);
    },
  }),
  defineController(Box, {
    name: "emptier",
    signals: [signal],
    async reconcile(context) {
      const { object, status } = context;
      status({ note: signal.isSet(object) ? `set ${signal.valueOf(object)}` : "clear" });
      if (object.spec.label === "empty") await signal.clear(context, object);
    },
  }),
];
const relabel = (client: Client, name: string, label: string) =>
  client.patch(Box, name, { type: "merge", body: { spec: { label } } });
const note = async (client: Client, name: string) => (await client.get(Box, name)).status?.note;

async function aboutBoxes(client: Client, reason: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace: client.namespace });
  return items.filter((one) => one.reason === reason).map(({ message }) => message ?? "");
}

describeLaws("signals", ({ run, client: open }) => {
  for (const [what, carrier] of Object.entries(carriers))
    it(`are set, read and cleared as ${what}`, async () => {
      const signal = defineSignal({ name: "full", on: Box, carrier, ...by });
      await run(
        pair(signal),
        async (client, manager) => {
          await client.create(Part, Part("p", { of: "a" }));
          await client.create(Box, Box("a", {}));
          await until(async () => (await note(client, "a")) === "clear");
          await relabel(client, "a", "fill");
          const value = what === "finalizer" ? "" : "true";
          await until(async () => (await note(client, "a")) === `set ${value}`);
          const { metadata } = await client.get(Box, "a");
          const { annotations, labels, finalizers = [] } = metadata;
          const [key] = Object.values(carrier) as [string];
          const found = { annotation: annotations?.[key], label: labels?.[key] };
          assert.equal(
            { ...found, finalizer: finalizers[0] === key ? "" : undefined }[what],
            value,
          );
          await until(() => manager.isIdle());
          const idle = await client.get(Box, "a");
          await relabel(client, "a", "empty");
          await until(async () => (await note(client, "a")) === "clear");
          assert.notEqual(idle.metadata.resourceVersion, "");
          assert.deepEqual(manager.breaches(), [], "what it declares it may read");
        },
        { reports: { metadata: true } },
      );
    });

  it("are set and cleared as a condition of the reconciled object", async () => {
    const controller = defineController(Box, {
      name: "filler",
      signals: [checked],
      async reconcile(context) {
        await checked.set(context, context.object, "by hand");
        await checked.set(context, context.object, "by hand");
      },
    });
    const emptier = defineController(Box, {
      name: "emptier",
      signals: [checked],
      async reconcile(context) {
        if (context.object.spec.label === "empty") await checked.clear(context, context.object);
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("a", {}));
      await until(async () => checked.isSet(await client.get(Box, "a")));
      const { status } = await client.get(Box, "a");
      const [condition] = status?.conditions ?? [];
      assert.deepEqual([condition?.reason, condition?.message], ["Set", "by hand"]);
      await client.create(Box, Box("b", { label: "empty" }));
      await until(async () => checked.isSet(await client.get(Box, "b")));
    });
    await run([emptier], async (client) => {
      const at = await client.create(Box, Box("b", { label: "empty" }));
      const now = new Date().toISOString();
      const set = { type: "Checked", status: "True", reason: "Set", message: "" } as const;
      const conditions = [{ ...set, lastTransitionTime: now }];
      await client.patch(
        Box,
        "b",
        { type: "merge", body: { metadata: { uid: at.metadata.uid }, status: { conditions } } },
        { subresource: "status" },
      );
      await until(
        async () =>
          (await client.get(Box, "b")).status?.conditions?.some(
            ({ type, status }) => type === "Checked" && status === "False",
          ) === true,
      );
    });
  });

  it("refuse controllers that neither set nor clear them, however they write", async () => {
    const full = defineSignal({ name: "full", on: Box, carrier: carriers.annotation, ...by });
    const key = carriers.annotation.annotation;
    const marked = defineSignal({ name: "marked", on: Part, carrier: carriers.annotation, ...by });
    const seen: Record<string, string> = {};
    const intruder = defineController(Box, {
      name: "intruder",
      owns: [Part],
      signals: [full, checked, marked],
      async reconcile(context) {
        const { client, object, condition, own, cache } = context;
        const held = cache.get(Box, "held")!;
        const { name } = object.metadata;
        const mark = (value: string | null) => ({ metadata: { annotations: { [key]: value } } });
        const annotations = { [key]: "x" };
        const tries: Record<string, () => unknown> = {
          set: () => full.set(context, object, "x"),
          patch: () => client.patch(Box, name, mark("x")),
          apply: () => client.apply(Box, Box({ name, annotations }, {})),
          create: () => client.create(Box, Box({ name: "c", annotations }, {})),
          upsert: () => client.upsert(Box, name, () => Box({ name, annotations }, {})),
          update: () =>
            client.update(Box, { ...object, metadata: { ...object.metadata, annotations } }),
          condition: () => condition("Checked", "True", "Set"),
          plain: () => client.patch(Box, name, { metadata: { annotations: { other: "x" } } }),
          unset: () => client.patch(Box, name, mark(null)),
          unchecked: () => condition("Checked", "False", "Cleared"),
          copy: () => client.update(Box, held),
          keep: () => client.upsert(Box, "held", (now) => ({ ...now!, spec: { label: "kept" } })),
          drop: () => client.upsert(Box, "held", () => Box({ name: "held", annotations: {} }, {})),
          own: () => own(Part, [Part({ name: "p", annotations }, { of: name })]),
        };
        if (name !== "a" || Object.keys(seen).length > 0) return;
        for (const [what, attempt] of Object.entries(tries))
          try {
            await attempt();
            seen[what] = "sent";
          } catch (error) {
            seen[what] = (error as Error).message;
          }
      },
    });
    await run([intruder], async (client) => {
      await client.create(Box, Box({ name: "held", annotations: { [key]: "y" } }, {}));
      await client.create(Box, Box("a", {}));
      await until(() => Object.keys(seen).length === 14);
      const { plain, unset, unchecked, copy, keep, drop, own, condition, ...refused } = seen;
      for (const sent of [plain, unset, unchecked, copy, keep]) assert.equal(sent, "sent");
      assert.match(drop!, /"intruder" clears the signal full .* of Box .*\/held, which only "emp/);
      assert.match(own!, /"intruder" sets the signal marked .* of Part .*\/p, which only "filler"/);
      assert.match(
        condition!,
        /^ERR_SIGNAL_WRITER: "intruder" sets the signal checked \(condition Checked\) of Box/,
      );
      const title = (name: string): string =>
        `ERR_SIGNAL_WRITER: "intruder" sets the signal full (annotation ${key}) of Box ${client.namespace}/${name}, which only "filler" sets`;
      for (const [what, message] of Object.entries(refused))
        assert.equal(message, title(what === "create" ? "c" : "a"), what);
      assert.equal((await client.get(Box, "a")).metadata.annotations?.[key], undefined);
    });
  });

  it("refuse a clearing by another than those that clear them", async () => {
    const full = defineSignal({ name: "full", on: Box, carrier: carriers.annotation, ...by });
    const seen: string[] = [];
    const filler = defineController(Box, {
      name: "filler",
      signals: [full],
      async reconcile(context) {
        await full
          .set(context, context.object, "x")
          .catch((error: Error) => seen.push(error.message));
        await full.clear(context, context.object).catch((error: Error) => seen.push(error.message));
      },
    });
    await run([filler], async (client) => {
      await client.create(Box, Box("a", {}));
      await until(() => seen.length > 0);
      assert.match(seen[0]!, /"filler" clears the signal full .*, which only "emptier" clears$/);
      assert.ok(full.isSet(await client.get(Box, "a")));
    });
  });

  it("are reported once when their time has passed, until they are cleared", async () => {
    const limited = { ...by, within: "1500ms" };
    const full = defineSignal({ name: "full", on: Box, carrier: carriers.annotation, ...limited });
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    const overdue = () => warnings.filter((line) => line.startsWith("ERR_SIGNAL_OVERDUE"));
    const filler = defineController(Box, {
      name: "filler",
      signals: [full],
      async reconcile(context) {
        if (context.object.spec.label === "fill") await full.set(context, context.object);
      },
    });
    const emptier = defineController(Box, {
      name: "emptier",
      signals: [full],
      async reconcile(context) {
        if (context.object.spec.label === "empty") await full.clear(context, context.object);
      },
    });
    await run(
      [filler, emptier],
      async (client) => {
        const stalled = async (name: string) =>
          (await client.get(Box, name)).status?.conditions?.find(
            ({ type, status }) => (type as string) === "Stalled" && status === "True",
          );
        await client.create(Box, Box("late", { label: "fill" }));
        await client.create(Box, Box("early", { label: "fill" }));
        await until(async () => full.isSet(await client.get(Box, "early")));
        await relabel(client, "early", "empty");
        await until(() => overdue().length > 0, { timeoutMs: 5000 });
        const said =
          /the signal full \(annotation .*\) of Box .*\/late was to be cleared by .*Z, and "emptier" has not cleared it$/;
        assert.match(overdue()[0]!, said);
        await until(async () => (await aboutBoxes(client, "SignalOverdue")).length > 0);
        assert.match((await aboutBoxes(client, "SignalOverdue"))[0]!, said);
        await until(async () => (await stalled("late"))?.reason === "SignalOverdue");
        await client.patch(Box, "late", { type: "merge", body: { spec: { parts: ["x"] } } });
        await until(async () => {
          const { metadata, status } = await client.get(Box, "late");
          return status?.observedGeneration === metadata.generation;
        });
        assert.match((await stalled("late"))?.message ?? "", said, "it stays");
        await relabel(client, "late", "empty");
        await until(async () => (await stalled("late")) === undefined);
        assert.equal(overdue().length, 1);
        assert.equal(await stalled("early"), undefined);
      },
      { log },
    );
  });

  it("count their time from the setting, also by another operator and before the start", async () => {
    const limited = { ...by, within: "4s" };
    const full = defineSignal({ name: "full", on: Box, carrier: carriers.annotation, ...limited });
    const { annotation } = carriers.annotation;
    const client = await open();
    const manifest = Box({ name: "a", annotations: { [annotation]: "true" } }, {});
    await client.apply(Box, manifest, { fieldManager: "other/filler/signal.full" });
    await sleep(3500);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    const emptier = defineController(Box, { name: "emptier", signals: [full], reconcile() {} });
    const { namespace } = client;
    const controllers = [emptier];
    const manager = createManager({ operator: "laws", controllers, client, namespace, log });
    await manager.start();
    try {
      const isOverdue = () => warnings.some((line) => line.startsWith("ERR_SIGNAL_OVERDUE"));
      await until(isOverdue, { timeoutMs: 2500 });
    } finally {
      await manager.stop();
    }
  });
});
