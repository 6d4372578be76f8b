// What runs a controller beside the changes of its objects, and what does not.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, generationChanged, labelsChanged, or } from "homeostat";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("triggers", ({ run }) => {
  it("`when` drops other writers' updates, and finalize still runs", async () => {
    let runs = 0;
    let finalized = false;
    const controller = defineController(Box, {
      when: or(generationChanged, labelsChanged),
      async reconcile() {
        runs++;
      },
      async finalize() {
        finalized = true;
      },
    });
    await run([controller], async (client, manager) => {
      const patch = (body: object) => client.patch(Box, "picky", { type: "merge", body });
      await client.create(Box, Box("picky", {}));
      await until(() => runs === 1);
      await patch({ metadata: { annotations: { a: "1" } } });
      await until(
        () => manager.explain(Box, `${client.namespace}/picky`)[0]!.queue!.ignored.length > 0,
      );
      await sleep(50);
      assert.equal(runs, 1);
      await patch({ metadata: { labels: { a: "1" } } });
      await until(() => runs === 2);
      await patch({ spec: { label: "x" } });
      await until(() => runs === 3);
      await client.delete(Box, "picky");
      await until(() => finalized);
    });
  });

  it("a paused object waits until it is resumed, by annotation and by the program", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      when: generationChanged,
      async reconcile() {
        runs++;
      },
    });
    await run([controller], async (client, manager) => {
      const patch = (body: object) => client.patch(Box, "held", { type: "merge", body });
      const waiting = (what: RegExp) =>
        until(() => manager.states().some((one) => what.test(JSON.stringify(one.progress))));
      await client.create(Box, Box("held", {}));
      await until(() => runs === 1);
      await patch({ metadata: { annotations: { "homeostat.dev/paused": "true" } } });
      await waiting(/removal of annotation homeostat\.dev\/paused/);
      await patch({ spec: { label: "x" } });
      await sleep(50);
      assert.equal(runs, 1);
      await patch({ metadata: { annotations: { "homeostat.dev/paused": null } } });
      await until(() => runs === 2);
      const key = `${client.namespace}/held`;
      manager.pause(Box, key);
      await patch({ spec: { label: "y" } });
      await waiting(/resume\(\)/);
      assert.equal(runs, 2);
      manager.resume(Box, key);
      await until(() => runs === 3);
      manager.resume(Box, key);
      await sleep(50);
      assert.equal(runs, 3, "resuming what is not paused does nothing");
    });
  });

  it("a resync, an external source and a back-off run it as they are set", async () => {
    const runs: Record<string, number> = {};
    let arrive: (key: string) => void;
    let isStopped = false;
    const controller = defineController(Box, {
      resyncEvery: 100,
      backoff: { firstMs: 10_000, maxMs: 10_000 },
      sources: {
        async *cloud(signal) {
          signal.addEventListener("abort", () => (isStopped = true));
          for (;;) yield await new Promise<string>((resolve) => (arrive = resolve));
        },
      },
      async reconcile({ object }) {
        const { name } = object.metadata;
        runs[name] = (runs[name] ?? 0) + 1;
        if (name === "fails") throw new Error("not yet");
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("a", {}));
      await client.create(Box, Box("fails", {}));
      await until(() => (runs["a"] ?? 0) >= 3);
      const causes = () =>
        manager.explain(Box, `${client.namespace}/a`)[0]!.queue!.lastCauses.map(({ what }) => what);
      assert.deepEqual(causes(), ["periodic resync"]);
      arrive!(`${client.namespace}/a`);
      await until(() => causes().includes("external source cloud"));
      const failing = manager.states().find(({ key }) => key.endsWith("/fails"))!;
      const { progress } = failing;
      assert.ok(progress.at === "retrying" && progress.nextAt - failing.since > 9000);
    });
    assert.equal(isStopped, true);
    const ended = runs["a"];
    await sleep(250);
    assert.equal(runs["a"], ended);
  });
});
