// Watches that begin and end while a controller runs, of kinds that its objects name.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  defineController,
  defineResource,
  installDefinitions,
  type ManagerOptions,
} from "homeostat";
import type { Kind } from "homeostat/api";
import { type Client, dynamicKind } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { createVoice, intercept, recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, lawsApi, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const definitionOf = (kind: string) => defineResource({ ...lawsApi, kind, spec: z.object({}) });
const unstructured = (kind: string): Kind =>
  dynamicKind({
    apiVersion: "laws.example.com/v1",
    kind,
    resource: `${kind.toLowerCase()}s`,
    scope: "Namespaced",
  });

/** Counts the objects of the kind that `spec.label` names; none for a Box without one. */
const counting = (runs: Map<string, number>) =>
  defineController(Box, {
    async reconcile({ object, watch, status }) {
      const { name } = object.metadata;
      runs.set(name, (runs.get(name) ?? 0) + 1);
      const { label, friend } = object.spec;
      if (label === undefined) return status({ note: "none" });
      const kind = label === "ConfigMap" ? ConfigMap : unstructured(label);
      const found = await watch(kind, { labels: { of: name } });
      if (friend === "fail") throw new Error("later");
      status({ note: found.map(({ metadata }) => metadata.name).join() });
    },
  });

describeLaws("dynamic watches", ({ client: open }) => {
  async function play(
    test: (arranged: {
      client: Client;
      runs: Map<string, number>;
      kinds(): readonly string[];
      manager: ReturnType<typeof createVoice>;
      note(name: string): Promise<string | undefined>;
    }) => Promise<void>,
    options: (namespace: string) => Partial<ManagerOptions> = (namespace) => ({ namespace }),
    client?: Client,
  ): Promise<void> {
    const used = client ?? (await open());
    const runs = new Map<string, number>();
    const { log } = recordLog();
    const scope = options(used.namespace!);
    const manager = createVoice(used, { controllers: [counting(runs)], log, ...scope });
    await manager.start();
    try {
      const kinds = () => manager.freshness().map(({ kind }) => kind.kind);
      const note = async (name: string) => (await used.find(Box, name))?.status?.note;
      await test({ client: used, runs, kinds, manager, note });
    } finally {
      await manager.stop();
    }
  }
  const labelled = (name: string, of: string) => ({ metadata: { name, labels: { of } } });

  it("reconcile for changes of what matches, until no run asks for it", async () => {
    for (const options of [undefined, (one: string) => ({ namespaces: [one] })])
      await play(async ({ client, runs, kinds, note, manager }) => {
        assert.deepEqual(kinds(), ["Box"]);
        await client.create(ConfigMap, labelled("first", "b"));
        await client.create(Box, Box("b", { label: "ConfigMap" }));
        await until(async () => (await note("b")) === "first");
        await until(() => manager.isIdle());
        assert.equal(runs.get("b"), 1, "what the run reads wakes it no second time");
        assert.deepEqual(kinds().toSorted(), ["Box", "ConfigMap"]);
        await client.create(ConfigMap, labelled("other", "c"));
        await client.create(ConfigMap, labelled("second", "b"));
        await until(async () => (await note("b")) === "first,second");
        assert.equal(runs.get("b"), 2, "and what does not match does not");
        await client.create(Box, Box("c", { label: "ConfigMap" }));
        await until(async () => (await note("c")) === "other");
        const merge = (spec: object) => ({ type: "merge" as const, body: { spec } });
        await client.patch(Box, "b", merge({ label: null }));
        await until(async () => (await note("b")) === "none");
        await until(() => manager.isIdle());
        const before = runs.get("b");
        await client.delete(ConfigMap, "second");
        await client.delete(ConfigMap, "other");
        await until(async () => (await note("c")) === "");
        assert.equal(runs.get("b"), before, "b watches no longer");
        assert.ok(kinds().includes("ConfigMap"), "c still watches");
        await client.delete(Box, "c");
        await until(() => kinds().join() === "Box");
      }, options);
  });

  it("of a run that fails wake the next one", async () => {
    const client = await open();
    const { log } = recordLog();
    let runs = 0;
    const failing = defineController(Box, {
      backoff: { firstMs: 600_000, maxMs: 600_000 },
      async reconcile({ watch }) {
        runs++;
        await watch(ConfigMap);
        throw new Error("later");
      },
    });
    const { namespace } = client;
    const manager = createVoice(client, { controllers: [failing], log, namespace });
    await manager.start();
    try {
      await client.create(Box, Box("b", {}));
      await until(() => manager.states()[0]?.progress.at === "retrying");
      assert.equal(runs, 1);
      for (const [name, expected] of [
        ["first", 2],
        ["second", 3],
      ] as const) {
        await client.create(ConfigMap, labelled(name, "b"));
        await until(() => runs === expected);
        await until(() => manager.isIdle());
      }
    } finally {
      await manager.stop();
    }
  });

  it("come and go with their definitions, and make no operator unready", async () => {
    const Fleeting = definitionOf("Fleeting");
    for (const options of [undefined, (one: string) => ({ namespaces: [one] })])
      await play(async ({ client, note, manager }) => {
        await client.create(Box, Box("b", { label: "Fleeting" }));
        await until(async () => (await note("b")) === "");
        const { ready, reasons } = manager.readiness();
        assert.match(reasons.join(), /^Fleeting\b.*does not serve/);
        assert.equal(ready, true);
        await installDefinitions(client, [Fleeting]);
        await client.create(Fleeting, { ...labelled("one", "b"), spec: {} } as never);
        await until(async () => (await note("b")) === "one");
        await client.delete(CustomResourceDefinition, "fleetings.laws.example.com");
        await until(async () => (await note("b")) === "", { timeoutMs: 20_000 });
      }, options);
  });

  it("of what this user may not read fail the run, and name it", async (test) => {
    const client = await open();
    intercept(test, client, (line) => (line.includes("/configmaps") ? "forbid" : "pass"));
    await play(
      async ({ manager }) => {
        await client.create(Box, Box("b", { label: "ConfigMap" }));
        await until(() => {
          const [state] = manager.states();
          return (
            state?.progress.at === "retrying" && /ERR_WATCH_REFUSED/.test(state.progress.because)
          );
        });
      },
      undefined,
      client,
    );
  });

  it("refuse what is no kind or no selection, by name", async (test) => {
    const client = await open();
    const messages: string[] = [];
    const { log } = recordLog();
    const wrong = defineController(Box, {
      async reconcile({ watch }) {
        const calls: readonly (readonly unknown[])[] = [
          [],
          ["Part"],
          [Part, "app=web"],
          [Part, { label: {} }],
          [Part, { namespace: "elsewhere" }],
        ];
        for (const args of calls)
          await (watch as (...given: readonly unknown[]) => Promise<unknown>)(...args).catch(
            (error: Error) => void messages.push(error.message.split("\n")[0]!),
          );
      },
    });
    const { namespace } = client;
    const manager = createVoice(client, { controllers: [wrong], log, namespace });
    await manager.start();
    test.after(() => manager.stop());
    await client.create(Box, Box("b", {}));
    await until(() => messages.length >= 5);
    assert.deepEqual(messages.slice(0, 5), [
      "ERR_WATCH_SELECTION: watch(…): the first argument is undefined, expected a kind",
      "ERR_WATCH_SELECTION: watch(…): the first argument is 'Part', expected a kind",
      "ERR_WATCH_SELECTION: watch(Part): the second argument is 'app=web', expected a selection",
      "ERR_WATCH_SELECTION: watch(Part): label: unknown option; expected any of namespace, labels, fields",
      `ERR_WATCH_SELECTION: watch(Part) selects namespace elsewhere, but this manager watches namespace ${namespace} only`,
    ]);
  });

  it("and controllers need no definition in the program", async () => {
    const client = await open();
    const { namespace } = client;
    const boxes = await client.kinds.byResource("boxes");
    const parts = unstructured("Part");
    const made: string[] = [];
    const unknown = defineController(boxes, {
      name: "unknown",
      owns: [parts],
      async reconcile({ object, own, status, watch, client: requests }) {
        const { spec } = object as unknown as { spec: { parts: readonly string[] } };
        const { name } = object.metadata;
        await own(
          parts,
          spec.parts.map((part) => ({ metadata: { name: part }, spec: { of: name } })),
        );
        const found = await requests.kinds.byKind("laws.example.com/v1", "Part");
        status({ count: (await watch(found)).length });
      },
      finalize: ({ object }) => void made.push(object.metadata.name),
    });
    const manager = createVoice(client, { controllers: [unknown], namespace });
    await manager.start();
    try {
      await client.create(Box, Box("b", { parts: ["x", "y"] }));
      await until(async () => (await client.get(Box, "b")).status?.count === 2);
      await client.create(Part, Part("z", { of: "nothing" }));
      await until(async () => (await client.get(Box, "b")).status?.count === 3);
      await client.delete(Box, "b");
      await until(async () => (await client.find(Box, "b")) === undefined);
      assert.deepEqual(made, ["b"]);
    } finally {
      await manager.stop();
    }
  });
});
