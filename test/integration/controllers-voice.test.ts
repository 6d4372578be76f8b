// What controllers say of their objects: conditions that kstatus reads, Events, and the log.
import assert from "node:assert/strict";
import { it } from "node:test";
import { inspect } from "node:util";
import {
  createManager,
  defineController,
  defineResource,
  installDefinitions,
  type Manager,
  type ManagerOptions,
  ref,
  silentLog,
  terminal,
} from "homeostat";
import type { Client } from "homeostat/client";
import { ConfigMap, Event } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { Box, describeLaws, lawsApi, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** Type, reason and message of the conditions that are true. */
async function conditionsOf(client: Client, name: string): Promise<readonly string[]> {
  const { status } = await client.get(Box, name);
  const all = (status?.conditions ?? []) as readonly object[] as readonly Record<string, unknown>[];
  return all.map((one) => `${one["type"]}=${one["status"]} ${one["reason"]}: ${one["message"]}`);
}

async function eventsOf(client: Client, name: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace: client.namespace });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message, count }) => `${type} ${reason} ${message} x${count}`);
}

const relabel = (client: Client, name: string, label: string) =>
  client.patch(Box, name, { type: "merge", body: { spec: { label } } });

describeLaws("what they say", ({ client: openClient, run }) => {
  it("keeps Reconciling and Stalled from the results, present only while true", async () => {
    const controller = defineController(Box, {
      async reconcile({ object: { spec }, wait, retry, status }) {
        if (spec.label === "wait") return wait.for("two eggs");
        if (spec.label === "retry") return retry.in("1h", { because: "the oven is hot" });
        if (spec.label === "poll") return retry.in("1h");
        if (spec.label === "bug") throw new TypeError("undefined.bar");
        if (spec.label === "terminal") throw terminal("unknown dish");
        if (spec.label === "invalid") status({ count: "many" as never });
        return undefined;
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("said", { label: "wait" }));
      const expected: readonly (readonly [string, RegExp | undefined])[] = [
        ["wait", /^Reconciling=True Waiting: waiting for two eggs$/],
        ["retry", /^Reconciling=True Retrying: the oven is hot$/],
        ["bug", /^Reconciling=True ReconcileError: undefined.bar$/],
        ["terminal", /^Stalled=True TerminalError: unknown dish$/],
        ["poll", undefined],
        ["bug", /^Reconciling=True ReconcileError: undefined.bar$/],
        ["invalid", /^Reconciling=True \w+: .*status.count/],
        ["done", undefined],
      ];
      for (const [label, condition] of expected) {
        await relabel(client, "said", label);
        let seen: unknown;
        const isSaid = async (): Promise<boolean> => {
          const [first, ...others] = await conditionsOf(client, "said");
          assert.deepEqual(others, [], "one of the two at most");
          const { metadata, status } = await client.get(Box, "said");
          seen = { label, first, status, generation: metadata.generation };
          if (status?.observedGeneration !== metadata.generation) return false;
          return condition === undefined ? first === undefined : condition.test(first ?? "");
        };
        await until(isSaid, { timeoutMs: 5000 }).catch(() => assert.fail(inspect(seen)));
      }
    });
  });

  it("a reference that throws is shown as a reconcile that throws is, until it resolves", async () => {
    const controller = defineController(Box, {
      refs: {
        part: ref(Part, ({ metadata }) => {
          if (metadata.labels?.["broken"]) throw new Error("no such part");
          return "any";
        }),
      },
      async reconcile({ status }) {
        status({ note: "ran" });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, {
        ...Box("referring", {}),
        metadata: { name: "referring", labels: { broken: "yes" } },
      });
      await until(async () =>
        /^Reconciling=True .*no such part/.test((await conditionsOf(client, "referring")).join()),
      );
      const body = { metadata: { labels: { broken: null } } };
      await client.patch(Box, "referring", { type: "merge", body });
      await until(async () => (await client.get(Box, "referring")).status?.note === "ran");
      assert.deepEqual(await conditionsOf(client, "referring"), []);
    });
  });

  it("an error of the server names the line of the user's code that called", async () => {
    const places: string[] = [];
    const log = {
      ...silentLog,
      error: (_: string, { at }: Readonly<Record<string, unknown>> = {}) =>
        void places.push(String(at)),
    };
    const controller = defineController(Box, {
      owns: [ConfigMap],
      async reconcile({ object, client, own }) {
        const bad = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "Bad Name" },
        } as const;
        if (object.metadata.name === "calls") await client.apply(ConfigMap, bad);
        else await own(ConfigMap, [bad]);
      },
    });
    const test = async (client: Client): Promise<void> => {
      await client.create(Box, Box("calls", {}));
      await until(() => places.length === 1);
      await client.create(Box, Box("owns", {}));
      await until(() => places.length === 2);
    };
    await run([controller], test, { log });
    for (const place of places) assert.match(place, /controllers-voice\.test\.ts:\d+:\d+$/);
  });

  it("of an object that was never in trouble nothing is written", async () => {
    let runs = 0;
    const controller = defineController(Box, { reconcile: () => void runs++ });
    await run([controller], async (client) => {
      const { metadata } = await client.create(Box, Box("quiet", {}));
      await until(() => runs === 1);
      await sleep(50);
      const now = await client.get(Box, "quiet");
      assert.equal(now.metadata.resourceVersion, metadata.resourceVersion);
      assert.deepEqual(await eventsOf(client, "quiet"), []);
    });
  });

  it("observedGeneration follows the spec once it was written", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        if (object.metadata.generation === 1) status({ count: 1 });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("observed", {}));
      await until(async () => (await client.get(Box, "observed")).status?.observedGeneration === 1);
      await relabel(client, "observed", "x");
      await until(async () => (await client.get(Box, "observed")).status?.observedGeneration === 2);
    });
  });

  it("two controllers of one kind that both wait do not fight over the conditions", async () => {
    let runs = 0;
    const waiting = (name: string) =>
      defineController(Box, {
        name,
        async reconcile({ wait }) {
          runs++;
          return wait.for(`the ${name}`);
        },
      });
    await run([waiting("egg"), waiting("hen")], async (client) => {
      await client.create(Box, Box("both", {}));
      await until(async () => (await conditionsOf(client, "both")).length === 1);
      await sleep(300);
      assert.ok(runs < 10, `${runs} runs`);
    });
  });

  it("conditions that a resource declares belong to its controller", async () => {
    const Own = defineResource({
      ...lawsApi,
      kind: "Box",
      spec: z.object({}),
      conditions: ["Stalled"],
    });
    const controller = defineController(Own, {
      async reconcile({ condition, wait }) {
        condition("Stalled", "False", "Fine");
        return wait.for("rain");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("declared", {}));
      await until(async () => (await conditionsOf(client, "declared")).length === 2);
      await relabel(client, "declared", "again");
      await until(async () => (await client.get(Box, "declared")).status?.observedGeneration === 2);
      assert.match((await conditionsOf(client, "declared")).join(), /Stalled=False Fine/);
    });
  });

  it("a reconcile that hangs is Stalled until it settles", async () => {
    let release = (): void => {};
    const controller = defineController(Box, {
      timeout: "50ms",
      async reconcile({ object }) {
        if (object.spec.label === "hang") await new Promise<void>((resolve) => (release = resolve));
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("hung", { label: "hang" }));
      await until(async () =>
        /^Stalled=True DeadlineExceeded: .*50ms/.test((await conditionsOf(client, "hung")).join()),
      );
      await relabel(client, "hung", "go on");
      release();
      await until(async () => (await conditionsOf(client, "hung")).length === 0);
      const events = await until(async () => {
        const all = await eventsOf(client, "hung");
        return all.length > 0 ? all : undefined;
      });
      assert.match(events.join(), /Warning DeadlineExceeded .*50ms/);
    });
  });

  it("a loop is Stalled, and well again once it has ended", { timeout: 60_000 }, async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        if (object.spec.label === "loop")
          status({ note: String((object.status.note ?? "1") === "1" ? 2 : 1) });
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("loop", { label: "loop" }));
      await until(async () =>
        /^Stalled=True ReconcileLoop: .*status/.test((await conditionsOf(client, "loop")).join()),
      );
      for (let i = 0; i < 20; i++, await sleep(50))
        assert.match((await conditionsOf(client, "loop")).join(), /^Stalled=True ReconcileLoop/);
      await relabel(client, "loop", "rest");
      await until(async () => (await conditionsOf(client, "loop")).length === 0, {
        timeoutMs: 40_000,
      });
    });
  });

  it("a manager that stops leaves no object Stalled in a loop with itself", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        status({ note: String((object.status.note ?? "1") === "1" ? 2 : 1) });
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("looped", {}));
      await until(async () =>
        /^Stalled=True ReconcileLoop/.test((await conditionsOf(client, "looped")).join()),
      );
      await manager.stop();
      assert.deepEqual(await conditionsOf(client, "looped"), []);
      assert.ok((await client.get(Box, "looped")).status?.note, "the status stays");
    });
  });

  it("nor one that another reconcile holds up", async () => {
    const controller = defineController(Box, {
      concurrency: 2,
      async reconcile({ object, status }) {
        if (object.metadata.name === "hangs") await new Promise(() => {});
        status({ note: String((object.status.note ?? "1") === "1" ? 2 : 1) });
      },
    });
    const test = async (client: Client, manager: Manager): Promise<void> => {
      await client.create(Box, Box("hangs", {}));
      await client.create(Box, Box("looped", {}));
      await until(async () =>
        /^Stalled=True ReconcileLoop/.test((await conditionsOf(client, "looped")).join()),
      );
      await manager.stop();
      assert.deepEqual(await conditionsOf(client, "looped"), []);
    };
    await run([controller], test, { shutdownTimeoutMs: 500 });
  });

  it("what a killed operator left goes with the next one's first reconcile", async () => {
    const client = await openClient();
    await client.create(Box, Box("left", {}));
    const type = "Stalled";
    const left = { type, status: "True", reason: "ReconcileLoop", message: "undone each time" };
    const conditions = [{ ...left, lastTransitionTime: "2026-01-01T00:00:00Z" }];
    const status = { conditions } as never;
    const manifest = { ...Box("left", {}), spec: undefined as never, status };
    const killed = client.with({ fieldManager: "laws/box" });
    await killed.apply(Box, manifest, { subresource: "status" });
    assert.match((await conditionsOf(client, "left")).join(), /^Stalled=True ReconcileLoop/);
    const controllers = [defineController(Box, { reconcile() {} })];
    const { namespace } = client;
    const options = { operator: "laws", controllers, client, namespace, log: silentLog };
    const next = createManager(options);
    await next.start();
    try {
      await until(async () => (await conditionsOf(client, "left")).length === 0);
    } finally {
      await next.stop();
    }
  });

  it("a manager that stops leaves no object Stalled in a fight", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ own, object }) {
        await own(Part, [Part(`${object.metadata.name}-part`, { of: "owner" })]);
      },
    });
    const thief = defineController(Part, {
      name: "thief",
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        if (object.spec.of !== "thief") await client.apply(Part, Part(name, { of: "thief" }));
      },
    });
    await run([controller], async (client, manager) => {
      const options = { operator: "thieves", controllers: [thief], client, log: silentLog };
      const rival = createManager({ ...options, namespace: client.namespace });
      await rival.start();
      try {
        await client.create(Box, Box("fought", {}));
        await until(async () =>
          /^Stalled=True ReconcileLoop/.test((await conditionsOf(client, "fought")).join()),
        );
        await manager.stop();
        assert.deepEqual(await conditionsOf(client, "fought"), []);
      } finally {
        await rival.stop();
      }
    });
  });

  it("records failures as Events with a count, their end, and what the controller records", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, recorder }) {
        if (object.spec.label === "bug") throw new TypeError("undefined.bar");
        recorder.event("Normal", "Packed", "with care");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("events", { label: "bug" }));
      await until(async () =>
        (await eventsOf(client, "events")).some((one) =>
          /^Warning ReconcileError undefined.bar x[2-9]/.test(one),
        ),
      );
      await relabel(client, "events", "fine");
      await until(async () => {
        const events = (await eventsOf(client, "events")).join("\n");
        return /Normal Packed with care/.test(events) && /Normal Reconciled .*failure/.test(events);
      });
    });
  });

  for (const where of ["manager", "controller"] as const)
    it(`both are switched off by the ${where}; what the controller records is not`, async () => {
      const reports = { events: false, conditions: false };
      let runs = 0;
      const controller = defineController(Box, {
        ...(where === "controller" ? { reports } : {}),
        async reconcile({ recorder }) {
          runs++;
          recorder.event("Normal", "Seen", "once");
          throw new Error("bug");
        },
      });
      const options: Partial<ManagerOptions> = where === "manager" ? { reports } : {};
      await run(
        [controller],
        async (client) => {
          await client.create(Box, Box("off", {}));
          await until(() => runs > 3);
          await until(async () => (await eventsOf(client, "off")).length > 0);
          assert.doesNotMatch((await eventsOf(client, "off")).join(), /bug/);
          assert.deepEqual(await conditionsOf(client, "off"), []);
        },
        options,
      );
    });

  it("a resource without a status gets no conditions", async () => {
    const Plain = defineResource({ ...lawsApi, kind: "Plain", spec: z.object({}) });
    let runs = 0;
    const lines: string[] = [];
    const debug = (message: string): void => void lines.push(message);
    const controller = defineController(Plain, {
      async reconcile() {
        runs++;
        throw new Error("bug");
      },
    });
    const client = await openClient();
    await installDefinitions(client, [Plain]);
    await run(
      [controller],
      async (inside) => {
        await inside.create(Plain, Plain("plain", {}));
        await until(() => runs > 3);
        assert.doesNotMatch(lines.join("\n"), /could not be written/);
      },
      { log: { ...silentLog, debug } },
    );
  });

  it("an object that is about to go is written once, without its finalizer", async () => {
    let isCold = true;
    const controller = defineController(Box, {
      reconcile: ({ wait }) => wait.for("rain"),
      async finalize() {
        assert.equal(isCold, false);
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("going", {}));
      await until(async () => (await conditionsOf(client, "going")).length === 1);
      isCold = false;
      const writes: (string | undefined)[] = [];
      client.observeWrites(({ key }) => void writes.push(key.name));
      await client.delete(Box, "going");
      await until(async () => (await client.find(Box, "going")) === undefined);
      assert.deepEqual(writes, ["going", "going"], "the deletion and the finalizer");
    });
  });

  it("kinds that are not ours keep their status as it is", async () => {
    let runs = 0;
    const lines: string[] = [];
    const controller = defineController(ConfigMap, {
      async reconcile({ object }) {
        if (object.metadata.name !== "foreign") return;
        runs++;
        throw new Error("bug");
      },
    });
    await run(
      [controller],
      async (client) => {
        await client.create(ConfigMap, { metadata: { name: "foreign" } } as never);
        await until(() => runs > 2);
        assert.equal("status" in (await client.get(ConfigMap, "foreign")), false);
        assert.equal(lines.filter((line) => /bug/.test(line)).length, 1, lines.join("\n"));
      },
      { log: { ...silentLog, error: (message) => void lines.push(message) } },
    );
  });
});
