// A kind whose definition is deleted and installed again.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, defineController, defineResource, installDefinitions } from "homeostat";
import { isNotFound } from "homeostat/api";
import type { Kind } from "homeostat/api";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import * as z from "zod";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const Tool = defineResource({
  group: "come.example.com",
  version: "v1",
  kind: "Tool",
  spec: z.object({ size: z.int() }),
});
/** As a program knows a kind that it finds at run time. */
const unstructured = {
  apiVersion: "come.example.com/v1",
  kind: "Tool",
  resource: "tools",
  scope: "Namespaced",
} as Kind;

describeLaws("definitions that come and go", ({ client: open, run }) => {
  it("are watched again within 3 s, and asked for at most once a second", async () => {
    const admin = await open();
    const name = "tools.come.example.com";
    await installDefinitions(admin, [Tool]);
    const controller = defineController(Box, {
      owns: [unstructured],
      watches: { tools: all(unstructured, { labels: { all: "see" } }) },
      async reconcile({ object, own, watches, status }) {
        const { tools } = watches as unknown as {
          tools: readonly { metadata: { name: string } }[];
        };
        status({ seen: tools.map((tool) => tool.metadata.name) });
        if (object.spec.label === undefined) return;
        await own(unstructured, [{ metadata: { name: object.spec.label }, spec: { size: 1 } }]);
      },
    });
    await run([controller], async (client, manager) => {
      const seen = async () => (await client.get(Box, "b")).status?.seen?.join();
      const tool = (called: string) =>
        client.create(Tool, {
          metadata: { name: called, labels: { all: "see" } },
          spec: { size: 1 },
        });
      await client.create(Box, Box("b", { label: "made" }));
      await until(async () => (await client.find(Tool, "made")) !== undefined);
      await tool("first");
      await until(async () => (await seen()) === "first");
      await client.patch(Box, "b", { type: "merge", body: { spec: { label: null } } });
      await client.delete(CustomResourceDefinition, name);
      await until(async () => (await seen()) === "", { timeoutMs: 20_000 });
      const informer = () => manager.freshness().find(({ kind }) => kind.kind === "Tool")!;
      await until(() => !informer().freshness.isServed);
      const before = informer().freshness.failures;
      await sleep(3000);
      const failures = informer().freshness.failures - before;
      assert.ok(failures >= 1 && failures <= 4, `${failures} attempts in 3 s`);
      await installDefinitions(admin, [Tool]);
      const at = performance.now();
      await until(async () => {
        try {
          return await tool("second");
        } catch (error) {
          if (isNotFound(error)) return undefined;
          throw error;
        }
      });
      await until(async () => (await seen()) === "second");
      const ms = performance.now() - at;
      assert.ok(ms < 3000, `${Math.round(ms)} ms`);
    });
  });
});
