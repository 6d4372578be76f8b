// Faults by hand: what a test cluster does to its own controllers, and that a test is told of it.
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
import { until } from "../fixtures/until.ts";

const api = { group: "faults.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ size: z.int().default(1) }),
  status: z.object({ seen: z.int() }),
});
const Lid = defineResource({ ...api, kind: "Lid", spec: z.object({ size: z.int() }) });

let runs = 0;
const fits = defineController(Box, {
  owns: [Lid],
  async reconcile({ object, own, status }) {
    runs++;
    await own(Lid, [Lid(`${object.metadata.name}-lid`, { size: object.spec.size })]);
    status({ seen: object.spec.size });
  },
});
const open = (controllers: readonly Controller[] = [fits], more: TestClusterOptions = {}) => {
  runs = 0;
  return testCluster({ resources: [Box, Lid], controllers, ...more });
};
const code = (wanted: string, message: RegExp) => (error: unknown) => {
  assert.ok(isHomeostatError(error), String(error));
  assert.equal(error.code, wanted);
  assert.match(error.message, message);
  return true;
};
const sizes = async ({ client }: Awaited<ReturnType<typeof open>>) =>
  (await client.list(Lid)).items.map(({ spec }) => spec.size);
const resize = ({ client }: Awaited<ReturnType<typeof open>>, size: number) =>
  client.patch(Box, "a", { type: "merge", body: { spec: { size } } });

describe("faults of a test cluster", { timeout: 60_000 }, () => {
  it("fail so many requests of the controllers, and none of the test", async () => {
    await using cluster = await open();
    const fault = cluster.faults.fail("patch", Lid, 409).times(3);
    await cluster.client.create(Box, Box("a", {}));
    await cluster.settle();
    assert.equal(fault.hits, 3);
    assert.equal(runs, 4);
    assert.deepEqual(await sizes(cluster), [1]);
    const ofTest = cluster.faults.fail("*", Lid, 500);
    await cluster.client.patch(Lid, "a-lid", { type: "merge", body: { spec: { size: 1 } } });
    assert.equal(ofTest.hits, 0);
  });

  it("hit by name, subresource and after some have passed, until they are undone", async () => {
    await using cluster = await open([fits], { failures: "report" });
    const { client, faults } = cluster;
    const named = faults.fail("patch", Lid, 500, { name: "b-lid" });
    const scope = { name: "a", namespace: "default", subresource: "status" };
    const status = faults.fail("patch", Box, { code: 403, message: "no" }, scope).after(1);
    await client.create(Box, Box("a", {}));
    await cluster.settle({ horizonMs: 0 });
    assert.equal((await client.get(Box, "a")).status?.seen, 1, "the first passes");
    await client.create(Box, Box("b", {}));
    await until(() => named.hits > 0);
    assert.equal(await client.find(Lid, "b-lid"), undefined);
    await resize(cluster, 5);
    await until(() => status.hits > 0);
    assert.deepEqual(await sizes(cluster), [5]);
    assert.equal((await client.get(Box, "a")).status?.seen, 1);
    named.undo();
    faults.clear();
    await cluster.clock.advance("1h");
    assert.deepEqual(await sizes(cluster), [5, 1]);
    assert.equal((await client.get(Box, "a")).status?.seen, 5);
  });

  it("429 is repeated after the time that it names, by the clock", async () => {
    await using cluster = await open();
    const fault = cluster.faults.fail("patch", Lid, { code: 429, retryAfterSeconds: 20 }).times(1);
    await cluster.client.create(Box, Box("a", {}));
    await cluster.clock.advance("15s");
    assert.deepEqual([fault.hits, await sizes(cluster)], [1, []]);
    await cluster.clock.advance("10s");
    assert.deepEqual([runs, await sizes(cluster)], [1, [1]]);
  });

  it("an answer that is lost leaves the write", async () => {
    const creates: string[] = [];
    const makes = defineController(Box, {
      permissions: [{ kind: ConfigMap, verbs: ["create"] }],
      async reconcile({ client }) {
        const made = client.create(ConfigMap, {
          metadata: { generateName: "box-", namespace: "default" },
        } as never);
        await made.then(
          () => creates.push("made"),
          (error: { code: string }) => {
            creates.push(error.code);
            throw error;
          },
        );
      },
    });
    for (const fault of ["lost", "timeout"] as const) {
      creates.length = 0;
      await using cluster = await open([makes]);
      const hit = cluster.faults.fail("create", ConfigMap, fault).times(1);
      await cluster.client.create(Box, Box("a", {}));
      await until(() => hit.hits === 1);
      await cluster.clock.advance("2m");
      await until(() => creates.at(-1) === "made");
      const [first] = creates;
      assert.equal(first, fault === "lost" ? "ERR_CLIENT_CONNECTION_LOST" : "ERR_CLIENT_TIMEOUT");
      const made = await cluster.client.list(ConfigMap, { namespace: "default" });
      assert.equal(made.items.length, creates.length);
    }
  });

  it("a frozen cache shows nothing new until it thaws, and then everything", async () => {
    const sees = defineController(Box, {
      refs: { lid: ref(Lid, () => "lid") },
      reconcile({ refs: { lid }, status }) {
        runs++;
        status({ seen: lid?.spec.size ?? 0 });
      },
    });
    await using cluster = await open([sees]);
    const { client } = cluster;
    await client.create(Box, Box("a", {}));
    await client.create(Lid, Lid("lid", { size: 1 }));
    await cluster.settle();
    cluster.cache(Lid).freeze();
    for (const size of [2, 3])
      await client.patch(Lid, "lid", { type: "merge", body: { spec: { size } } });
    await resize(cluster, 9);
    await cluster.settle();
    assert.equal((await client.get(Box, "a")).status.seen, 1);
    await assert.rejects(
      cluster.eventually(Box, "a", ({ status }) => status.seen === 3, { timeoutMs: 20 }),
      code("ERR_TEST_NEVER", /\n {2}the test disturbs: the cache of Lid is frozen$/),
    );
    await cluster.clock.advance("10m");
    assert.equal((await client.get(Box, "a")).status.seen, 1, "new watches are frozen, too");
    cluster.cache(Lid).thaw();
    await cluster.clock.advance("1m");
    assert.equal((await client.get(Box, "a")).status.seen, 3);
  });

  it("kills the controllers: no call returns, no timer runs, no code learns of it", async () => {
    const told: string[] = [];
    const waits = defineController(Box, {
      owns: [Lid],
      async reconcile({ own, retry, signal }) {
        const aborted = (): void => void told.push("aborted");
        signal.addEventListener("abort", aborted);
        try {
          told.push("began");
          if (told.length === 1) cluster.kill();
          await own(Lid, [Lid("lid", { size: 1 })]);
          told.push("returned");
        } catch {
          told.push("threw");
        } finally {
          told.push("ended");
        }
        signal.removeEventListener("abort", aborted);
        return retry.in("1m");
      },
    });
    const cluster = await open([waits]);
    await cluster.client.create(Box, Box("a", {}));
    await until(() => told.length > 0);
    assert.equal(cluster.manager, undefined);
    assert.deepEqual(cluster.states(), []);
    await cluster.clock.advance("1h");
    await cluster.settle();
    assert.deepEqual(told, ["began"]);
    await assert.rejects(
      cluster.eventually(Lid, "lid", () => true, { timeoutMs: 20 }),
      code("ERR_TEST_NEVER", /\n {2}the test disturbs: the controllers are killed$/),
    );
    await cluster.restart();
    await cluster.settle();
    assert.deepEqual(told, ["began", "began", "returned", "ended"]);
    cluster.kill();
    cluster.kill();
    await cluster.clock.advance("1h");
    assert.equal(told.length, 4, "its retry does not come");
    const began = performance.now();
    await cluster.close();
    assert.ok(performance.now() - began < 1000);
  });

  it("kills a call that is under way", async () => {
    const told: string[] = [];
    const waits = defineController(Box, {
      owns: [Lid],
      reconcile: ({ own }) =>
        own(Lid, [Lid("lid", { size: 1 })]).then(
          () => void told.push("returned"),
          () => void told.push("threw"),
        ),
    });
    await using cluster = await open([waits]);
    const fault = cluster.faults.fail("patch", Lid, "timeout");
    await cluster.client.create(Box, Box("a", {}));
    await until(() => fault.hits > 0);
    cluster.kill();
    await cluster.clock.advance("5m");
    assert.deepEqual(told, []);
  });

  it("hit the objects themselves and no subresource, unless it is named", async () => {
    await using cluster = await open();
    const fault = cluster.faults.fail("patch", Box, 500);
    await cluster.client.create(Box, Box("a", {}));
    await cluster.settle();
    assert.equal(fault.hits, 0);
    assert.equal((await cluster.client.get(Box, "a")).status.seen, 1);
  });

  it("restarts with empty caches, and stops what runs before", async () => {
    await using cluster = await open();
    await cluster.client.create(Box, Box("a", {}));
    await cluster.settle();
    const { manager } = cluster;
    await cluster.restart();
    await cluster.settle();
    assert.notEqual(cluster.manager, manager);
    assert.equal(runs, 2);
    assert.deepEqual(await sizes(cluster), [1]);
  });

  it("has nothing to kill or restart without controllers, and kills no webhooks", async () => {
    await using cluster = await testCluster();
    assert.throws(() => cluster.kill(), code("ERR_TEST_PROCESS", /killing the .*: there are none/));
    await assert.rejects(
      cluster.restart(),
      code("ERR_TEST_PROCESS", /restarting the .*: there ar/),
    );
    const closed = await open();
    await closed.close();
    await assert.rejects(closed.restart(), code("ERR_TEST_PROCESS", /has been closed/));
  });

  it("cuts the controllers off, and heals", async () => {
    await using cluster = await open();
    await cluster.client.create(Box, Box("a", {}));
    await cluster.settle();
    cluster.partition();
    await resize(cluster, 2);
    await cluster.clock.advance("5m");
    assert.deepEqual([runs, await sizes(cluster)], [1, [1]]);
    assert.equal(cluster.manager!.readiness().ready, false);
    await assert.rejects(
      cluster.eventually(Lid, "a-lid", ({ spec }) => spec.size === 2, { timeoutMs: 20 }),
      code(
        "ERR_TEST_NEVER",
        /\n {2}the test disturbs: the controllers are cut off from the server/,
      ),
    );
    cluster.heal();
    await cluster.clock.advance("2m");
    assert.deepEqual(await sizes(cluster), [2]);
    assert.equal(cluster.manager!.readiness().ready, true);
  });

  it("are named while they are active, and gone when the cluster has closed", async () => {
    const cluster = await open([fits], { failures: "report" });
    cluster.faults.fail("patch", Lid, 500).times(2);
    cluster.faults.fail("patch", Box, "timeout", { name: "z", subresource: "status" });
    await cluster.client.create(Box, Box("a", {}));
    await assert.rejects(
      cluster.eventually(Box, "a", () => false, { timeoutMs: 300 }),
      code(
        "ERR_TEST_NEVER",
        /\n {2}the test disturbs: patch Box\/status z fails with timeout \(hit 0\)$/,
      ),
    );
    cluster.partition();
    cluster.cache(Lid).freeze();
    const began = performance.now();
    await cluster.close();
    assert.ok(performance.now() - began < 1500, `${performance.now() - began} ms`);
  });

  it("refuse what they cannot do", async () => {
    await using cluster = await open();
    const { faults } = cluster;
    const refused = (make: () => unknown, message: RegExp) =>
      assert.throws(make, code("ERR_TEST_FAULT", message));
    refused(() => faults.fail("mend" as never, Box, 409), /expected a verb of get, .*got "mend"$/);
    refused(() => faults.fail("get", {} as never, 409), /expected a kind/);
    refused(
      () => faults.fail("get", Box, 200),
      /expected a status code from 400 to 599, .*got 200$/,
    );
    refused(
      () => faults.fail("get", Box, 409).times(0),
      /times: expected a whole number from 1, g/,
    );
    refused(() => faults.fail("get", Box, 409).after(-1), /after: expected a whole number from 0/);
  });
});
