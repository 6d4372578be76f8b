// In which order and how fast a controller's queue is worked off, as its definition says.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** A reconcile that records its objects; all of them wait behind the first until `open`. */
function gate() {
  const order: string[] = [];
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const pass = async (name: string): Promise<void> => {
    order.push(name);
    if (order.length === 1) await promise;
  };
  return { order, open, pass };
}

async function createBoxes(client: Client, names: readonly string[], labels = {}): Promise<void> {
  for (const name of names) await client.create(Box, Box({ name, labels }, {}));
}

describeLaws("priorities", ({ client: open, run }) => {
  it("the user's function sets them by object and by cause", async () => {
    const { order, open: go, pass } = gate();
    const sources = new Set<string>();
    const controller = defineController(Box, {
      concurrency: 1,
      priority({ object, source, priority }) {
        sources.add(`${source} ${priority}`);
        return object.metadataText("labels").includes("gold") ? 50 : undefined;
      },
      reconcile: ({ object }) => pass(object.metadata.name),
    });
    const client = await open();
    await createBoxes(client, ["first"]);
    await run(
      [controller],
      async (_, manager) => {
        await until(() => order.length === 1);
        await createBoxes(client, ["lead", "tin"]);
        await createBoxes(client, ["ring"], { metal: "gold" });
        const key = `${client.namespace}/ring`;
        await until(() => manager.explain(Box, key)[0]?.queue?.state === "ready");
        assert.equal(manager.explain(Box, key)[0]?.queue?.priority, 50);
        go();
        await until(() => order.length === 4);
        assert.deepEqual(order, ["first", "ring", "lead", "tin"]);
        assert.deepEqual([...sources], ["itself -100", "itself 0"]);
      },
      { namespace: client.namespace },
    );
  });

  it("a function that throws, or returns no whole number, is named once and does no harm", async () => {
    const warnings: string[] = [];
    const seen: string[] = [];
    const controller = defineController(Box, {
      priority({ object }) {
        if (object.name === "bad") throw new Error("oops");
        return 0.5;
      },
      async reconcile({ object }) {
        seen.push(object.metadata.name);
      },
    });
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    await run(
      [controller],
      async (client) => {
        await createBoxes(client, ["bad", "half", "worse"]);
        await until(() => seen.length === 3);
        assert.deepEqual(warnings, [
          '`priority` of "box" threw oops; the default is used',
          '`priority` of "box" returned 0.5, expected a whole number; the default is used',
        ]);
      },
      { log },
    );
  });

  it("a retry keeps the priority of its run", async () => {
    const client = await open();
    await createBoxes(client, ["fails", "again"]);
    const controller = defineController(Box, {
      backoff: { firstMs: 60_000, maxMs: 60_000 },
      async reconcile({ object, retry }) {
        if (object.metadata.name === "fails") throw new Error("not yet");
        return retry.in("1m", { because: "later" });
      },
    });
    await run(
      [controller],
      async (_, manager) => {
        const priorityOf = (name: string) => {
          const queue = manager.explain(Box, `${client.namespace}/${name}`)[0]?.queue;
          return queue?.state === "delayed" ? queue.priority : undefined;
        };
        await until(() => priorityOf("fails") !== undefined && priorityOf("again") !== undefined);
        assert.deepEqual([priorityOf("fails"), priorityOf("again")], [-100, -100]);
      },
      { namespace: client.namespace },
    );
  });

  it("namespaces take turns where the definition says so", async () => {
    const { order, open: go, pass } = gate();
    const client = await open();
    const { metadata } = await client.create(Namespace, {
      metadata: { generateName: "quiet-" },
    });
    const [noisy, quiet] = [client.namespace!, metadata.name];
    const controller = defineController(Box, {
      concurrency: 1,
      fairBy: "namespace",
      reconcile: ({ object }) => pass(object.metadata.namespace === quiet ? "quiet" : "noisy"),
    });
    await createBoxes(client, ["first"]);
    await run(
      [controller],
      async (_, manager) => {
        await until(() => order.length === 1);
        await createBoxes(
          client,
          Array.from({ length: 40 }, (_none, i) => `n${i}`),
        );
        await client.create(Box, Box({ name: "one", namespace: quiet }, {}));
        await until(() => manager.explain(Box, `${quiet}/one`)[0]?.queue?.state === "ready");
        go();
        await until(() => order.length === 42);
        assert.ok(order.indexOf("quiet") <= 2, `turn ${order.indexOf("quiet")}`);
      },
      { namespace: undefined, namespaces: [noisy, quiet] },
    );
  });

  it("retries of many objects keep to the controller's rate", async () => {
    const failed: number[] = [];
    const controller = defineController(Box, {
      backoff: { firstMs: 1, maxMs: 1 },
      retryRate: { qps: 20, burst: 5 },
      async reconcile() {
        failed.push(performance.now());
        throw new Error("never");
      },
    });
    const client = await open();
    await createBoxes(client, ["a", "b", "c", "d"]);
    const began = performance.now();
    await run(
      [controller],
      async () => {
        await until(() => failed.length >= 24);
      },
      { namespace: client.namespace },
    );
    // Four first runs and a burst of five; the other 15 retries take a token of 50 ms each.
    const tookMs = failed[23]! - began;
    assert.ok(tookMs >= 14 * 50, `24 runs took ${tookMs} ms`);
  });
});
