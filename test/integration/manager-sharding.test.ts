// Replicas of one operator that share its objects: each object is reconciled by one of them at any
// time, also while replicas join, leave, hang and die.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type Controller,
  createManager,
  defineController,
  type Manager,
  type ManagerOptions,
} from "homeostat";
import type { Client } from "homeostat/client";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { cuttable } from "../fixtures/cuttable.ts";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { createReplica as hearReplica, createWork, timings } from "../fixtures/replicas.ts";
import { until } from "../fixtures/until.ts";

const boxes = 60;

function createReplica(
  client: Client,
  identity: string,
  controllers: readonly Controller[],
  { sharding, ...options }: Partial<ManagerOptions> = {},
) {
  const replica = hearReplica(client, controllers, {
    sharding: { namespace: client.namespace, identity, ...timings, ...sharding },
    ...options,
  });
  return { ...replica, identity, slots: () => replica.manager.rings()[0]!.slots };
}

type Replica = ReturnType<typeof createReplica>;

async function createBoxes(client: Client): Promise<void> {
  const names = Array.from({ length: boxes }, (_, i) => `box-${i}`);
  await Promise.all(names.map((name) => client.create(Box, Box(name, {}))));
}

/** All slots are owned by these, and each has some. */
const shared = (replicas: readonly Replica[]): Promise<unknown> =>
  until(() => {
    const owned = replicas.map((replica) => replica.slots().owned);
    const isWhole = owned.reduce((sum, one) => sum + one, 0) === replicas[0]!.slots().all;
    return isWhole && owned.every((one) => one > 0);
  });

const stopAll = (...managers: readonly Manager[]): Promise<unknown> =>
  Promise.all(managers.map((manager) => manager.stop()));

describeLaws("sharding", ({ client, replica }) => {
  it("slots of a reconcile that was cut and goes on are not given up", async () => {
    const plain = await client();
    const work = createWork();
    const goesOn = Promise.withResolvers<void>();
    const hangs = defineController(Box, { reconcile: () => goesOn.promise });
    const one = createReplica(await replica(plain), "one", [hangs]);
    const two = createReplica(await replica(plain), "two", [work.controller("two")]);
    await plain.create(Box, Box("held", {}));
    await one.manager.start();
    await until(() => one.manager.states().some(({ progress }) => progress.at === "running"));
    await two.manager.start();
    await one.manager.stop({ timeoutMs: 0 });
    const { items } = await plain.list(Lease, { namespace: plain.namespace });
    assert.ok(items.some(({ spec }) => spec.holderIdentity === "one"));
    assert.equal(work.last().has("held"), false);
    assert.ok(
      one.lines.some((line) => /^warn: the Lease \S+ is not released .*\/held/.test(line)),
      one.lines.join("\n"),
    );
    goesOn.resolve();
    await until(() => work.last().has("held"));
    await two.manager.stop();
  });

  it("replicas share the objects, also when one joins and one stops", async () => {
    const plain = await client();
    const work = createWork();
    const make = async (who: string) =>
      createReplica(await replica(plain), who, [work.controller(who)]);
    const [one, two, three] = [await make("one"), await make("two"), await make("three")];
    await createBoxes(plain);
    await Promise.all([one, two, three].map(({ manager }) => manager.start()));
    await shared([one, two, three]);
    await until(() => work.last().size === boxes && work.who().length === 3);
    const four = createReplica(await replica(plain), "four", [work.controller("four")], {
      metrics: { port: false },
    });
    await four.manager.start();
    await shared([one, two, three, four]);
    await until(() => work.who().includes("four"));
    const { owned } = four.slots();
    for (const sample of [
      'homeostat_ring_members{name="laws"} 4',
      `homeostat_ring_slots{name="laws",part="owned"} ${owned}`,
      'homeostat_ring_slots{name="laws",part="draining"} 0',
    ])
      assert.ok(four.manager.metrics().includes(`${sample}\n`), sample);
    // Nothing is kept of what others reconcile.
    const kept = () =>
      [one, two, three, four].flatMap(({ manager }) => manager.states()).length === boxes;
    await until(kept);
    assert.deepEqual(four.manager.readiness(), { ready: true, reasons: [] });
    work.done.length = 0;
    await two.manager.stop();
    await shared([one, three, four]);
    const { items } = await plain.list(Lease, { namespace: plain.namespace });
    assert.deepEqual(items.map(({ spec }) => spec.holderIdentity).toSorted(), [
      "four",
      "one",
      "three",
    ]);
    assert.ok(two.lines.includes("info: left the ring of laws"), two.lines.join("\n"));
    await until(() => work.done.length > 0);
    assert.equal(
      work.done.some(([, who]) => who === "two"),
      false,
    );
    const line =
      /^info: 4 replicas share the objects \(four, one, three, two\); this one has \d+ of 1024 slots, \d+ more$/;
    assert.ok(
      four.lines.some((text) => line.test(text)),
      four.lines.join("\n"),
    );
    assert.deepEqual(work.faults, []);
    await stopAll(one.manager, three.manager, four.manager);
  });

  it("a share changes hands when its last reconcile has ended", async () => {
    const plain = await client();
    const work = createWork(100);
    const one = createReplica(await replica(plain), "one", [work.controller("one")]);
    await createBoxes(plain);
    await one.manager.start();
    await until(() => work.done.length >= 4);
    const two = createReplica(await replica(plain), "two", [work.controller("two")]);
    await two.manager.start();
    await shared([one, two]);
    await until(() => work.who().length === 2);
    for (let i = 0; i < 20; i++)
      await plain.patch(Box, `box-${i}`, { type: "merge", body: { spec: { label: "again" } } });
    await one.manager.stop();
    await shared([two]);
    await until(() => work.last().size === boxes && work.who().join() === "two");
    assert.deepEqual(work.faults, []);
    await two.manager.stop();
  });

  it("one that cannot renew stops its work, writes nothing any more, and ends", async () => {
    const plain = await client();
    const work = createWork();
    const written = Promise.withResolvers<string>();
    const hangs = defineController(Box, {
      async reconcile({ client: own, signal }) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        const late = own.create(ConfigMap, { metadata: { name: "late" } });
        written.resolve(
          await late.then(
            () => "written",
            ({ code }) => String(code),
          ),
        );
      },
    });
    const one = createReplica(await replica(plain), "one", [hangs]);
    const two = createReplica(await replica(plain), "two", [work.controller("two")]);
    await createBoxes(plain);
    const running = one.manager.run();
    await until(() => one.manager.states().some(({ progress }) => progress.at === "running"));
    one.cut();
    await assert.rejects(running, { code: "ERR_ELECTION_LOST" });
    assert.match(await written.promise, /^ERR_(ELECTION_FENCED|RUN_ENDED)$/);
    await two.manager.start();
    await until(() => work.last().size === boxes);
    assert.equal(
      one.sent.some((line) => /^POST .*configmaps/.test(line)),
      false,
    );
    await two.manager.stop();
  });

  it("one that joins again works anew for its share", async () => {
    const plain = await client();
    const work = createWork();
    const sharding = { whenLost: "rejoin" } as const;
    const make = async (who: string) =>
      createReplica(await replica(plain), who, [work.controller(who)], { sharding });
    const [one, two] = [await make("one"), await make("two")];
    await createBoxes(plain);
    await Promise.all([one.manager.start(), two.manager.start()]);
    await shared([one, two]);
    one.cut();
    await until(() => work.last().size === boxes && work.who().join() === "two");
    one.mend();
    await shared([one, two]);
    await until(() => work.who().length === 2);
    assert.deepEqual(work.faults, []);
    await stopAll(one.manager, two.manager);
  });

  it("leaves the slots of a Lease that a stranger deletes until it would have expired", async () => {
    const plain = await client();
    const work = createWork();
    const make = async (who: string) =>
      createReplica(await replica(plain), who, [work.controller(who)]);
    const [one, two] = [await make("one"), await make("two")];
    await createBoxes(plain);
    const running = one.manager.run();
    running.catch(() => {});
    await two.manager.start();
    await shared([one, two]);
    const { owned } = two.slots();
    const { lease } = one.manager.rings()[0]!;
    await plain.delete(Lease, lease.split("/")[1]!);
    await assert.rejects(running, { code: "ERR_ELECTION_LOST", message: /its Lease was deleted/ });
    assert.equal(two.slots().owned, owned);
    await shared([two]);
    await two.manager.stop();
  });

  it("keeps together what a controller asks for", async () => {
    const plain = await client();
    const work = createWork();
    const alone = createWork();
    const make = async (who: string) =>
      createReplica(await replica(plain), who, [
        work.controller(who, { shardBy: "namespace" }),
        defineController(Box, {
          name: "whole",
          shardBy: "controller",
          reconcile: ({ object }) => void alone.done.push([object.metadata.name, who]),
        }),
      ]);
    const [one, two] = [await make("one"), await make("two")];
    await Promise.all([one.manager.start(), two.manager.start()]);
    await shared([one, two]);
    await createBoxes(plain);
    await until(() => work.last().size === boxes && alone.last().size === boxes);
    assert.deepEqual([work.who().length, alone.who().length], [1, 1]);
    await stopAll(one.manager, two.manager);
  });

  it("is not ready before it takes part", async () => {
    const plain = await client();
    const own = await replica(plain);
    const leases = cuttable(own, "/leases");
    const one = createReplica(own, "one", [createWork().controller("one")]);
    leases.cut();
    await one.manager.start();
    const reasons = () => one.manager.readiness().reasons.join();
    const awaited = /^the Lease \S+, by which this replica shares the objects, is not written/;
    await until(() => awaited.test(reasons()));
    leases.mend();
    await until(() => one.slots().owned === one.slots().all);
    assert.deepEqual(one.manager.readiness(), { ready: true, reasons: [] });
    await one.manager.stop();
  });

  it("shares in the namespace of the client outside of a pod", async () => {
    const plain = await client();
    const { log, lines } = recordLog();
    const controllers = [createWork().controller("one")];
    const options = { operator: "laws", controllers, client: plain, log, sharding: {} };
    const manager = createManager(options);
    await manager.start();
    await until(() => manager.rings()[0]?.role === "member");
    assert.match(manager.rings()[0]!.lease, new RegExp(`^${plain.namespace}/laws-`));
    assert.match(
      lines.join("\n"),
      new RegExp(`the Leases of laws are in namespace ${plain.namespace};`),
    );
    await manager.stop();
  });
});
