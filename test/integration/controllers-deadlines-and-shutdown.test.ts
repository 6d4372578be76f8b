// Slow reconciles: abandoned at their deadline, with the key blocked until they settle. Shutdown
// waits for them, up to a limit.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createManager, defineController, defineResource, silentLog } from "homeostat";
import * as z from "zod";
import { Box, describeLaws, lawsApi, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("deadlines and shutdown", ({ client: openClient, run }) => {
  it("abandons a reconcile that hangs: the signal aborts, its client is revoked, others go on, the key waits", async () => {
    let release = (): void => {};
    let refused: unknown;
    let hanging = 0;
    const controller = defineController(Box, {
      timeout: "100ms",
      async reconcile({ object, status, client, signal }) {
        if (object.metadata.name === "hang" && object.spec.label === undefined) {
          hanging++;
          await new Promise<void>((resolve) => (release = resolve));
          assert.equal(signal.aborted, true);
          await client.get(Box, "hang").catch((error: unknown) => (refused = error));
          return;
        }
        status({ count: 1 });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("hang", {}));
      await until(() =>
        manager.states().find((one) => one.key.endsWith("/hang") && one.progress.at === "stalled"),
      );
      await client.create(Box, Box("other", {}));
      await until(async () => (await client.get(Box, "other")).status?.count === 1);
      await client.patch(Box, "hang", { type: "merge", body: { spec: { label: "changed" } } });
      await sleep(100);
      assert.equal(hanging, 1, "the key is quarantined while the promise is open");
      assert.equal((await client.get(Box, "hang")).status?.count, undefined);
      release();
      await until(async () => (await client.get(Box, "hang")).status?.count === 1);
      assert.match(String(refused), /no result within 100 ms/);
    });
  });

  it("steps are named when they fail and when they take too long", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, step }) {
        if (object.spec.label === "slow")
          await step("dig a hole", () => sleep(500), { timeout: "50ms" });
        await step("create bucket", () => Promise.reject(new Error("quota")));
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("steps", {}));
      const because = () =>
        (
          manager.states().find((one) => one.progress.at === "retrying")?.progress as
            | { because?: string }
            | undefined
        )?.because;
      await until(
        () => because()?.includes('step "create bucket" of Box') && because()?.includes("quota"),
      );
      await client.patch(Box, "steps", { type: "merge", body: { spec: { label: "slow" } } });
      await until(
        () =>
          because()?.includes('step "dig a hole"') && because()?.includes("took longer than 50ms"),
      );
    });
  });

  it("a step that outlives its deadline keeps the object from being reconciled again", async () => {
    let inside = 0;
    let most = 0;
    let ended = 0;
    const controller = defineController(Box, {
      async reconcile({ step }) {
        await step(
          "slow",
          async () => {
            most = Math.max(most, ++inside);
            await sleep(120);
            inside--;
            ended++;
          },
          { timeout: "20ms" },
        );
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("slow", {}));
      await until(() => ended >= 3);
      assert.equal(most, 1);
    });
  });

  it("lets a running reconcile finish at shutdown", async () => {
    let finished = false;
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const controller = defineController(Box, {
      async reconcile() {
        entered();
        await sleep(100);
        finished = true;
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("slow", {}));
      await inside;
      await manager.stop();
      assert.equal(finished, true);
    });
  });

  it("stops although a reconcile ignores its signal, and although it has not yet started", async () => {
    const stuck = defineController(Box, {
      name: "stuck",
      reconcile: () => new Promise<void>(() => {}),
    });
    const errors: string[] = [];
    const client = await openClient();
    const log = { ...silentLog, error: (message: string) => void errors.push(message) };
    const manager = createManager({
      operator: "laws",
      controllers: [stuck],
      client,
      namespace: client.namespace,
      log,
      shutdownTimeoutMs: 100,
    });
    await manager.start();
    await client.create(Box, Box("stuck", {}));
    await until(() => manager.states().some((one) => one.progress.at === "running"));
    const start = performance.now();
    await manager.stop();
    assert.ok(performance.now() - start < 2000);
    assert.match(errors.join(), /abandoned: reconcile did not end when the manager stopped/);
    await assert.rejects(manager.start(), /ERR_MANAGER_STATE/);

    const Absent = defineResource({ ...lawsApi, kind: "Absent", spec: z.object({}) });
    const waiting = createManager({
      operator: "laws",
      controllers: [defineController(Absent, { async reconcile() {} })],
      client,
      log: silentLog,
    });
    const starting = waiting.start();
    await assert.rejects(waiting.start(), /ERR_MANAGER_STATE/);
    await sleep(20);
    await waiting.stop();
    await assert.rejects(starting, /was stopped/);
  });
});
