// The clock of a test cluster: what is due in the time that a test skips happens, in order, at its
// own time.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testCluster, type TestClusterOptions } from "@homeostat/testing";
import {
  type Controller,
  defineController,
  defineResource,
  isHomeostatError,
  phase,
  phaseMachine,
  phaseStatus,
  finalPhase,
} from "homeostat";
import { CronJob, Job } from "homeostat/k8s/batch/v1";
import { Event, Node, Pod, ServiceAccount } from "homeostat/k8s/core/v1";
import { setNodeReadiness, setPodFate } from "@homeostat/testing";
import * as z from "zod";

const minute = 60_000;
const Box = defineResource({
  group: "clock.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({ size: z.int().default(1) }),
  status: z.object({ seen: z.int(), machine: phaseStatus().optional() }),
});
const open = (controllers: readonly Controller[] = [], more: TestClusterOptions = {}) =>
  testCluster({ resources: [Box], controllers, controlPlane: "none", ...more });
const code = (wanted: string, message: RegExp) => (error: unknown) => {
  assert.ok(isHomeostatError(error), String(error));
  assert.equal(error.code, wanted);
  assert.match(error.message, message);
  return true;
};

describe("the clock of a test cluster", { timeout: 120_000 }, () => {
  it("runs what is due at its own time, in order, and both clocks go on from there", async () => {
    const ran: string[] = [];
    const at: number[] = [];
    const often = defineController(Box, {
      reconcile({ object, retry }) {
        ran.push(object.metadata.name);
        at.push(cluster.clock.now());
        return retry.in(object.metadata.name === "tens" ? "10m" : "15m");
      },
    });
    await using cluster = await open([often]);
    const before = cluster.clock.now();
    assert.ok(Math.abs(before - Date.now()) < 1000);
    await cluster.client.create(Box, Box("tens", {}));
    await cluster.settle();
    await cluster.client.create(Box, Box("fifteens", {}));
    await cluster.settle();
    const began = performance.now();
    await cluster.clock.advance("41m");
    assert.ok(performance.now() - began < 5000);
    const all = ["tens", "fifteens", "tens", "fifteens", "tens", "fifteens", "tens", "tens"];
    assert.deepEqual(ran.toSorted(), all.slice(0, 8).toSorted().slice(0, ran.length));
    const tens = at.filter((_, i) => ran[i] === "tens");
    assert.deepEqual(
      tens.slice(1).map((each, i) => Math.round((each - tens[i]!) / 1000)),
      [600, 600, 600, 600],
    );
    const order = ran.slice(2);
    assert.deepEqual(order, ["tens", "fifteens", "tens", "tens", "fifteens", "tens"]);
    const passed = cluster.clock.now() - before;
    assert.ok(passed >= 41 * minute && passed < 41 * minute + 10_000, `${passed}`);
    assert.deepEqual(
      at.toSorted((a, b) => a - b),
      at,
    );
  });

  it("lets what one timer causes end before the next runs", async () => {
    const told: string[] = [];
    let seen = 0;
    const counts = defineController(Box, {
      reconcile({ object, status, retry }) {
        told.push(`${object.metadata.name} ${seen}`);
        status({ seen: ++seen });
        return retry.in("1h");
      },
    });
    await using cluster = await open([counts]);
    await cluster.client.create(Box, Box("a", {}));
    await cluster.settle();
    await cluster.clock.advance("5h1s");
    assert.deepEqual(told, ["a 0", "a 1", "a 2", "a 3", "a 4", "a 5"]);
    assert.equal((await cluster.client.get(Box, "a")).status.seen, 6);
  });

  it("drives the back-off of what fails", async () => {
    let runs = 0;
    const fails = defineController(Box, {
      reconcile() {
        runs++;
        throw new Error("the glue is dry");
      },
    });
    await using cluster = await open([fails], { failures: "report" });
    await cluster.client.create(Box, Box("a", {}));
    await cluster.clock.advance("1h");
    // 5 ms, doubled up to 1000 s: 18 tries within 1311 s, then one in 1000 s.
    assert.equal(runs, 21);
  });

  it("drives deadlines of phases", async () => {
    const machine = phaseMachine({
      initial: "dig",
      phases: {
        dig: phase({
          deadline: "2h",
          observe: async () => undefined,
          decide: (_, { wait }) => wait("the digger"),
        }),
        done: finalPhase,
      },
    } as never);
    const digs = defineController(Box, { reconcile: machine as never });
    await using cluster = await open([digs]);
    await cluster.client.create(Box, Box("a", {}));
    await cluster.settle();
    const failed = () => JSON.stringify(cluster.states()[0]?.progress).includes("longer than 2h");
    await cluster.clock.advance("119m");
    assert.equal(failed(), false);
    await cluster.clock.advance("2m");
    assert.equal(failed(), true);
  });

  it("drives the TTL of Events and Jobs, tokens, and CronJobs", async () => {
    await using cluster = await open([], {
      controlPlane: ["default", "ttl-after-finished", "cronjob", "job"],
    });
    const { client, clock } = cluster;
    await client.create(Event, {
      metadata: { name: "cooked", namespace: "default" },
      involvedObject: { kind: "Box", name: "a", namespace: "default" },
    } as never);
    const template = {
      spec: { restartPolicy: "Never", containers: [{ name: "c", image: "c" }] },
    } as const;
    await client.create(Job, {
      metadata: { name: "clean" },
      spec: { template, ttlSecondsAfterFinished: 600 },
    } as never);
    await client.create(CronJob, {
      metadata: { name: "hourly" },
      spec: { schedule: "0 * * * *", jobTemplate: { spec: { template } } },
    } as never);
    await client.create(ServiceAccount, { metadata: { name: "cook" } } as never);
    await cluster.settle();
    const now = new Date(clock.now()).toISOString();
    const done = (type: string) => ({
      type,
      status: "True",
      reason: "Done",
      message: "",
      lastTransitionTime: now,
    });
    await client.patch(
      Job,
      "clean",
      {
        type: "merge",
        body: {
          status: {
            completionTime: now,
            startTime: now,
            active: 0,
            succeeded: 1,
            conditions: [done("SuccessCriteriaMet"), done("Complete")],
          },
        },
      } as never,
      { subresource: "status" },
    );
    await clock.advance("9m");
    assert.ok(await client.find(Job, "clean"));
    await clock.advance("2m");
    assert.equal(await client.find(Job, "clean"), undefined);
    await clock.advance("48m");
    assert.ok(await client.find(Event, "cooked"));
    await clock.advance("2m");
    assert.equal(await client.find(Event, "cooked"), undefined);
    await clock.advance("2h");
    const jobs = (await client.list(Job)).items.filter(({ metadata }) =>
      metadata.name.startsWith("hourly-"),
    );
    assert.equal(jobs.length, 3);
  });

  it("drives fake nodes and pods, and the leases of nodes", async () => {
    await using cluster = await open([], {
      fakeNodes: 1,
      controlPlane: ["default", "nodelifecycle", "pod-lifecycle"],
    });
    const { client, clock } = cluster;
    await client.create(Pod, {
      metadata: { name: "oven" },
      spec: { containers: [{ name: "c", image: "c" }] },
    } as never);
    await clock.advance("30s");
    assert.equal((await client.get(Pod, "oven")).status?.phase, "Running");
    await setPodFate(client, { name: "oven", namespace: "default" }, "crash-loop");
    await clock.advance("10m");
    const { containerStatuses } = (await client.get(Pod, "oven")).status!;
    assert.ok(containerStatuses![0]!.restartCount >= 4, JSON.stringify(containerStatuses));
    const [{ metadata }] = (await client.list(Node)).items as [Node];
    const ready = async () =>
      (await client.get(Node, metadata.name!)).status?.conditions?.find(
        ({ type }) => type === "Ready",
      )?.status;
    await clock.advance("10m");
    assert.equal(await ready(), "True", "heartbeats go on");
    await setNodeReadiness(client, metadata.name!, "silent");
    await clock.advance("30s");
    assert.equal(await ready(), "True");
    await clock.advance("40s");
    assert.equal(await ready(), "Unknown");
  });

  it("keeps caches fresh over hours", async () => {
    const sees = defineController(Box, {
      reconcile: ({ object, status }) => status({ seen: object.spec.size }),
    });
    await using cluster = await open([sees], { controlPlane: "default" });
    await cluster.clock.advance("2h");
    assert.deepEqual(cluster.manager!.readiness(), { ready: true, reasons: [] });
    await cluster.client.create(Box, Box("late", { size: 7 }));
    await cluster.settle();
    assert.equal((await cluster.client.get(Box, "late")).status.seen, 7);
  });

  it("refuses what is no time, goes back, comes twice or too late", async () => {
    await using cluster = await open();
    const { clock } = cluster;
    await assert.rejects(clock.advance(-1), code("ERR_TEST_CLOCK", /by -1 ms: time does not go b/));
    await assert.rejects(clock.advance("-5m"), code("ERR_TEST_CLOCK", /by -5m: time does not go/));
    await assert.rejects(
      clock.advance("soon"),
      code("ERR_TEST_CLOCK", /by soon: expected a duration such as 90s, 5m or 1h30m, got "soon"$/),
    );
    const first = clock.advance("10m");
    await assert.rejects(clock.advance("1s"), code("ERR_TEST_CLOCK", /being advanced already/));
    await first;
    await clock.advance(0);
    await cluster.close();
    await assert.rejects(clock.advance("1s"), code("ERR_TEST_CLOCK", /has been closed/));
  });

  it("ends when timers never end, and names who sets them", async () => {
    const restless = defineController(Box, {
      reconcile: ({ retry }) => retry.in("1ms", { because: "the paint is wet" }),
    });
    await using cluster = await open([restless]);
    await cluster.client.create(Box, Box("a", {}));
    const before = cluster.clock.now();
    await assert.rejects(
      cluster.clock.advance("10000h", { timeoutMs: 300 }),
      code(
        "ERR_TEST_CLOCK",
        /by 10000h: \d+ timers ran, and no end is in sight; the clock stands at \+\d+ ms:\n {2}Box default\/a \(box\): .*the paint is wet/,
      ),
    );
    assert.ok(cluster.clock.now() - before < 10_000 * 60 * minute);
    await cluster.clock.advance("0.05s");
  });

  it("does not wait for work that waits for real time or for nothing", async () => {
    const hangs = defineController(Box, { reconcile: () => new Promise<void>(() => {}) });
    const cluster = await open([hangs]);
    await cluster.client.create(Box, Box("a", {}));
    const began = performance.now();
    await cluster.clock.advance("5m");
    assert.ok(performance.now() - began < 3000);
    assert.equal(cluster.states()[0]?.progress.at, "running");
    await cluster.clock.advance("6m");
    assert.equal(cluster.states()[0]?.progress.at, "stalled", "abandoned after ten minutes");
    await cluster.close();
  });
});
