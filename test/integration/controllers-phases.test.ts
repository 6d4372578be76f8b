// A phase machine in a manager, whose processes stop in the middle.
import assert from "node:assert/strict";
import { before, it } from "node:test";
import {
  createManager,
  defineController,
  defineResource,
  finalPhase,
  installDefinitions,
  phase,
  phaseMachine,
  phaseStatus,
  silentLog,
  type Context,
} from "homeostat";
import { ApiStatusError } from "homeostat/api";
import type { Client } from "homeostat/client";
import { Event } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { recordLog } from "../fixtures/hear-manager.ts";
import { describeLaws, lawsApi, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const Upgrade = defineResource({
  ...lawsApi,
  kind: "Upgrade",
  spec: z.object({ version: z.string() }),
  status: z.object({ machine: phaseStatus("First", "Second", "Done") }),
});
type Ctx = Context<typeof Upgrade>;

describeLaws("phases", ({ client: openClient }) => {
  before(async () => installDefinitions(await openClient(), [Upgrade]));

  it("another manager goes on where one was stopped, and a failure is undone", async () => {
    const effects: string[] = [];
    const done = new Set<string>();
    let broken = false;
    const part = (name: string, next: string) =>
      phase({
        observe: (_context: Ctx) => done.has(name),
        decide: (isDone, to) => (isDone ? to.go(next as "Done") : to.act(name)),
        act: (_context: Ctx, what) => {
          if (broken && what === "second") throw new Error("broken");
          effects.push(what);
          done.add(what);
        },
        undo: (_context: Ctx) => {
          effects.push(`undo ${name}`);
          done.delete(name);
        },
        retries: 1,
      });
    const machine = () =>
      phaseMachine({
        initial: "First",
        phases: {
          First: part("first", "Second"),
          Second: part("second", "Done"),
          Done: finalPhase,
        },
        key: ({ object }: Ctx) => object.spec.version,
      });
    const client = await openClient();
    const start = async () => {
      const upgrade = machine();
      const controller = defineController(Upgrade, { reconcile: (context) => upgrade(context) });
      const options = { operator: "laws", client, namespace: client.namespace, log: silentLog };
      const manager = createManager({ ...options, controllers: [controller] });
      await manager.start();
      return manager;
    };
    await client.create(Upgrade, Upgrade("u", { version: "1" }));
    const phaseOf = async () => (await client.get(Upgrade, "u")).status?.machine?.phase;
    let manager = await start();
    await until(() => effects.length > 0);
    await manager.stop();
    manager = await start();
    await until(async () => (await phaseOf()) === "Done");
    assert.deepEqual(effects, ["first", "second"]);

    done.clear();
    broken = true;
    await client.patch(Upgrade, "u", { type: "merge", body: { spec: { version: "2" } } });
    const progress = await until(() => {
      const found = manager.states()[0]?.progress;
      return found?.at === "stalled" && found;
    });
    await manager.stop();
    assert.match(progress.because, /phase Second failed 2 times/);
    assert.deepEqual(effects.slice(2), ["first", "undo second", "undo first"]);
  });

  it("a call that fails is one failure, repeated when the log says, whatever wakes the object", async (test) => {
    const client = await openClient();
    const { lines, log } = recordLog();
    const acted: number[] = [];
    const machine = phaseMachine({
      initial: "First",
      phases: {
        First: phase({
          observe: (_context: Ctx) => acted.length === 3,
          decide: (isDone, to) => (isDone ? to.go("Done") : to.act("first")),
          act() {
            if (acted.push(Date.now()) < 3) throw serverError();
          },
        }),
        Done: finalPhase,
      },
    });
    const controller = defineController(Upgrade, { reconcile: (context) => machine(context) });
    const options = { operator: "laws", client, namespace: client.namespace, log };
    const manager = createManager({ ...options, controllers: [controller] });
    await manager.start();
    test.after(() => manager.stop());
    await client.create(Upgrade, Upgrade("flaky", { version: "1" }));
    await until(() => acted.length === 1);
    const during = new Set<string>();
    for (let i = 0; acted.length < 3; i++) {
      await client.patch(Upgrade, "flaky", { type: "merge", body: { spec: { version: `${i}` } } });
      await sleep(50);
      const progress = manager.states()[0]?.progress;
      if (progress?.at === "running" || acted.length === 3) continue;
      during.add(progress?.at === "retrying" ? `${progress.failures}: ${progress.because}` : "");
      const { status } = await client.get(Upgrade, "flaky");
      assert.match(JSON.stringify(status), /"Reconciling".*|"acts":true/);
    }
    const said = () => lines.filter((line) => /fail/.test(line));
    await until(() => said().length === 2);
    await until(async () => (await notesOn(client, "flaky")).length === 2);
    assert.deepEqual([...during], ["1: etcd is away", "2: etcd is away"]);
    assert.deepEqual(said(), [
      "error: failed, trying again in 1000 ms: etcd is away",
      "info: reconciled after 2 failures",
    ]);
    assert.deepEqual(await notesOn(client, "flaky"), [
      "InternalError: etcd is away x2",
      "Reconciled: reconciled after 2 failures x1",
    ]);
    // The back-off counts from the record of the attempt, which is written before the call.
    assert.ok(acted[1]! - acted[0]! >= 800 && acted[2]! - acted[1]! >= 1600, String(acted));
  });

  it("a conflict shows on no object, nor does the delay after it", async (test) => {
    const client = await openClient();
    const counts = { runs: 0, calls: 0 };
    const machine = phaseMachine({
      initial: "First",
      phases: {
        First: phase({
          observe: (_context: Ctx) => "nothing",
          decide: (_, to) => to.act("first"),
          act() {
            counts.calls++;
            throw refusal(409, "Conflict", "the object has been modified");
          },
        }),
        Second: finalPhase,
      },
    });
    const controller = defineController(Upgrade, {
      reconcile(context) {
        counts.runs++;
        return machine(context);
      },
    });
    const options = { operator: "laws", client, namespace: client.namespace, log: silentLog };
    const manager = createManager({ ...options, controllers: [controller] });
    await manager.start();
    test.after(() => manager.stop());
    await client.create(Upgrade, Upgrade("contested", { version: "1" }));
    await until(() => counts.calls === 1);
    for (let i = 0; counts.runs === counts.calls && counts.calls < 6; i++) {
      const body = { spec: { version: `${i}` } };
      await client.patch(Upgrade, "contested", { type: "merge", body });
      await sleep(20);
    }
    assert.ok(counts.runs > counts.calls, "a run falls into the delay");
    await until(() => manager.states()[0]?.progress.at === "retrying");
    const { status } = await client.get(Upgrade, "contested");
    assert.doesNotMatch(JSON.stringify(status), /Reconciling/);
  });
});

const serverError = (): ApiStatusError => refusal(500, "InternalError", "etcd is away");

const refusal = (code: number, reason: string, message: string): ApiStatusError =>
  new ApiStatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    code,
  });

async function notesOn(client: Client, name: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace: client.namespace });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message, count }) => `${reason}: ${message} x${count}`)
    .sort();
}
