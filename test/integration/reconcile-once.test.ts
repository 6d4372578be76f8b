// One reconcile without a server: its reads are given, its writes come back as data.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineController, defineResource, isHomeostatError, ref, terminal } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { reconcileOnce } from "@homeostat/testing";

const api = { group: "once.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ size: z.int(), maker: z.string() }),
  status: z.object({ seen: z.int() }),
  conditions: ["Ready"],
});
const Lid = defineResource({ ...api, kind: "Lid", spec: z.object({ size: z.int() }) });
const Maker = defineResource({ ...api, kind: "Maker", spec: z.object({ slow: z.boolean() }) });
const boxes = defineController(Box, {
  owns: [Lid],
  refs: { maker: ref(Maker, (box) => box.spec.maker) },
  async reconcile({ object, refs: { maker }, own, status, condition, wait, retry, recorder }) {
    if (!maker) return wait.forRef("maker");
    await own(Lid, [Lid(`${object.metadata.name}-lid`, { size: object.spec.size })]);
    status({ seen: object.spec.size });
    condition("Ready", "True", "Fits");
    recorder.event("Normal", "Closed", "it fits");
    return maker.spec.slow ? retry.in("90s", { because: "the maker is slow" }) : undefined;
  },
  async finalize() {},
});
const box = Box("a", { size: 3, maker: "ann" });
const ann = [Maker, Maker("ann", { slow: false })] as const;

describe("reconcileOnce", () => {
  it("returns what a reconcile wrote, the same each time", async () => {
    const once = await reconcileOnce(boxes, { object: box, reads: [ann] });
    assert.deepEqual(once.progress, { at: "done" });
    assert.deepEqual(once.status, { seen: 3 });
    assert.deepEqual(
      once.own.map(({ kind, metadata, spec }) => [kind, (metadata as { name: string }).name, spec]),
      [["Lid", "a-lid", { size: 3 }]],
    );
    assert.deepEqual(
      once.conditions.map(({ type, status, reason }) => [type, status, reason]),
      [["Ready", "True", "Fits"]],
    );
    assert.deepEqual(
      once.events.map(({ reason }) => reason),
      ["Closed"],
    );
    assert.deepEqual(once.finalizers, ["once.example.com/test.box"]);
    assert.deepEqual(once.deleted, []);
    assert.deepEqual(await reconcileOnce(boxes, { object: box, reads: [ann] }), once);
  });

  it("says what a reconcile waits for, retries or fails with", async () => {
    const waits = await reconcileOnce(boxes, { object: box });
    assert.deepEqual(waits.progress, { at: "waiting", what: 'Maker "ann"' });
    assert.deepEqual([waits.own, waits.status], [[], undefined]);
    const slow = [Maker, Maker("ann", { slow: true })] as const;
    const retries = await reconcileOnce(boxes, { object: box, reads: [slow] });
    assert.equal(retries.retryAfterMs, 90_000);
    const broken = new Error("no glue");
    const fails = defineController(Box, {
      reconcile({ object }) {
        throw object.spec.size > 3 ? terminal("too large") : broken;
      },
    });
    const failed = await reconcileOnce(fails, { object: box });
    assert.equal(failed.error, broken);
    const refused = await reconcileOnce(fails, { object: Box("b", { size: 4, maker: "" }) });
    assert.equal(refused.progress.at, "stalled");
  });

  it("prunes what is owned and no longer wanted, and lets go of what is deleted", async () => {
    const owned = [
      [Lid, Lid("a-lid", { size: 1 })],
      [Lid, Lid("a-old", { size: 1 })],
    ] as const;
    const once = await reconcileOnce(boxes, { object: box, reads: [ann], owned });
    assert.deepEqual(once.deleted, ["lids/a-old"]);
    assert.deepEqual(
      once.own.map(({ spec }) => spec),
      [{ size: 3 }],
    );
    const foreign = [Lid, Lid("a-lid", { size: 1 })] as const;
    const refused = await reconcileOnce(boxes, { object: box, reads: [ann, foreign] });
    assert.match(String(refused.error), /ERR_OWN_FOREIGN/);
    const gone = await reconcileOnce(boxes, { object: box, deleting: true });
    assert.deepEqual([gone.progress, gone.finalizers], [{ at: "done" }, []]);
  });

  it("rejects when the controller reads what it does not declare", async () => {
    const reads = defineController(Box, {
      async reconcile({ client, status }) {
        status({ seen: (await client.list(ConfigMap)).length });
      },
    });
    await assert.rejects(reconcileOnce(reads, { object: box }), (error) => {
      assert.ok(isHomeostatError(error, "ERR_TEST_BREACH"), String(error));
      assert.match(error.message, /ERR_READ_UNDECLARED \(Box default\/a\)/);
      return true;
    });
  });

  it("takes a few milliseconds at most", async () => {
    for (let i = 0; i < 100; i++) await reconcileOnce(boxes, { object: box, reads: [ann] });
    const { user } = process.cpuUsage();
    for (let i = 0; i < 100; i++) await reconcileOnce(boxes, { object: box, reads: [ann] });
    // Measured: 2 to 4 ms.
    const eachMs = (process.cpuUsage().user - user) / 100_000;
    assert.ok(eachMs < 20, `${eachMs} ms`);
  });
});
