// Objects that do not match the program's definition, because the cluster's is looser: one stops
// nobody else, and shows what is wrong with it.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  all,
  type Controller,
  createManager,
  defineController,
  defineResource,
  index,
  installDefinitions,
  type Manager,
  type ManagerOptions,
  owned,
  ref,
} from "homeostat";
import type { Client } from "homeostat/client";
import { Event } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { recordLog } from "../fixtures/hear-manager.ts";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const api = { group: "mismatched.example.com", version: "v1" } as const;
const App = defineResource({
  ...api,
  kind: "App",
  spec: z.object({
    hosts: z.array(z.string()),
    tier: z.enum(["gold", "silver"]).optional(),
    board: z.string().optional(),
  }),
  status: z.object({ urls: z.array(z.string()) }),
  conditions: ["Ready"],
});
/** What the cluster has in its place. */
const LooseApp = defineResource({
  ...api,
  kind: "App",
  spec: z.looseObject({}),
  status: z.looseObject({}),
  conditions: ["Ready"],
});
const Board = defineResource({
  ...api,
  kind: "Board",
  spec: z.object({ app: z.string().optional() }),
  status: z.object({ hosts: z.int(), urls: z.int(), found: z.string() }),
});

const poison = { hosts: 7, tier: "gold" };
const wrong = "spec.hosts: expected a list, found 7";

/** Counts the hosts and URLs of all Apps, in every way there is to read them. */
function boards(asked: unknown[] = []): Controller {
  return defineController(Board, {
    watches: {
      apps: all(App, {
        when: (old, app) => old.read().spec.hosts.length !== app.read().spec.hosts.length,
      }),
    },
    refs: { app: ref(App, (board) => board.spec.app) },
    indexes: {
      byHost: index(App, (app) => {
        asked.push(app.spec.hosts);
        return app.spec.hosts;
      }),
    },
    reconcile({ object, watches, refs, cache, status }) {
      const apps = cache.list(App);
      assert.equal(watches.apps.length, apps.length);
      const named = refs.app ?? cache.get(App, object.spec.app ?? "none");
      status({
        hosts: apps.reduce((sum, { spec }) => sum + spec.hosts.length, 0),
        urls: apps.reduce((sum, app) => sum + (app.status.urls?.length ?? 0), 0),
        found: [named, ...cache.byIndex("byHost", "a")]
          .map((app) => app?.metadata.name ?? "-")
          .join(),
      });
    },
  });
}

/** Says the URLs of an App. */
function apps(seen: string[] = [], finalized: unknown[] = []): Controller {
  return defineController(App, {
    priority: ({ object }) => object.read().spec.hosts.length,
    refs: { board: ref(Board, (app) => app.spec.board?.toLowerCase()) },
    reconcile({ object, status, condition }) {
      seen.push(object.metadata.name);
      status({ urls: object.spec.hosts.map((host) => `https://${host}`) });
      condition("Ready", "True", "Served");
    },
    finalize: ({ object }) => void finalized.push(object.spec.hosts),
  });
}

for (const what of serverKinds()) {
  describe(`mismatched objects on the ${what} server`, { timeout: 60_000 }, () => {
    let server: TestServer;
    before(async () => {
      server = await openServer(what);
      await installDefinitions(await server.client(), [LooseApp, Board]);
    });
    after(() => server.close());

    /** Runs controllers in a namespace that has an App `good`, and one `bad` that is poison. */
    async function run(
      controllers: readonly Controller[],
      test: (played: {
        readonly client: Client;
        readonly manager: Manager;
        readonly lines: readonly string[];
      }) => Promise<void>,
      options: Partial<ManagerOptions> = {},
    ): Promise<void> {
      const client = await server.client({ fieldManager: "test" });
      await client.create(App, App("good", { hosts: ["a", "b"] }));
      await client.create(LooseApp, LooseApp("bad", poison));
      const { lines, log } = recordLog();
      const manager = createManager({
        operator: "mismatched",
        controllers,
        client,
        namespace: client.namespace!,
        log,
        shutdownTimeoutMs: 2000,
        ...options,
      });
      await manager.start();
      try {
        await test({ client, manager, lines });
      } finally {
        await manager.stop();
      }
    }

    const patchSpec = (client: Client, name: string, spec: object) =>
      client.patch(LooseApp, name, { type: "merge", body: { spec } });
    const listed = async (client: Client) =>
      (await client.list(App, { namespace: client.namespace })).items;
    const board = async (client: Client) => (await client.get(Board, "all")).status;
    const skippedOf = (manager: Manager): number =>
      manager.cacheStats().find(({ kind }) => kind.kind === "App")!.skipped;

    it("are skipped in aggregates, named and counted once, until they are corrected", async () => {
      const asked: unknown[] = [];
      await run([boards(asked)], async ({ client, manager, lines }) => {
        await client.create(Board, Board("all", { app: "bad" }));
        await until(async () => (await board(client)).found === "-,good");
        assert.equal((await board(client)).hosts, 2);
        assert.equal(skippedOf(manager), 1);
        await patchSpec(client, "bad", { other: 1 });
        await patchSpec(client, "good", { hosts: ["a", "b", "c"] });
        await until(async () => (await board(client)).hosts === 3);
        assert.deepEqual([(await board(client)).found, skippedOf(manager)], ["-,good", 1]);
        const named = lines.filter((line) => line.includes("ERR_"));
        assert.equal(named.length, 1, named.join("\n"));
        assert.match(
          named[0]!,
          /^error: ERR_OBJECT_MISMATCH: App \S+\/bad does not match its definition: spec\.hosts: expected a list, found 7;/,
        );
        assert.ok(
          asked.every((hosts) => Array.isArray(hosts)),
          "the index is not asked about it",
        );
        const read = await client.get(LooseApp, "bad");
        assert.equal((await listed(client)).length, 2, "client reads leave nothing out");
        assert.deepEqual(read.spec["hosts"], 7);
        await patchSpec(client, "bad", { hosts: ["a"] });
        await until(async () => (await board(client)).hosts === 4);
        assert.deepEqual([(await board(client)).found, skippedOf(manager)], ["bad,good,bad", 0]);
        await patchSpec(client, "bad", { hosts: 7 });
        await until(async () => (await board(client)).hosts === 3);
        assert.equal(skippedOf(manager), 1);
        assert.equal(lines.filter((line) => line.includes("ERR_")).length, 2, "named again");
      });
    });

    it("are not reconciled, show why, and go on when corrected", async () => {
      const seen: string[] = [];
      await run([apps(seen)], async ({ client, manager, lines }) => {
        const stalled = await until(async () => {
          const { conditions = [] } = (await client.get(App, "bad")).status;
          return conditions.find(({ type }) => (type as string) === "Stalled");
        });
        assert.equal(stalled.reason, "InvalidObject");
        assert.ok(stalled.message.includes(wrong), stalled.message);
        assert.match(stalled.message, /correct or delete the object/);
        const state = await until(() => {
          const found = manager.states().find(({ key }) => key.endsWith("/bad"));
          return found?.progress.at === "stalled" && found.progress;
        });
        assert.ok(state.because.includes(wrong));
        const ignored = await until(() => {
          const [explained] = manager.explain(App, `${client.namespace}/bad`);
          return explained?.queue?.ignored.map((one) => one.what).join();
        });
        assert.equal(ignored, "App changed by its own reconcile", "the condition costs no run");
        const event = await until(async () =>
          (await client.list(Event)).items.find(({ reason }) => reason === "InvalidObject"),
        );
        assert.ok(event.involvedObject.name === "bad" && event.message?.includes(wrong));
        await until(() => seen.includes("good"));
        assert.deepEqual([...new Set(seen)], ["good"]);
        await patchSpec(client, "bad", { hosts: ["a"] });
        const ready = await until(async () => {
          const { status } = await client.get(App, "bad");
          return status.urls && status;
        });
        assert.deepEqual(ready.urls, ["https://a"]);
        assert.deepEqual(
          ready.conditions?.map(({ type }) => type),
          ["Ready"],
        );
        const about = lines.filter((line) => line.includes("ERR_"));
        assert.equal(about.length, 1, about.join("\n"));
      });
    });

    it("are finalized when they are deleted", async () => {
      const finalized: unknown[] = [];
      await run([apps([], finalized)], async ({ client, lines }) => {
        await until(async () => (await client.get(App, "good")).metadata.finalizers?.length === 1);
        await patchSpec(client, "good", { hosts: "x", board: 3 });
        await client.delete(App, "good");
        await client.delete(App, "bad");
        await until(async () => (await listed(client)).length === 0);
        assert.deepEqual(finalized, ["x"]);
        const warned = lines.filter((line) => line.includes("finalize runs without"));
        assert.deepEqual(
          warned.map((line) => line.replace(/(spec\.\w+).*/, "$1")),
          [
            'warn: finalize runs without reference "board": the object does not match its definition: spec.hosts',
          ],
        );
      });
    });

    it("whose finalize fails say what may be the reason, until they are corrected", async () => {
      const careless = defineController(App, {
        reconcile() {},
        finalize: ({ object }) => object.spec.hosts.forEach((host) => host.toLowerCase()),
      });
      await run([careless], async ({ client, manager }) => {
        await until(async () => (await client.get(App, "good")).metadata.finalizers?.length === 1);
        await patchSpec(client, "good", { hosts: "x" });
        await client.delete(App, "good");
        const failing = await until(() => {
          const [{ progress } = { progress: undefined }] = manager
            .states()
            .filter(({ key }) => key.endsWith("/good"));
          return progress?.at === "retrying" && progress;
        });
        assert.match(failing.because, /forEach is not a function/);
        assert.match(failing.hint!, /does not match its definition: spec\.hosts: expected a list/);
        await patchSpec(client, "good", { hosts: [] });
        await until(async () => (await listed(client)).length === 1);
      });
    });

    it("in status are left out by others, and set right by their own controller", async () => {
      await run([boards()], async ({ client, manager }) => {
        await client.create(Board, Board("all", {}));
        const bad = { type: "merge", body: { status: { urls: 3 } } } as const;
        await client.patch(LooseApp, "good", bad, { subresource: "status" });
        await until(async () => skippedOf(manager) === 2 && (await board(client)).hosts === 0);
        const own = createManager({
          operator: "own",
          controllers: [apps()],
          client: await server.client({ namespace: client.namespace! }),
          namespace: client.namespace!,
          log: recordLog().log,
        });
        await own.start();
        try {
          await until(async () => (await board(client)).urls === 2);
          assert.equal(skippedOf(manager), 1);
        } finally {
          await own.stop();
        }
      });
    });

    it("in status as well are named once, and show a deadline that they exceed", async () => {
      const first = Promise.withResolvers<void>();
      const hangs = defineController(App, { timeout: "1s", reconcile: () => first.promise });
      await run([hangs], async ({ client, manager, lines }) => {
        for (const name of ["good", "bad"]) {
          const patch = { type: "merge", body: { status: { urls: 3 } } } as const;
          await client.patch(LooseApp, name, patch, { subresource: "status" });
        }
        await until(() => skippedOf(manager) === 2);
        const stalled = await until(async () => {
          const { conditions = [] } = (await client.get(App, "good")).status;
          return conditions.find(({ type }) => (type as string) === "Stalled");
        });
        first.resolve();
        assert.equal(stalled.reason, "DeadlineExceeded");
        const named = lines.filter((line) => line.includes("ERR_OBJECT_MISMATCH"));
        assert.equal(named.filter((line) => line.includes("/bad ")).length, 1, named.join("\n"));
      });
    });

    it("that are owned are still repaired and pruned", async () => {
      const owner = defineController(Board, {
        owns: [
          owned(App, {
            when: (old, app) => old.read().spec.hosts.at(0) !== app.read().spec.hosts.at(0),
          }),
        ],
        reconcile: async ({ object, own }) =>
          void (await own(App, object.spec.app ? [App(object.spec.app, { hosts: ["a"] })] : [])),
      });
      await run([owner], async ({ client }) => {
        await client.create(Board, Board("all", { app: "child" }));
        const hosts = async () => (await client.find(App, "child"))?.spec.hosts;
        await until(async () => (await hosts())?.[0] === "a");
        await patchSpec(client, "child", { hosts: 7 });
        await until(async () => (await hosts())?.[0] === "a");
        await patchSpec(client, "child", { tier: "none" });
        await client.patch(Board, "all", { type: "merge", body: { spec: { app: null } } });
        await until(async () => (await hosts()) === undefined);
      });
    });
  });
}
