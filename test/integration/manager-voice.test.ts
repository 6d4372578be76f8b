// What a manager says about itself, and what it may share a process with: a stop that waits, Events
// that are refused, replicas, and a finalizer that is left over.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, type ManagerOptions } from "homeostat";
import { createVoice, intercept, recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const merge = (body: object) => ({ type: "merge" as const, body });

describeLaws("a manager's voice", ({ client: open }) => {
  it("a stop says what it waits for", async () => {
    const client = await open();
    const { lines, log } = recordLog();
    const { promise, resolve } = Promise.withResolvers<void>();
    let begun = 0;
    const controller = defineController(Box, {
      concurrency: 7,
      async reconcile({ step }) {
        begun++;
        await step("dig", () => promise);
      },
    });
    const manager = createVoice(client, {
      controllers: [controller],
      namespace: client.namespace,
      log,
      shutdownTimeoutMs: 10_000,
    });
    await manager.start();
    for (let i = 0; i < 7; i++) await client.create(Box, Box(`b${i}`, {}));
    await until(() => begun === 7);
    const stopping = manager.stop();
    await until(() => lines.some((line) => line.startsWith("info: stopping: ")), {
      timeoutMs: 3000,
    });
    const said = lines.find((line) => line.startsWith("info: stopping: "))!;
    assert.match(
      said,
      /^info: stopping: waiting for 7 reconciles to end: Box \S+\/b\d \(\d+ s, in step "dig"\), .* and 2 more$/,
    );
    resolve();
    await stopping;
    assert.equal(lines.at(-1), "info: stopped voice");
    const count = lines.length;
    await sleep(1200);
    assert.equal(lines.length, count, "it goes on after the stop");
  });

  it("Events that the server refuses are named once", async (test) => {
    const client = await open();
    const worker = await open();
    const { lines, log } = recordLog();
    intercept(test, worker, (line) => (line.includes("/events") ? "forbid" : "pass"));
    const controller = defineController(Box, {
      async reconcile({ recorder, object }) {
        recorder.event("Normal", `Seen${object.metadata.name}`, object.metadata.name);
      },
    });
    const manager = createVoice(worker, {
      controllers: [controller],
      namespace: client.namespace,
      log,
    });
    await manager.start();
    for (const name of ["A", "B", "C"])
      await client.create(Box, Box(name.toLowerCase(), { label: name }));
    const refused = () => lines.filter((line) => line.includes("refuses Events of voice/box"));
    await until(() => refused().length > 0);
    await until(() => manager.isIdle());
    await sleep(200);
    await manager.stop();
    assert.equal(refused().length, 1, refused().join("\n"));
    assert.match(refused()[0]!, /^warn: .* in namespace test-\w+: POST .* is forbidden$/);
  });

  it("replicas of an operator may share a process where all of them allow it", async () => {
    const client = await open();
    const { log } = recordLog();
    const { namespace } = client;
    const replica = (options: Partial<ManagerOptions> = {}) =>
      createVoice(client, {
        controllers: [defineController(Box, { reconcile() {} })],
        namespace,
        log,
        ...options,
      });
    const first = replica({ allowReplicas: true });
    const second = replica({ allowReplicas: true });
    await first.start();
    await second.start();
    const stranger = replica();
    await assert.rejects(stranger.start(), /ERR_CONTROLLER_RUNNING/);
    await first.stop();
    await second.stop();
    const alone = replica();
    await alone.start();
    await assert.rejects(replica({ allowReplicas: true }).start(), /ERR_CONTROLLER_RUNNING/);
    await alone.stop();
  });

  it("an operator that has no finalize any more still removes its finalizer", async () => {
    const client = await open();
    const { log } = recordLog();
    const { namespace } = client;
    const isDone: string[] = [];
    const before = defineController(Box, { reconcile() {}, finalize: () => void isDone.push("x") });
    const afterwards = defineController(Box, { reconcile() {} });
    const old = createVoice(client, { controllers: [before], namespace, log });
    await old.start();
    for (const name of ["gone", "live", "foreign"]) await client.create(Box, Box(name, {}));
    const finalizers = async (name: string) => (await client.get(Box, name)).metadata.finalizers;
    await until(async () => (await finalizers("foreign"))?.length === 1);
    await until(async () => (await finalizers("live"))?.length === 1);
    await until(async () => (await finalizers("gone"))?.length === 1);
    await old.stop();
    const own = (await finalizers("foreign"))!;
    const both = merge({ metadata: { finalizers: [...own, "example.com/other"] } });
    await client.patch(Box, "foreign", both);
    await client.delete(Box, "gone");
    const young = createVoice(client, { controllers: [afterwards], namespace, log });
    await young.start();
    await until(async () => !(await client.find(Box, "gone")));
    await client.delete(Box, "foreign");
    await until(async () => (await finalizers("foreign"))?.join() === "example.com/other");
    await client.delete(Box, "live");
    await until(async () => !(await client.find(Box, "live")));
    assert.deepEqual(isDone, []);
    await young.stop();
    await client.patch(Box, "foreign", merge({ metadata: { finalizers: null } }));
  });
});
