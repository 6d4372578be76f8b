// settle() of a test cluster: it returns when nothing is left to do, and no sooner; what never ends
// is named with field and writer.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testCluster, type TestClusterOptions } from "@homeostat/testing";
import {
  type Controller,
  defineController,
  defineResource,
  isHomeostatError,
  ref,
} from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";

const api = { group: "settle.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ lids: z.int().default(1) }),
  status: z.object({ closed: z.int(), color: z.string() }),
});
const Lid = defineResource({
  ...api,
  kind: "Lid",
  spec: z.object({}),
  status: z.object({ fits: z.boolean() }),
});
const boxes = defineController(Box, {
  owns: [Lid],
  async reconcile({ object, own, status }) {
    const { name } = object.metadata;
    const names = Array.from({ length: object.spec.lids }, (_, i) => `${name}-${i}`);
    const lids = await own(
      Lid,
      names.map((each) => Lid(each, {})),
    );
    status({ closed: lids.filter((lid) => lid.status?.fits).length });
  },
});
const lids = defineController(Lid, { reconcile: ({ status }) => status({ fits: true }) });
const open = (controllers: readonly Controller[], more: TestClusterOptions = {}) =>
  testCluster({ resources: [Box, Lid], controllers, controlPlane: "none", ...more });
const code = (wanted: string, message: RegExp) => (error: unknown) => {
  assert.ok(isHomeostatError(error), String(error));
  assert.equal(error.code, wanted);
  assert.match(error.message, message);
  return true;
};

describe("settle", { timeout: 60_000 }, () => {
  it("returns when every chain of causes has come to its end, each time", async () => {
    await using cluster = await open([boxes, lids]);
    for (let i = 0; i < 100; i++) {
      const name = `box-${i}`;
      await cluster.client.create(Box, Box(name, { lids: 1 + (i % 5) }));
      await cluster.settle();
      assert.equal((await cluster.client.get(Box, name)).status.closed, 1 + (i % 5), name);
    }
  });

  it("sees what the control plane still does", async () => {
    await using cluster = await open([boxes, lids], { controlPlane: "default" });
    await cluster.client.create(Box, Box("a", { lids: 3 }));
    await cluster.settle();
    await cluster.client.delete(Box, "a");
    await cluster.settle();
    assert.equal((await cluster.client.list(Lid)).items.length, 0, "collected");
  });

  it("waits for calls of the test, and of controllers that do not await them", async () => {
    const careless = defineController(Box, {
      permissions: [{ kind: ConfigMap, verbs: ["create"] }],
      reconcile({ client, object, defer }: never) {
        void defer;
        const { metadata } = object as { metadata: { name: string } };
        const made = { metadata: { name: metadata.name, namespace: "default" } };
        void (client as { create(...args: unknown[]): Promise<unknown> }).create(ConfigMap, made);
      },
    } as never);
    await using cluster = await open([careless], { breaches: "report", failures: "report" });
    let created = 0;
    for (let i = 0; i < 100; i++)
      void cluster.client.create(Box, Box(`a-${i}`, {})).then(() => created++);
    await cluster.settle();
    assert.equal(created, 100);
    assert.equal(
      (await cluster.client.list(ConfigMap, { namespace: "default" })).items.length,
      100,
    );
    assert.ok(await cluster.client.find(ConfigMap, "a-99"));
  });

  it("takes no time when there is nothing to wait for", async () => {
    await using cluster = await open([boxes, lids]);
    await cluster.settle();
    const began = process.cpuUsage();
    const at = performance.now();
    for (let i = 0; i < 50; i++) await cluster.settle();
    const { user, system } = process.cpuUsage(began);
    const tookMs = Math.min(performance.now() - at, (user + system) / 1000);
    assert.ok(tookMs < 50 * 5, `${tookMs} ms`);
  });

  it("names a field and the two who fight for it", async () => {
    const paint = (color: string) =>
      defineController(Box, { name: color, reconcile: ({ status }) => status({ color }) });
    await using cluster = await open([paint("red"), paint("blue")]);
    await cluster.client.create(Box, Box("a", {}));
    await assert.rejects(
      cluster.settle({ timeoutMs: 4000 }),
      code(
        "ERR_TEST_NOT_SETTLED",
        /Box default\/a \((red|blue)\): it keeps triggering itself, writing Box \S+ each time, of which "test\/(?!\1)(red|blue)" changes back status\.color; /,
      ),
    );
  });

  it("names a call without an answer, and the fault that withholds it", async () => {
    await using cluster = await open([boxes, lids]);
    cluster.faults.fail("patch", Lid, "timeout");
    await cluster.client.create(Box, Box("a", {}));
    await assert.rejects(
      cluster.settle({ timeoutMs: 100 }),
      code(
        "ERR_TEST_NOT_SETTLED",
        /Box default\/a \(box\): it has been running for \d+ ms\n {2}the test disturbs: patch Lid fails with timeout \(hit 1\)$/,
      ),
    );
  });

  it("says what the controllers wait for when a condition never holds, in words", async () => {
    const waits = defineController(Box, {
      refs: { lid: ref(Lid, () => "missing") },
      reconcile: ({ refs: { lid }, wait }) => (lid ? undefined : wait.forRef("lid")),
    });
    const fails = defineController(Lid, {
      reconcile() {
        throw Object.assign(new Error("no glue"), { hint: "buy some" });
      },
    });
    await using cluster = await open([waits, fails]);
    await cluster.client.create(Box, Box("a", {}));
    await cluster.client.create(Lid, Lid("b", {}));
    await assert.rejects(
      cluster.eventually(Box, "a", () => false, { timeoutMs: 200 }),
      (error: Error) => {
        assert.match(error.message, /\n {2}Box default\/a \(box\): it waits for Lid "missing"/);
        assert.match(
          error.message,
          /\n {2}Lid default\/b \(lid\): it (failed (once|\d+ times): no glue.*; the next try is in|has been running)/,
        );
        assert.doesNotMatch(error.message, /managedFields/);
        return true;
      },
    );
  });
});
