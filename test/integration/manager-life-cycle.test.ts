// A manager's life: stopped at any moment of its start, it is gone; nothing begins after a stop;
// and no second manager of the process writes under the names of a running one.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  createManager,
  defineController,
  defineResource,
  index,
  type ManagerOptions,
  silentLog,
} from "homeostat";
import type { Client } from "homeostat/client";
import * as z from "zod";
import { Box, describeLaws, lawsApi, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("a manager's life", ({ client: openClient }) => {
  const create = (client: Client, options: Partial<ManagerOptions> = {}) =>
    createManager({
      operator: "life",
      controllers: [],
      client,
      namespace: client.namespace,
      log: silentLog,
      ...options,
    });

  it("stop() during start() ends both at once, at any moment, and nothing runs afterwards", async () => {
    const client = await openClient();
    for (let i = 0; i < 3; i++) await client.create(Box, Box(`box-${i}`, {}));
    for (const afterMs of [undefined, 0, 1, 2, 4, 8, 16, 32]) {
      let begun = 0;
      let isStopped = false;
      const controller = defineController(Box, {
        owns: [Part],
        async reconcile() {
          assert.equal(isStopped, false, "a reconcile began after stop()");
          begun++;
        },
      });
      const manager = create(client, { controllers: [controller] });
      const starting = manager.start().then(
        () => "started",
        (error: unknown) => String(error),
      );
      if (afterMs !== undefined) await sleep(afterMs);
      const at = performance.now();
      await manager.stop();
      isStopped = true;
      assert.ok(performance.now() - at < 1000, `stop took ${performance.now() - at} ms`);
      assert.match(await starting, /^started$|ERR_MANAGER_STOPPED/);
      await sleep(20);
      assert.deepEqual(manager.freshness(), [], "informers go on");
      assert.ok(begun <= 3);
    }
  });

  it("an index function that throws is logged with its object, and stops no other", async () => {
    const client = await openClient();
    for (const name of ["bad", "good"]) await client.create(Box, Box(name, {}));
    const reconciled: string[] = [];
    const logged: string[] = [];
    const controller = defineController(Box, {
      indexes: {
        byName: index(Box, ({ metadata: { name } }) => {
          if (name === "bad") throw new Error("an index went wrong");
          return [name];
        }),
      },
      reconcile: async ({ object }) => void reconciled.push(object.metadata.name),
    });
    const error = (line: string): void => void logged.push(line);
    const manager = create(client, { controllers: [controller], log: { ...silentLog, error } });
    await manager.start();
    await until(() => reconciled.includes("good"));
    await manager.stop();
    assert.match(logged.join("\n"), /the Box cache threw for \S+\/bad: .*an index went wrong/);
    assert.doesNotMatch(logged.join("\n"), /good/);
  });

  it("stop() in every log line of a start", async () => {
    const client = await openClient();
    await client.create(Box, Box("logged", {}));
    for (const line of [/^starting/, /^caches synced/]) {
      let begun = 0;
      let stopping: Promise<void> | undefined;
      const controller = defineController(Box, { reconcile: () => void begun++ });
      const info = (message: string): void => {
        if (line.test(message)) stopping = manager.stop();
      };
      const manager = create(client, { controllers: [controller], log: { ...silentLog, info } });
      await assert.rejects(manager.start(), /ERR_MANAGER_STOPPED/);
      await stopping;
      assert.equal(begun, 0);
      assert.deepEqual(manager.freshness(), []);
    }
  });

  it("stop() while one kind is not served and keys of another are queued", async () => {
    const client = await openClient();
    await client.create(Box, Box("early", {}));
    const Absent = defineResource({ ...lawsApi, kind: "Absent", spec: z.object({}) });
    const controller = defineController(Box, { owns: [Absent], async reconcile() {} });
    const manager = create(client, { controllers: [controller] });
    let hasSettled = false;
    const starting = assert
      .rejects(manager.start(), /ERR_MANAGER_STOPPED/)
      .then(() => (hasSettled = true));
    await until(() => manager.freshness().some(({ freshness }) => freshness.synced));
    const at = performance.now();
    await manager.stop();
    assert.ok(performance.now() - at < 1000, `stop took ${performance.now() - at} ms`);
    await sleep(0);
    assert.equal(hasSettled, true, "the start goes on after stop()");
    await starting;
  });

  it("begins no reconcile after stop(), whatever is queued", async () => {
    const client = await openClient();
    let begun = 0;
    let ended = 0;
    const controller = defineController(Box, {
      async reconcile() {
        begun++;
        await sleep(50);
        ended++;
      },
    });
    const manager = create(client, { controllers: [controller] });
    for (let i = 0; i < 10; i++) await client.create(Box, Box(`queued-${i}`, {}));
    await manager.start();
    await until(() => begun === 1);
    const stopping = manager.stop();
    const before = begun;
    await stopping;
    assert.equal(begun, before);
    assert.equal(ended, before, "a running reconcile finishes");
  });

  it("a second manager under the names of a running one is refused, until that one has stopped", async () => {
    const client = await openClient();
    const controllers = [defineController(Box, { async reconcile() {} })];
    const first = create(client, { controllers });
    await first.start();
    const second = create(await openClient(), { controllers });
    await assert.rejects(second.start(), /ERR_CONTROLLER_RUNNING.*life\/box/);
    await second.stop();
    const other = create(client, { controllers, operator: "another-life" });
    await other.start();
    await other.stop();
    const shared = create(client, {
      operator: "thief",
      controllers: [defineController(Box, { fieldManager: "life/box", async reconcile() {} })],
    });
    await assert.rejects(shared.start(), /ERR_CONTROLLER_RUNNING/, "names set by hand count too");
    const finalizer = "laws.example.com/life.box";
    const heir = create(client, {
      operator: "heir",
      controllers: [defineController(Box, { finalizer, async reconcile() {} })],
    });
    await assert.rejects(heir.start(), /ERR_CONTROLLER_RUNNING.*laws.example.com\/life.box/);
    await first.stop();
    const third = create(client, { controllers });
    await third.start();
    await third.stop();
  });

  it("a manager that could not start leaves its names free", async () => {
    const client = await openClient();
    const controllers = [defineController(Box, { async reconcile() {} })];
    const first = create(client, { controllers });
    const starting = first.start().catch(() => {});
    await first.stop();
    await starting;
    const second = create(client, { controllers });
    await second.start();
    await second.stop();
  });
});
