// Aggregates: objects that watch all objects that match, by namespace, labels and fields.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, defineController, index, type Manager, refs } from "homeostat";
import { ConfigMap, Namespace } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const part = (name: string, of: string, labels: Record<string, string> = {}) =>
  Part({ name, labels }, { of });
const merge = (body: object) => ({ type: "merge" as const, body });

/** Whether a change that was ignored is recorded for an object. */
function hasIgnored(manager: Manager, key: string, pattern: RegExp): boolean {
  const [report] = manager.explain(Box, key);
  return report?.queue?.ignored.some(({ what }) => pattern.test(what)) ?? false;
}

describeLaws("watching", ({ run }) => {
  it("aggregates the objects of its own namespace that match, however they come and go", async () => {
    const seen = new Map<string, string>();
    const controller = defineController(Box, {
      watches: {
        parts: all(Part, {
          namespace: (box) => box.metadata.namespace,
          labels: (box) => (box.spec.label === undefined ? undefined : { app: box.spec.label }),
        }),
      },
      async reconcile({ object, watches: { parts } }) {
        seen.set(object.metadata.name, parts.map(({ metadata }) => metadata.name).join());
      },
    });
    const settles = (expected: Readonly<Record<string, string>>) =>
      until(() => Object.entries(expected).every(([name, parts]) => seen.get(name) === parts));
    await run(
      [controller],
      async (client) => {
        const elsewhere = await client.create(Namespace, { metadata: { generateName: "other-" } });
        const other = { namespace: elsewhere.metadata.name };
        await client.create(Box, Box("a", { label: "a" }));
        await client.create(Box, Box("b", { label: "b" }));
        await client.create(Box, Box("none", {}));
        await settles({ a: "", b: "", none: "" });
        await client.create(Part, part("two", "x", { app: "a" }));
        await client.create(Part, part("one", "x", { app: "a" }));
        await client.create(
          Part,
          Part({ name: "far", ...other, labels: { app: "a" } }, { of: "" }),
        );
        await settles({ a: "one,two", b: "" });
        await client.patch(Part, "two", merge({ metadata: { labels: { app: "b" } } }));
        await settles({ a: "one", b: "two" });
        await client.patch(Part, "two", merge({ metadata: { labels: { app: null } } }));
        await settles({ a: "one", b: "" });
        await client.patch(Box, "b", merge({ spec: { label: "a" } }));
        await settles({ b: "one", none: "" });
        await client.create(Part, part("three", "x", { app: "a" }));
        await settles({ a: "one,three", b: "one,three" });
        await client.delete(Part, "one");
        await settles({ a: "three", b: "three", none: "" });
      },
      { namespace: undefined as never },
    );
  });

  it("selects by expressions and fields, and drops updates that `when` refuses", async () => {
    const seen: string[] = [];
    const controller = defineController(Box, {
      watches: {
        parts: all(Part, {
          labels: { matchExpressions: [{ key: "tier", operator: "In", values: ["x", "y"] }] },
          fields: (box) => ({ "spec.of": box.metadata.name }),
          when: (old, { generation }) => old.generation !== generation,
        }),
      },
      async reconcile({ watches: { parts } }) {
        seen.push(parts.map(({ metadata }) => metadata.name).join());
      },
    });
    await run([controller], async (client, manager) => {
      const key = `${client.namespace}/box`;
      await client.create(Box, Box("box", {}));
      await client.create(Part, part("x", "box", { tier: "x" }));
      await client.create(Part, part("z", "box", { tier: "z" }));
      await client.create(Part, part("y", "crate", { tier: "y" }));
      await until(() => seen.at(-1) === "x" && manager.isIdle());
      const runs = seen.length;
      await client.patch(Part, "x", merge({ metadata: { labels: { other: "label" } } }));
      await until(() => hasIgnored(manager, key, /^Part .*\/x changed, dropped by `when`$/));
      assert.equal(seen.length, runs, "a dropped update must not reconcile");
      await client.patch(Part, "y", merge({ spec: { of: "box" } }));
      await until(() => seen.at(-1) === "x,y");
      await client.patch(Part, "x", merge({ metadata: { labels: { tier: "z" } } }));
      await until(() => seen.at(-1) === "y");
    });
  });

  it("refers to objects by selector, in the object's own namespace", async () => {
    const seen: string[] = [];
    const controller = defineController(Box, {
      refs: { parts: refs(Part, (box) => ({ labels: { box: box.metadata.name } })) },
      async reconcile({ refs: { parts }, wait }) {
        seen.push(parts.map(({ metadata }) => metadata.name).join());
        if (parts.length === 0) return wait.forRef("parts");
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("box", {}));
      await until(() => seen.at(-1) === "" && manager.isIdle());
      const [state] = manager.states();
      assert.deepEqual(state?.progress, { at: "waiting", what: 'Part {"box":"box"}' });
      await client.create(Part, part("b", "", { box: "box" }));
      await client.create(Part, part("a", "", { box: "box" }));
      await until(() => seen.at(-1) === "a,b");
      await client.delete(Part, "b");
      await until(() => seen.at(-1) === "a");
    });
  });

  it("reads declared kinds from the cache, by name, selection and index", async () => {
    const seen: unknown[] = [];
    const errors: string[] = [];
    const controller = defineController(Box, {
      watches: { parts: all(Part) },
      indexes: { of: index(Part, ({ spec }) => [spec.of]) },
      async reconcile({ object, cache }) {
        try {
          cache.get(ConfigMap as never, "a");
        } catch (error) {
          errors.push(String(error));
        }
        seen.push([
          cache.get(Part, "a")?.spec.of,
          cache.list(Part, { labels: { app: "a" } }).map(({ metadata }) => metadata.name),
          cache.byIndex("of", object.metadata.name).map(({ metadata }) => metadata.name),
        ]);
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("box", {}));
      await client.create(Part, part("a", "box", { app: "a" }));
      await client.create(Part, part("b", "crate", { app: "a" }));
      await until(() => JSON.stringify(seen.at(-1)) === JSON.stringify(["box", ["a", "b"], ["a"]]));
      assert.match(errors[0]!, /"box" reads ConfigMap from the cache, which it does not declare/);
    });
  });

  it("an aggregate follows its own writes to what it watches", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      watches: { parts: all(Part, { namespace: (box) => box.metadata.namespace }) },
      async reconcile({ object, own, status, watches: { parts } }) {
        await own(
          Part,
          object.spec.parts.map((name) => Part(name, { of: object.metadata.name })),
        );
        status({ count: parts.length });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("box", { parts: ["a", "b"] }));
      await until(async () => (await client.get(Box, "box")).status.count === 2);
      await client.patch(Box, "box", merge({ spec: { parts: [] } }));
      await until(async () => (await client.get(Box, "box")).status.count === 0);
    });
  });

  it("an object whose selection throws is reported, and the others go on", async () => {
    const counts = new Map<string, number>();
    const controller = defineController(Box, {
      watches: {
        parts: all(Part, {
          labels(box) {
            if (box.spec.label === "bad") throw new Error("a bad selection");
            return { app: "a" };
          },
        }),
      },
      async reconcile({ object, watches: { parts } }) {
        counts.set(object.metadata.name, parts.length);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("bad", { label: "bad" }));
      await client.create(Box, Box("good", {}));
      await client.create(Part, part("a", "", { app: "a" }));
      await until(() => counts.get("good") === 1);
      const bad = await until(() =>
        manager.states().find(({ progress }) => progress.at === "retrying"),
      );
      assert.match(JSON.stringify(bad.progress), /a bad selection/);
      await client.patch(Box, "bad", merge({ spec: { label: "mended" } }));
      await until(() => counts.get("bad") === 1);
    });
  });

  it("a selection outside the watched namespace is an error, not an empty list", async () => {
    const controller = defineController(Box, {
      watches: { maps: all(ConfigMap, { namespace: "kube-system" }) },
      async reconcile() {},
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("far", {}));
      const state = await until(() =>
        manager.states().find(({ progress }) => progress.at === "retrying"),
      );
      assert.match(
        JSON.stringify(state.progress),
        /watch maps of \\"box\\" selects namespace kube-system, but this manager watches/,
      );
    });
  });
});
