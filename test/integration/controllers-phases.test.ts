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
import * as z from "zod";
import { describeLaws, lawsApi } from "../fixtures/laws.ts";
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
});
