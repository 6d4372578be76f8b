// Replicas of one operator that elect a leader: who works, what a standby does, how a leader leaves
// and how it is deposed.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type Controller,
  createManager,
  defineController,
  type Manager,
  type ManagerOptions,
  ref,
} from "homeostat";
import type { Client } from "homeostat/client";
import { createSystemRuntime } from "homeostat/runtime";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap, Event } from "homeostat/k8s/core/v1";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { createReplica as hearReplica, createWork, timings } from "../fixtures/replicas.ts";
import { until } from "../fixtures/until.ts";

/** A process that can be stopped, and continued when its deadlines have passed. */
function stoppable() {
  const system = createSystemRuntime();
  let stoppedMs = 0;
  const monotonic = (): number => system.clock.monotonic() + stoppedMs;
  const runtime = { ...system, clock: { ...system.clock, monotonic } };
  return { runtime, stop: () => void (stoppedMs += timings.renewDeadlineMs) };
}

function createReplica(
  client: Client,
  identity: string,
  controllers: readonly Controller[],
  { election, ...options }: Partial<ManagerOptions> = {},
) {
  const replica = hearReplica(client, controllers, {
    election: { namespace: client.namespace, identity, ...timings, ...election },
    ...options,
  });
  return { ...replica, role: () => replica.manager.elections()[0]?.role };
}

const stopAll = (...managers: readonly Manager[]): Promise<unknown> =>
  Promise.all(managers.map((manager) => manager.stop()));

describeLaws("election", ({ client, replica }) => {
  it("one replica works, and the next begins at once when it stops", async () => {
    const plain = await client();
    const { controller: by, done, has, took } = createWork();
    const counted = { metrics: { port: false } } as const;
    const one = createReplica(await replica(plain), "one", [by("one")], counted);
    const two = createReplica(await replica(plain), "two", [by("two")], counted);
    const status = ({ manager }: typeof one): string | undefined =>
      /^leader_election_master_status\{name="laws"\} (\d)$/m.exec(manager.metrics())?.[1];
    await plain.create(Box, Box("old", {}));
    await one.manager.start();
    await took("one old");
    await two.manager.start();
    await until(() => two.lines.includes("info: standing by: one leads"));
    await plain.create(Box, Box("new", {}));
    await plain.create(Box, Box("gone", {}));
    await took("one gone");
    await plain.delete(Box, "gone");
    assert.deepEqual([one.role(), two.role()], ["leading", "standing by"]);
    assert.deepEqual([status(one), status(two)], ["1", "0"]);
    assert.equal(two.manager.elections()[0]?.holder, "one");
    assert.deepEqual(two.manager.readiness(), { ready: true, reasons: [] });
    assert.equal(
      done.some(([, who]) => who === "two"),
      false,
    );
    await until(() => two.manager.cacheStats()[0]?.objects === 2);
    await one.manager.stop();
    await Promise.all([took("two old"), took("two new")]);
    const { spec } = await plain.get(Lease, "laws");
    assert.deepEqual([spec.holderIdentity, spec.leaseTransitions], ["two", 1]);
    assert.deepEqual(one.lines.slice(-3), [
      "info: stopping laws",
      `info: released the Lease ${plain.namespace}/laws`,
      "info: stopped laws",
    ]);
    assert.ok(
      one.lines.includes("info: leading as one") && one.lines.includes("info: started laws"),
    );
    await two.manager.stop();
    assert.equal((await plain.get(Lease, "laws")).spec.holderIdentity ?? "", "");
    assert.equal(has("two gone"), false);
    const { items } = await plain.list(Event, { namespace: plain.namespace });
    const said = items.filter(({ reason }) => reason === "LeaderElection");
    assert.deepEqual(
      said.map(({ message, source }) => `${source?.component}: ${message}`).toSorted(),
      [
        "one: one became leader",
        "one: one stopped leading",
        "two: two became leader",
        "two: two stopped leading",
      ],
    );
    assert.equal(said[0]!.involvedObject.kind, "Lease");
  });

  it("no standby works while a reconcile that was cut goes on, unless it outlives the Lease", async () => {
    const plain = await client();
    const { controller: by, done, took } = createWork();
    const goesOn = Promise.withResolvers<void>();
    const hangs = defineController(Box, { reconcile: () => goesOn.promise });
    const one = createReplica(await replica(plain), "one", [hangs]);
    const two = createReplica(await replica(plain), "two", [by("two")]);
    await plain.create(Box, Box("box", {}));
    await one.manager.start();
    await two.manager.start();
    await until(() => one.manager.states().some(({ progress }) => progress.at === "running"));
    await one.manager.stop({ timeoutMs: 0 });
    assert.deepEqual([two.role(), done], ["standing by", []]);
    assert.equal((await plain.get(Lease, "laws")).spec.holderIdentity, "one");
    const kept = /^warn: the Lease \S+\/laws is not released .* Box \S+\/box/;
    assert.ok(
      one.lines.some((line) => kept.test(line)),
      one.lines.join("\n"),
    );
    goesOn.resolve();
    await took("two box");
    await two.manager.stop();
  });

  it("one that cannot renew stops its work, writes nothing any more, and ends", async () => {
    const plain = await client();
    const { controller: by, took } = createWork();
    const aborted = Promise.withResolvers<string>();
    const goesOn = Promise.withResolvers<void>();
    const hangs = defineController(Box, {
      async reconcile({ client: own, signal }) {
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        const written = own.create(ConfigMap, { metadata: { name: "late" } });
        aborted.resolve(
          await written.then(
            () => "written",
            ({ code }) => String(code),
          ),
        );
        await goesOn.promise;
      },
    });
    const one = createReplica(await replica(plain), "one", [hangs]);
    const two = createReplica(await replica(plain), "two", [by("two")]);
    await plain.create(Box, Box("box", {}));
    const running = one.manager.run();
    await until(() => one.role() === "leading");
    await two.manager.start();
    one.cut();
    await assert.rejects(running, { code: "ERR_ELECTION_LOST" });
    assert.match(await aborted.promise, /^ERR_(ELECTION_FENCED|RUN_ENDED)$/);
    const lost = /^error: lost the Lease \S+\/laws: it was not renewed within 1\.2 s/;
    assert.ok(
      one.lines.some((line) => lost.test(line)),
      one.lines.join("\n"),
    );
    await took("two box");
    goesOn.resolve();
    assert.equal(
      one.sent.some((line) => /^POST .*configmaps/.test(line)),
      false,
    );
    await two.manager.stop();
  });

  it("one that stands by again works anew when it leads again", async () => {
    const plain = await client();
    const { controller: by, done, has, took } = createWork();
    const refs = defineController(Part, {
      refs: { box: ref(Box, (part) => part.spec.of) },
      reconcile() {},
    });
    const election = { whenLost: "standBy" } as const;
    const one = createReplica(await replica(plain), "one", [by("one"), refs], { election });
    const two = createReplica(await replica(plain), "two", [by("two"), refs], { election });
    await plain.create(Box, Box("box", {}));
    await one.manager.start();
    await took("one box");
    await two.manager.start();
    one.cut();
    await took("two box");
    one.mend();
    await until(() => one.lines.includes("info: standing by: two leads"));
    await plain.create(Box, Box("other", {}));
    await took("two other");
    assert.equal(has("one other"), false);
    done.length = 0;
    await two.manager.stop();
    await took("one box");
    await plain.create(Box, Box("more", {}));
    await took("one more");
    await one.manager.stop();
  });

  it("one that stands by again does so when nothing of its old work runs", async () => {
    const plain = await client();
    const goesOn = Promise.withResolvers<void>();
    let runs = 0;
    const hangs = defineController(Box, {
      async reconcile() {
        runs++;
        await goesOn.promise;
      },
    });
    const one = createReplica(await replica(plain), "one", [hangs], {
      election: { whenLost: "standBy" },
    });
    await plain.create(Box, Box("box", {}));
    await one.manager.start();
    await until(() => runs === 1);
    await plain.patch(Lease, "laws", {
      type: "merge",
      body: { spec: { holderIdentity: "thief" } },
    });
    await until(() => one.lines.some((line) => line.includes("thief holds it")));
    await sleep(400);
    assert.equal(one.role(), "ended");
    goesOn.resolve();
    await until(() => runs === 2);
    assert.equal(one.role(), "leading");
    await one.manager.stop();
  });

  it("one that was stopped for longer than its deadline writes nothing", async () => {
    const plain = await client();
    const { runtime, stop } = stoppable();
    const continued = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<string>();
    const stopped = defineController(Box, {
      async reconcile({ client: own }) {
        await continued.promise;
        stop();
        const written = own.create(ConfigMap, { metadata: { name: "late" } });
        await written.catch(({ code }) => refused.resolve(code));
      },
    });
    const one = createReplica(await replica(plain), "one", [stopped], { runtime });
    await plain.create(Box, Box("box", {}));
    const running = one.manager.run();
    await until(() => one.manager.states().some(({ progress }) => progress.at === "running"));
    continued.resolve();
    assert.equal(await refused.promise, "ERR_ELECTION_FENCED");
    await assert.rejects(running, { code: "ERR_ELECTION_LOST" });
    assert.equal(one.sent.includes(`POST /api/v1/namespaces/${plain.namespace}/configmaps`), false);
  });

  it("one that was stopped as it began to lead says nothing of it", async () => {
    const plain = await client();
    const { runtime, stop } = stoppable();
    const { controller: by } = createWork();
    const { log } = recordLog();
    const info = (message: string): void => void (message.startsWith("leading as") && stop());
    const options = { runtime, log: { ...log, info } };
    const one = createReplica(await replica(plain), "one", [by("one")], options);
    await assert.rejects(one.manager.run(), { code: "ERR_ELECTION_LOST" });
    assert.deepEqual(
      one.sent.filter((line) => /^(?:POST|PATCH) .*\/events/.test(line)),
      [],
    );
  });

  it("a controller that needs no leader works in every replica", async () => {
    const plain = await client();
    const { controller: by, took } = createWork();
    const everywhere = (who: string) =>
      defineController(Part, {
        needLeaderElection: false,
        reconcile: async ({ client: own, object }) => {
          const name = `${object.metadata.name}-${who}`;
          await own.apply(ConfigMap, ConfigMap(name, {}));
        },
      });
    const one = createReplica(await replica(plain), "one", [by("one"), everywhere("one")]);
    const two = createReplica(await replica(plain), "two", [by("two"), everywhere("two")], {
      election: { standby: "cold" },
    });
    await plain.create(Part, Part("part", { of: "box" }));
    await plain.create(Box, Box("box", {}));
    await one.manager.start();
    await until(() => one.role() === "leading");
    await two.manager.start();
    for (const who of ["one", "two"]) await until(() => plain.find(ConfigMap, `part-${who}`));
    assert.deepEqual(
      two.manager.cacheStats().map(({ kind }) => kind.kind),
      ["Part"],
    );
    await one.manager.stop();
    await took("two box");
    await two.manager.stop();
  });

  it("a cold standby watches nothing before it leads", async () => {
    const plain = await client();
    const { controller: by, took } = createWork();
    const one = createReplica(await replica(plain), "one", [by("one")]);
    const two = createReplica(await replica(plain), "two", [by("two")], {
      election: { standby: "cold" },
    });
    await plain.create(Box, Box("box", {}));
    await one.manager.start();
    await took("one box");
    await two.manager.start();
    await until(() => two.role() === "standing by" && two.lines.length > 1);
    assert.equal(
      two.sent.some((line) => line.includes("boxes")),
      false,
    );
    assert.equal(two.lines.includes("info: started laws"), false);
    await one.manager.stop();
    await took("two box");
    await until(() => two.lines.includes("info: started laws"));
    await two.manager.stop();
  });

  it("is said to have no effect where no controller needs it", async () => {
    const everywhere = defineController(Box, { needLeaderElection: false, async reconcile() {} });
    const { manager, lines } = createReplica(await client(), "one", [everywhere]);
    await manager.start();
    assert.deepEqual(manager.elections(), []);
    assert.deepEqual(
      lines.filter((line) => line.startsWith("warn")),
      [
        "warn: election has no effect: each controller has needLeaderElection: false, and runs in every replica",
      ],
    );
    await manager.stop();
  });

  it("elects in the namespace of the client outside of a pod", async () => {
    const plain = await client();
    const { controller: by } = createWork();
    const options = { operator: "laws", controllers: [by("one")], client: plain, election: {} };
    const { log, lines } = recordLog();
    const manager = createManager({ ...options, log });
    await manager.start();
    await until(() => manager.elections()[0]?.role === "leading");
    assert.equal(manager.elections()[0]!.lease, `${plain.namespace}/laws`);
    assert.match(
      lines.join("\n"),
      new RegExp(`the Leases of laws are in namespace ${plain.namespace};`),
    );
    await stopAll(manager);
  });
});
