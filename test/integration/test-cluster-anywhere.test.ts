// Tests as users write them, on the embedded server, and on the real one that
// HOMEOSTAT_TEST_KUBECONFIG names: the same file.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { needsEmbedded, testCluster, type TestClusterOptions } from "@homeostat/testing";
import { defineController, defineResource, isHomeostatError } from "homeostat";
import { Namespace } from "homeostat/k8s/core/v1";
import * as z from "zod";

const api = { group: "anywhere.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ size: z.int().default(1) }),
  status: z.object({ seen: z.int() }),
});
const Lid = defineResource({ ...api, kind: "Lid", spec: z.object({ size: z.int() }) });
const fits = defineController(Box, {
  owns: [Lid],
  async reconcile({ object, own, status }) {
    await own(Lid, [Lid(`${object.metadata.name}-lid`, { size: object.spec.size })]);
    status({ seen: object.spec.size });
  },
});
const open = (more: TestClusterOptions = {}) =>
  testCluster({ resources: [Box, Lid], controllers: [fits], ...more });
const isReal = needsEmbedded() !== false;

describe("a test cluster anywhere", { timeout: 60_000 }, () => {
  it("runs controllers and settles, in a namespace of its own", async () => {
    await using one = await open();
    for (let size = 1; size < 6; size++) {
      await one.client.apply(Box, Box("a", { size }));
      await one.settle();
      assert.equal((await one.client.get(Lid, "a-lid")).spec.size, size);
      assert.equal((await one.client.get(Box, "a")).status.seen, size);
    }
    await using other = await open();
    await other.client.apply(Box, Box("a", { size: 9 }));
    const { status } = await other.eventually(Box, "a", (box) => box.status.seen === 9);
    assert.equal(status.seen, 9);
    await one.settle();
    assert.equal((await one.client.get(Box, "a")).status.seen, 5);
  });

  it("disturbs its controllers", async () => {
    await using cluster = await open();
    const fault = cluster.faults.fail("patch", Lid, 409).times(2);
    await cluster.client.apply(Box, Box("a", { size: 2 }));
    await cluster.settle();
    assert.equal(fault.hits, 2);
    cluster.kill();
    await cluster.client.apply(Box, Box("a", { size: 3 }));
    await cluster.settle();
    assert.equal((await cluster.client.get(Box, "a")).status.seen, 2);
    await cluster.restart();
    await cluster.eventually(Box, "a", ({ status }) => status.seen === 3);
    cluster.cache(Box).freeze();
    await cluster.client.apply(Box, Box("a", { size: 4 }));
    await cluster.settle();
    assert.equal((await cluster.client.get(Box, "a")).status.seen, 3);
    cluster.cache(Box).thaw();
    await cluster.eventually(Box, "a", ({ status }) => status.seen === 4);
  });

  it("advances the clock of the embedded server", { skip: needsEmbedded() }, async () => {
    await using cluster = await open();
    await cluster.clock.advance("1h");
    assert.ok(cluster.clock.now() > Date.now() + 3_000_000);
    assert.ok(cluster.server);
  });

  it("says what a real cluster cannot do", { skip: !isReal }, async () => {
    const refused = (what: RegExp) => (error: unknown) => {
      assert.ok(isHomeostatError(error, "ERR_TEST_REAL_CLUSTER"), String(error));
      assert.match(error.message, what);
      return true;
    };
    const cluster = await open();
    const { namespace } = cluster.client;
    await assert.rejects(cluster.clock.advance("1s"), refused(/advancing the clock needs the emb/));
    assert.throws(() => cluster.server, refused(/the server of a test cluster needs/));
    await assert.rejects(open({ fakeNodes: 1 }), refused(/`fakeNodes` needs the embedded server/));
    await assert.rejects(open({ controlPlane: "none" }), refused(/`controlPlane: "none"` needs/));
    await cluster.close();
    await cluster.close();
    await using after = await open();
    const left = await after.client.find(Namespace, namespace);
    assert.ok(left === undefined || left.metadata.deletionTimestamp, "its namespace is removed");
  });
});
