// One manager for several clusters: what a reconcile reads and writes is in its object's cluster,
// and no cluster waits for another. The servers are two embedded ones.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import {
  createManager,
  defineController,
  installDefinitions,
  isHomeostatError,
  type MultiClusterOptions,
  ref,
  silentLog,
} from "homeostat";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const namespace = "default";
const key = "default/same";
const merge = (body: object) => ({ type: "merge" as const, body });
const codeIs = (code: string) => (error: unknown) => isHomeostatError(error, code);

interface Cluster {
  readonly server: ApiServer;
  readonly client: Client;
  close(): Promise<void>;
}

async function openCluster(options: { port?: number; dataDir?: string } = {}): Promise<Cluster> {
  const server = await startApiServer({ controllers: "none", ...options });
  const access = await loadKubeconfig({ text: server.kubeconfig });
  const client = createClient({ access, namespace });
  await installDefinitions(client, [Box, Part]);
  return {
    server,
    client,
    async close() {
      await client.close();
      await server.close();
    },
  };
}

async function running(
  options: Omit<MultiClusterOptions, "operator">,
  test: (manager: ReturnType<typeof createManager>) => Promise<void>,
): Promise<void> {
  const manager = createManager({
    operator: "clusters",
    log: silentLog,
    shutdownTimeoutMs: 2000,
    ...options,
  });
  await manager.start();
  try {
    await test(manager);
  } finally {
    await manager.stop();
  }
}

/** Counts the reconciles of each cluster. */
function counting() {
  const runs: string[] = [];
  const controller = defineController(Box, {
    async reconcile({ object, cluster, status }) {
      runs.push(`${cluster} ${object.metadata.name}`);
      status({ note: cluster });
    },
  });
  return { runs, controller };
}

/** A source whose sets are given by hand. */
function handSource() {
  const sets: Readonly<Record<string, Client>>[] = [];
  let wake = (): void => {};
  let opened = 0;
  return {
    opened: () => opened,
    give(set: Readonly<Record<string, Client>>) {
      sets.push(set);
      wake();
    },
    async *source(signal: AbortSignal) {
      opened++;
      signal.addEventListener("abort", () => wake(), { once: true });
      while (!signal.aborted) {
        const set = sets.shift();
        if (set) yield set;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

describe("controllers in several clusters", { timeout: 120_000 }, () => {
  let east: Cluster;
  let west: Cluster;
  before(async () => {
    [east, west] = await Promise.all([openCluster(), openCluster()]);
  });
  after(() => Promise.all([east.close(), west.close()]));
  const both = () => ({ east: east.client, west: west.client });
  const clean = async (): Promise<void> => {
    for (const { client } of [east, west]) {
      await until(async () => {
        const boxes = (await client.list(Box)).items;
        for (const { metadata } of boxes) {
          await client.patch(Box, metadata.name, merge({ metadata: { finalizers: null } }));
          await client.delete(Box, metadata.name).catch(() => {});
        }
        return boxes.length === 0;
      });
      for (const { metadata } of (await client.list(Part)).items)
        await client.delete(Part, metadata.name);
    }
  };

  it("reads and writes the cluster of the object, though all names are the same", async () => {
    const finalized: string[] = [];
    const controller = defineController(Box, {
      owns: [Part],
      refs: { friend: ref(ConfigMap, (box) => box.spec.friend) },
      async reconcile({ object, cluster, refs: { friend }, own, cache, client, status, wait }) {
        await own(
          Part,
          object.spec.parts.map((name) => Part(name, { of: cluster })),
        );
        if (!friend) return wait.forRef("friend");
        const asked = await client.get(ConfigMap, "pal");
        status({
          note: `${cluster} ${friend.data?.["word"]} ${asked?.data?.["word"]}`,
          seen: cache.list(Part).map((part) => `${part.metadata.name} ${part.spec.of}`),
        });
      },
      async finalize({ cluster, object }) {
        finalized.push(`${cluster} ${object.metadata.name}`);
      },
    });
    await running({ controllers: [controller], clusters: both() }, async (manager) => {
      for (const [name, { client }] of Object.entries({ east, west })) {
        const spec = { parts: [`${name}-1`, "common"], friend: "pal" };
        await client.create(Box, Box("same", spec));
        await client.create(ConfigMap, ConfigMap("pal", { data: { word: `hello ${name}` } }));
      }
      for (const [name, { client }] of Object.entries({ east, west })) {
        const { note, seen } = await until(async () => {
          const { status } = await client.get(Box, "same");
          return status.seen?.length === 2 && status;
        });
        assert.equal(note, `${name} hello ${name} hello ${name}`);
        assert.deepEqual(seen?.toSorted(), [`${name}-1 ${name}`, `common ${name}`].toSorted());
        assert.equal((await client.list(Part)).items.length, 2);
      }
      const states = manager.states().map((state) => `${state.cluster} ${state.key}`);
      assert.deepEqual(states.toSorted(), [`east ${key}`, `west ${key}`]);
      await east.client.delete(Box, "same");
      await until(async () => !(await east.client.find(Box, "same")));
      assert.deepEqual(finalized, ["east same"]);
      assert.ok(await west.client.find(Box, "same"));
      assert.deepEqual(
        manager.states().map(({ cluster }) => cluster),
        ["west"],
      );
      await west.client.delete(Box, "same");
      await until(() => finalized.length === 2);
    });
    for (const { client } of [east, west]) await client.delete(ConfigMap, "pal");
    await clean();
  });

  it("a failure, a pause and a report concern one cluster", async () => {
    const { runs, controller: counts } = counting();
    const controller = defineController(Box, {
      name: "failing",
      backoff: { firstMs: 60_000, maxMs: 60_000 },
      async reconcile({ cluster }) {
        if (cluster === "east") throw new Error("no luck");
      },
    });
    await running({ controllers: [controller, counts], clusters: both() }, async (manager) => {
      await Promise.all([east, west].map(({ client }) => client.create(Box, Box("same", {}))));
      await until(() => manager.states().length === 4 && manager.isIdle());
      const failing = manager.states().filter((state) => state.controller === "failing");
      assert.deepEqual(
        failing.map(({ cluster, progress }) => [cluster, progress.at]),
        [
          ["east", "retrying"],
          ["west", "done"],
        ],
      );
      assert.equal(manager.explain(Box, key).length, 4);
      const report = manager.explain(Box, { cluster: "west", key });
      assert.deepEqual(
        report.map(({ cluster, state }) => [cluster, state?.cluster, state?.progress.at]),
        [
          ["west", "west", "done"],
          ["west", "west", "done"],
        ],
      );
      assert.deepEqual(manager.explain(Box, { cluster: "north", key }), []);
      manager.pause(Box, { cluster: "east", key });
      runs.length = 0;
      const label = (text: string) => merge({ spec: { label: text } });
      for (const { client } of [east, west]) await client.patch(Box, "same", label("a"));
      await until(() => runs.includes("west same"));
      await sleep(100);
      assert.ok(!runs.includes("east same"), "the paused one was reconciled");
      manager.resume(Box, { cluster: "east", key });
      await until(() => runs.includes("east same"));
      const kinds = [...manager.cacheStats(), ...manager.freshness()];
      assert.deepEqual([...new Set(kinds.map(({ cluster }) => cluster))], ["east", "west"]);
    });
    await clean();
  });

  it("an external source names objects of the cluster that it is opened for", async () => {
    const { runs } = counting();
    const opened: string[] = [];
    const controller = defineController(Box, {
      when: () => false,
      sources: {
        async *cloud(_, cluster) {
          opened.push(cluster);
          await until(() => runs.length === 2);
          if (cluster === "west") yield key;
        },
      },
      async reconcile({ cluster }) {
        runs.push(cluster);
      },
    });
    for (const { client } of [east, west]) await client.create(Box, Box("same", {}));
    await running({ controllers: [controller], clusters: both() }, async () => {
      await until(() => runs.length === 3);
      assert.deepEqual(opened.toSorted(), ["east", "west"]);
      assert.equal(runs[2], "west");
    });
    await clean();
  });

  it("a server that is down at the start, and one that restarts, stop no other", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "clusters-"));
    const { lines, log } = recordLog();
    const { runs, controller } = counting();
    let north = await openCluster({ dataDir: folder });
    const { port } = north.server;
    const access = await loadKubeconfig({ text: north.server.kubeconfig });
    const remote = createClient({ access, namespace });
    t.after(async () => {
      await north.close();
      await remote.close();
      await rm(folder, { recursive: true });
      await clean();
    });
    await north.client.create(Box, Box("old", {}));
    await north.close();
    const began = performance.now();
    await running(
      {
        controllers: [controller],
        clusters: { east: east.client, north: remote },
        syncTimeoutMs: 1000,
        log,
      },
      async (manager) => {
        const tookMs = performance.now() - began;
        assert.ok(tookMs < 10_000, `the start took ${tookMs} ms`);
        await east.client.create(Box, Box("same", {}));
        await until(() => runs.includes("east same"));
        const { ready, reasons } = manager.readiness();
        assert.equal(ready, false);
        assert.match(reasons.join("\n"), /^cluster north: Box: /);
        await until(() => lines.some((line) => line.startsWith("warn north: Box: ")));
        assert.ok(!lines.some((line) => line.startsWith("warn east")), lines.join("\n"));

        north = await openCluster({ dataDir: folder, port });
        await until(() => runs.includes("north old"));
        await until(() => manager.readiness().ready);
        await north.close();
        await until(() => !manager.readiness().ready);
        await east.client.create(Box, Box("meanwhile", {}));
        await until(() => runs.includes("east meanwhile"));
        north = await openCluster({ dataDir: folder, port });
        await north.client.create(Box, Box("meanwhile", {}));
        await until(() => runs.includes("north meanwhile"));
        await until(() => manager.readiness().ready);
        await until(async () => (await north.client.get(Box, "meanwhile")).status.note === "north");
        assert.ok(!runs.includes("east old"));
      },
    );
  });

  it("clusters of a source come, change and go", async () => {
    const { lines, log } = recordLog();
    const { runs, controller } = counting();
    const hand = handSource();
    for (const { client } of [east, west]) await client.create(Box, Box("same", {}));
    hand.give({ east: east.client });
    const options = { controllers: [controller], clusters: hand.source, log };
    await running(options, async (manager) => {
      const clusters = () => manager.states().map(({ cluster }) => cluster);
      assert.deepEqual(
        manager.freshness().map(({ cluster }) => cluster),
        ["east"],
      );
      hand.give(both());
      await until(() => runs.includes("west same"));
      hand.give({ west: west.client });
      await until(() => lines.includes("info east: stopped clusters"));
      assert.deepEqual(clusters(), ["west"]);
      runs.length = 0;
      for (const { client } of [east, west])
        await client.patch(Box, "same", merge({ spec: { label: "x" } }));
      await until(() => runs.includes("west same"));
      assert.ok(!runs.includes("east same"), "an object of a cluster that left was reconciled");
      assert.equal(manager.readiness().ready, true);
      // The same server under another name, at once.
      hand.give({ occident: west.client, east: east.client });
      await until(() => runs.includes("occident same") && runs.includes("east same"));
      assert.ok(!lines.some((line) => line.startsWith("error")), lines.join("\n"));
      // Another client of the same cluster.
      const other = createClient({
        access: await loadKubeconfig({ text: west.server.kubeconfig }),
        namespace,
      });
      runs.length = 0;
      hand.give({ occident: other, east: east.client });
      await until(() => runs.includes("occident same"));
      assert.ok(!runs.includes("east same"), "a cluster that stayed was started anew");
      await until(() => manager.readiness().ready);
      hand.give({});
      await until(() => clusters().length === 0);
      await other.close();
    });
    await clean();
  });

  it("a source that fails is opened again, and what it gave before stays", async () => {
    const { lines, log } = recordLog();
    const { runs, controller } = counting();
    await east.client.create(Box, Box("same", {}));
    let opened = 0;
    const clusters = async function* () {
      opened++;
      yield { east: east.client };
      if (opened === 1) throw new Error("no list");
      yield { east: undefined } as never;
    };
    await running({ controllers: [controller], clusters, log }, async (manager) => {
      await until(() => lines.filter((line) => line.startsWith("error")).length === 2);
      const [first, second] = lines.filter((line) => line.startsWith("error"));
      assert.equal(
        first,
        "error: the source of clusters failed, opening it again in 1000 ms: no list",
      );
      assert.match(second!, /ERR_MANAGER_CLUSTERS: the cluster "east" has no client/);
      assert.deepEqual(runs, ["east same"]);
      assert.ok(manager.readiness().ready);
    });
    await clean();
  });

  it("a server under two names is refused, by a source until it has one", async () => {
    const { runs, controller } = counting();
    const clusters = { one: east.client, two: east.client };
    const settings = { operator: "clusters", controllers: [controller], log: silentLog };
    const manager = createManager({ ...settings, clusters });
    await assert.rejects(manager.start(), codeIs("ERR_CONTROLLER_RUNNING"));
    await assert.rejects(manager.start(), codeIs("ERR_MANAGER_STATE"));
    await manager.stop();
    await east.client.create(Box, Box("same", {}));
    const hand = handSource();
    hand.give(clusters);
    await running({ controllers: [controller], clusters: hand.source }, async (other) => {
      await until(() => runs.includes("one same"));
      assert.match(other.readiness().reasons.join("\n"), /^cluster two: ERR_CONTROLLER_RUNNING/);
      hand.give({ two: east.client });
      await until(() => runs.includes("two same"));
      await until(() => other.readiness().ready);
    });
    await clean();
  });

  it("takes a client or clusters, and can be stopped at any moment", async () => {
    const { controller } = counting();
    const settings = { operator: "clusters", controllers: [controller], log: silentLog };
    const { client } = east;
    for (const wrong of [{}, { client, clusters: { east: client } }])
      assert.throws(
        () => createManager({ ...settings, ...wrong } as never),
        codeIs("ERR_MANAGER_CLUSTERS"),
      );
    for (const wrong of [null, { east: undefined }, { "": client }]) {
      const manager = createManager({ ...settings, clusters: wrong as never });
      await assert.rejects(manager.start(), codeIs("ERR_MANAGER_CLUSTERS"));
    }
    const twice = [controller, controller];
    assert.throws(
      () => createManager({ ...settings, controllers: twice, clusters: both() }),
      codeIs("ERR_CONTROLLER_NAME"),
    );
    for (const afterMs of [undefined, 0, 2, 8, 32]) {
      const manager = createManager({ ...settings, clusters: both() });
      const starting = manager.start().then(
        () => "started",
        (error: unknown) => String(error),
      );
      if (afterMs !== undefined) await sleep(afterMs);
      await manager.stop();
      assert.match(await starting, /^started$|ERR_MANAGER_STOPPED/);
      assert.deepEqual(manager.freshness(), []);
    }
    const silent = createManager({ ...settings, clusters: handSource().source });
    const starting = silent.start();
    await sleep(20);
    assert.deepEqual(silent.readiness().reasons, ["the clusters are not known yet"]);
    await silent.stop();
    await assert.rejects(starting, codeIs("ERR_MANAGER_STOPPED"));
  });
});
