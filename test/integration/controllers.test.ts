// The laws of the runtime, on a live server: one reconcile per object, reads as new as one's own writes, complete applies,
// owned sets, finalizers, deadlines, shutdown. The same on every server there is.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Controller, createManager, defineController, defineResource, installDefinitions, type Manager, type ManagerOptions, ref, refs, silentLog, terminal } from "homeostat";
import { type Client, dynamicKind } from "homeostat/client";
import * as z from "zod";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const api = { group: "laws.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ parts: z.array(z.string()).default([]), label: z.string().optional(), friend: z.string().optional() }),
  status: z.object({ count: z.int(), note: z.string(), seen: z.array(z.string()), tags: z.record(z.string(), z.string()) }),
  conditions: ["Ready", "Checked"],
});
const Part = defineResource({ ...api, kind: "Part", spec: z.object({ of: z.string() }), status: z.object({ made: z.boolean() }) });
const ConfigMap = dynamicKind({ apiVersion: "v1", kind: "ConfigMap", resource: "configmaps", scope: "Namespaced" });

async function until<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const end = performance.now() + 15_000; ;) {
    const found = await look();
    if (found) return found;
    assert.ok(performance.now() < end, `it never happened: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

for (const what of serverKinds()) {
  describe(`controllers on the ${what} server`, { timeout: 120_000 }, () => {
    let server: TestServer;
    before(async () => {
      server = await openServer(what);
      await installDefinitions(await server.client(), [Box, Part]);
    });
    after(() => server.close());

    /** Runs controllers in a namespace of their own. */
    async function run(controllers: readonly Controller[], test: (client: Client, manager: Manager) => Promise<void>, options: Partial<ManagerOptions> = {}): Promise<void> {
      const client = await server.client();
      const manager = createManager({ operator: "laws", controllers, client, namespace: client.namespace, log: silentLog, shutdownTimeoutMs: 2000, ...options });
      await manager.start();
      try {
        await test(client, manager);
      } finally {
        await manager.stop();
      }
    }

    it("reconciles one object once at a time, and different objects at the same time", async () => {
      const inside = new Map<string, number>();
      let most = 0;
      let overlapped = false;
      const controller = defineController(Box, {
        concurrency: 3,
        async reconcile({ object }) {
          const { name } = object.metadata;
          inside.set(name, (inside.get(name) ?? 0) + 1);
          overlapped ||= inside.get(name)! > 1;
          most = Math.max(most, [...inside.values()].filter((n) => n > 0).length);
          await sleep(20);
          inside.set(name, inside.get(name)! - 1);
        },
      });
      await run([controller], async (client, manager) => {
        for (const name of ["a", "b", "c"]) await client.create(Box, Box(name, {}));
        for (let i = 0; i < 10; i++) await client.patch(Box, "a", { type: "merge", body: { spec: { label: String(i) } } });
        await until(() => manager.isIdle() && most > 0);
        assert.equal(overlapped, false);
        assert.ok(most > 1, `at most ${most} at once`);
      });
    });

    it("reads in reconcile what it wrote itself, however late the watch", async () => {
      const seen: number[] = [];
      const controller = defineController(Box, {
        async reconcile({ object, status, retry }) {
          const count = object.status.count ?? 0;
          seen.push(count);
          if (count >= 30) return;
          status({ count: count + 1 });
          return retry.in(0, { because: "counting" });
        },
      });
      await run([controller], async (client) => {
        await client.create(Box, Box("counter", {}));
        await until(() => seen.includes(30));
        for (let i = 1; i < seen.length; i++) assert.ok(seen[i]! >= seen[i - 1]!, `read ${seen[i]} after ${seen[i - 1]}`);
        assert.deepEqual(
          [...new Set(seen)],
          Array.from({ length: 31 }, (_, i) => i),
          "no count was skipped or repeated after its write",
        );
      });
    });

    it("owns exactly what is desired: creates, prunes, leaves others' objects alone", async () => {
      const controller = defineController(Box, {
        owns: [Part],
        async reconcile({ object, own, status }) {
          const parts = await own(
            Part,
            object.spec.parts.map((name) => Part(`${object.metadata.name}-${name}`, { of: name })),
          );
          status({ seen: parts.map((part) => part.metadata.name) });
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Part, Part("bystander", { of: "nobody" }));
        await client.create(Box, Box("set", { parts: ["a", "b"] }));
        const names = async () => (await client.list(Part, { namespace: client.namespace })).items.map((part) => part.metadata.name).toSorted();
        await until(async () => (await names()).join() === "bystander,set-a,set-b");
        await client.patch(Box, "set", { type: "merge", body: { spec: { parts: ["b", "c"] } } });
        await until(async () => (await names()).join() === "bystander,set-b,set-c");
        const part = await client.get(Part, "set-b");
        assert.deepEqual(
          part.metadata.ownerReferences?.map((one) => [one.kind, one.name, one.controller]),
          [["Box", "set", true]],
        );
        await client.delete(Part, "set-c");
        await until(async () => (await names()).join() === "bystander,set-b,set-c");
        await until(() => manager.isIdle());
        const before = await client.get(Part, "set-b");
        await client.patch(Box, "set", { type: "merge", body: { metadata: { labels: { touched: "yes" } } } });
        await sleep(100);
        await until(() => manager.isIdle());
        assert.equal((await client.get(Part, "set-b")).metadata.resourceVersion, before.metadata.resourceVersion, "a write that changes nothing is not sent");
      });
    });

    it("repairs an owned object that somebody else changed", async () => {
      const controller = defineController(Box, {
        owns: [Part],
        async reconcile({ object, own }) {
          await own(Part, [Part(`${object.metadata.name}-p`, { of: "box" })]);
        },
      });
      await run([controller], async (client) => {
        await client.create(Box, Box("repair", {}));
        await until(() => client.find(Part, "repair-p"));
        await client.patch(Part, "repair-p", { type: "merge", body: { spec: { of: "thief" } } });
        await until(async () => (await client.get(Part, "repair-p")).spec.of === "box");
      });
    });

    it("does not take a foreign object over unless told to", async () => {
      const controller = (adopt: boolean) =>
        defineController(Box, {
          owns: [Part],
          async reconcile({ object, own }) {
            await own(Part, [Part(`${object.metadata.name}-p`, { of: "box" })], { adopt });
          },
        });
      await run([controller(false)], async (client, manager) => {
        await client.create(Part, Part("foreign-p", { of: "me" }));
        await client.create(Box, Box("foreign", {}));
        const state = await until(() => manager.states().find((one) => one.progress.at === "retrying"));
        assert.match((state.progress as { because: string }).because, /ERR_OWN_FOREIGN: Box .*\/foreign owning Part .*: "foreign-p" exists and belongs to nobody/);
        assert.equal((await client.get(Part, "foreign-p")).spec.of, "me");
      });
      await run([controller(true)], async (client) => {
        await client.create(Part, Part("foreign-p", { of: "me" }));
        await client.create(Box, Box("foreign", {}));
        await until(async () => (await client.get(Part, "foreign-p")).spec.of === "box");
      });
    });

    it("says status completely: keeps what it does not mention, clears what is undefined, leaves others' fields", async () => {
      const controller = defineController(Box, {
        async reconcile({ object, status, condition }) {
          if (object.spec.label === "first") status({ count: 1, note: "x" });
          if (object.spec.label === "second") status({ note: undefined });
          condition("Ready", object.spec.label === "second" ? "True" : "False", "Test");
        },
      });
      await run([controller], async (client) => {
        await client.create(Box, Box("words", { label: "first" }));
        await until(async () => (await client.get(Box, "words")).status?.note === "x");
        await client.patch(Box, "words", { type: "merge", body: { status: { seen: ["somebody else"], conditions: [] } } }, { subresource: "status" }).catch(() => {});
        await client.apply(
          Box,
          {
            apiVersion: Box.apiVersion,
            kind: "Box",
            metadata: { name: "words" },
            status: { seen: ["somebody else"], conditions: [{ type: "Checked", status: "True", reason: "Other", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }] },
          },
          { subresource: "status", fieldManager: "somebody-else", force: true },
        );
        await client.patch(Box, "words", { type: "merge", body: { spec: { label: "second" } } });
        const box = await until(async () => {
          const one = await client.get(Box, "words");
          return one.status.note === undefined && one.status.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ? one : undefined;
        });
        assert.deepEqual([box.status.count, box.status.seen], [1, ["somebody else"]]);
        assert.deepEqual(box.status.conditions?.map((one) => one.type).toSorted(), ["Checked", "Ready"]);
        const ready = box.status.conditions?.find((one) => one.type === "Ready");
        assert.equal(ready?.observedGeneration, box.metadata.generation);
      });
    });

    it("cannot resurrect an object that goes while it is reconciled", async () => {
      let entered = (): void => {};
      let leave = (): void => {};
      const inside = new Promise<void>((resolve) => (entered = resolve));
      const gone = new Promise<void>((resolve) => (leave = resolve));
      const controller = defineController(Box, {
        async reconcile({ status }) {
          entered();
          await gone;
          status({ count: 1 });
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("ghost", {}));
        await inside;
        await client.delete(Box, "ghost");
        leave();
        await sleep(50);
        await until(() => manager.isIdle());
        assert.equal(await client.find(Box, "ghost"), undefined);
      });
    });

    it("keeps the finalizer while finalize throws, and lets the object go when it returns", async () => {
      let broken = true;
      let calls = 0;
      const controller = defineController(Box, {
        async reconcile({ status }) {
          status({ count: 1 });
        },
        async finalize() {
          calls++;
          if (broken) throw new Error("the bucket is not empty");
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("last", {}));
        const box = await until(async () => {
          const one = await client.get(Box, "last");
          return one.status?.count === 1 ? one : undefined;
        });
        assert.deepEqual(box.metadata.finalizers, ["laws.example.com/box"]);
        await client.delete(Box, "last");
        await until(() => calls > 2);
        assert.ok(await client.find(Box, "last"));
        const progress = manager.states().find((one) => one.key.endsWith("/last"))?.progress;
        assert.match(JSON.stringify(progress), /retrying.*the bucket is not empty|running/);
        broken = false;
        await until(async () => (await client.find(Box, "last")) === undefined);
      });
    });

    it("wakes the objects that refer to another when it comes, changes and goes", async () => {
      const controller = defineController(Box, {
        refs: { friend: ref(ConfigMap, (box) => box.spec.friend), parts: refs(Part, (box) => box.spec.parts) },
        async reconcile({ refs: { friend, parts }, status, wait }) {
          status({ note: (friend as { data?: { word?: string } } | undefined)?.data?.word ?? "nobody", seen: parts.map((part) => part.metadata.name) });
          if (!friend) return wait.forRef("friend");
        },
      });
      await run([controller], async (client, manager) => {
        const note = async () => (await client.get(Box, "lonely")).status?.note;
        await client.create(Box, Box("lonely", { friend: "pal", parts: ["p1", "p2"] }));
        await until(async () => (await note()) === "nobody");
        await until(() => manager.states().some((one) => one.progress.at === "waiting" && one.progress.what === 'ConfigMap "pal"'));
        await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "pal" }, data: { word: "hello" } });
        await until(async () => (await note()) === "hello");
        await client.patch(ConfigMap, "pal", { type: "merge", body: { data: { word: "bye" } } });
        await until(async () => (await note()) === "bye");
        await client.patch(ConfigMap, "pal", { type: "merge", body: { data: { unread: "x" } } });
        await until(() => manager.explain(Box, `${client.namespace}/lonely`)[0]?.queue?.lastCauses.some((cause) => cause.source === "ref friend" && /^ConfigMap .*\/pal changed$/.test(cause.what)));
        await client.create(Part, Part("p2", { of: "x" }));
        await until(async () => (await client.get(Box, "lonely")).status.seen?.join() === "p2");
        await client.delete(ConfigMap, "pal");
        await until(async () => (await note()) === "nobody");
      });
    });

    it("tries again with growing delays, and stalls on a terminal error until the object changes", async () => {
      const attempts: number[] = [];
      const controller = defineController(Box, {
        async reconcile({ object, status }) {
          if (object.spec.label === "hopeless") throw terminal("nobody can do that");
          attempts.push(performance.now());
          if (attempts.length < 6) throw new Error("not yet");
          status({ count: 6 });
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("retry", {}));
        await until(async () => (await client.get(Box, "retry")).status?.count === 6);
        assert.ok(attempts[5]! - attempts[4]! > attempts[2]! - attempts[1]!, "delays grow");
        await client.create(Box, Box("stuck", { label: "hopeless" }));
        const state = await until(() => manager.states().find((one) => one.progress.at === "stalled"));
        assert.deepEqual(state.progress, { at: "stalled", because: "nobody can do that" });
        await client.patch(Box, "stuck", { type: "merge", body: { spec: { label: null } } });
        await until(async () => (await client.get(Box, "stuck")).status?.count !== undefined);
      });
    });

    it("abandons a reconcile that hangs: the signal aborts, its client is revoked, others go on, the key waits", async () => {
      let release = (): void => {};
      let refused: unknown;
      let hanging = 0;
      const controller = defineController(Box, {
        timeout: "100ms",
        async reconcile({ object, status, client, signal }) {
          if (object.metadata.name === "hang" && object.spec.label === undefined) {
            hanging++;
            await new Promise<void>((resolve) => (release = resolve));
            assert.equal(signal.aborted, true);
            await client.get(Box, "hang").catch((error: unknown) => (refused = error));
            return;
          }
          status({ count: 1 });
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("hang", {}));
        await until(() => manager.states().find((one) => one.key.endsWith("/hang") && one.progress.at === "stalled"));
        await client.create(Box, Box("other", {}));
        await until(async () => (await client.get(Box, "other")).status?.count === 1);
        await client.patch(Box, "hang", { type: "merge", body: { spec: { label: "changed" } } });
        await sleep(100);
        assert.equal(hanging, 1, "the key is quarantined while the promise is open");
        assert.equal((await client.get(Box, "hang")).status?.count, undefined);
        release();
        await until(async () => (await client.get(Box, "hang")).status?.count === 1);
        assert.match(String(refused), /no result within 100 ms/);
      });
    });

    it("lets a running reconcile finish at shutdown", async () => {
      let finished = false;
      let entered = (): void => {};
      const inside = new Promise<void>((resolve) => (entered = resolve));
      const controller = defineController(Box, {
        async reconcile() {
          entered();
          await sleep(100);
          finished = true;
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("slow", {}));
        await inside;
        await manager.stop();
        assert.equal(finished, true);
      });
    });

    it("steps are named when they fail and when they take too long", async () => {
      const controller = defineController(Box, {
        async reconcile({ object, step }) {
          if (object.spec.label === "slow") await step("dig a hole", () => sleep(500), { timeout: "50ms" });
          await step("create bucket", () => Promise.reject(new Error("quota")));
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("steps", {}));
        const because = () => (manager.states().find((one) => one.progress.at === "retrying")?.progress as { because?: string } | undefined)?.because;
        await until(() => because()?.includes('step "create bucket" of Box') && because()?.includes("quota"));
        await client.patch(Box, "steps", { type: "merge", body: { spec: { label: "slow" } } });
        await until(() => because()?.includes('step "dig a hole"') && because()?.includes("took longer than 50ms"));
      });
    });

    it("a reconcile that only wakes itself is named and slowed down", async () => {
      let count = 0;
      const warnings: string[] = [];
      const controller = defineController(Box, {
        async reconcile({ status }) {
          status({ count: ++count });
        },
      });
      const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
      await run(
        [controller],
        async (client) => {
          await client.create(Box, Box("loop", {}));
          await until(() => warnings.length > 0);
          assert.match(warnings[0]!, /ERR_RECONCILE_LOOP: 50 reconciles in a row .* status\.count/);
          const found = count;
          await sleep(250);
          assert.ok(count - found < 5, `${count - found} more within 250 ms`);
        },
        { log },
      );
    });

    it("does not touch a foreign object that appears between the look and the write", async () => {
      const client = await server.client();
      let raced = false;
      const racing = new Proxy(client, {
        get(target, property) {
          const value = Reflect.get(target, property) as unknown;
          if (property === "with") return (scope: object) => new Proxy(target.with(scope), { get: (inner, name) => (name === "apply" ? raceApply(inner) : bound(inner, name)) });
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      const bound = (target: object, name: string | symbol): unknown => {
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      };
      const raceApply = (inner: Client) => async (kind: never, manifest: never, options: never) => {
        if ((kind as { kind: string }).kind === "Part" && !raced) {
          raced = true;
          await client.create(Part, Part("precious-p", { of: "me" }));
        }
        return inner.apply(kind, manifest, options);
      };
      const controller = defineController(Box, {
        owns: [Part],
        async reconcile({ object, own }) {
          await own(Part, [Part(`${object.metadata.name}-p`, { of: "box" })]);
        },
      });
      const manager = createManager({ operator: "laws", controllers: [controller], client: racing, namespace: client.namespace, log: silentLog });
      await manager.start();
      await client.create(Box, Box("precious", {}));
      await until(() => manager.states().some((one) => one.progress.at === "retrying" && one.progress.because.includes("ERR_OWN_FOREIGN")));
      const part = await client.get(Part, "precious-p");
      await manager.stop();
      assert.deepEqual([raced, part.spec.of, part.metadata.ownerReferences], [true, "me", undefined]);
    });

    it("gives an owned object its owner reference back", async () => {
      const controller = defineController(Box, {
        owns: [Part],
        async reconcile({ object, own }) {
          await own(Part, [Part(`${object.metadata.name}-p`, { of: "box" })]);
        },
      });
      await run([controller], async (client) => {
        await client.create(Box, Box("stripped", {}));
        await until(() => client.find(Part, "stripped-p"));
        await client.patch(Part, "stripped-p", { type: "merge", body: { metadata: { ownerReferences: null } } });
        await until(async () => (await client.get(Part, "stripped-p")).metadata.ownerReferences?.length === 1);
      });
    });

    it("sends no write for empty parts that a server drops", async () => {
      let runs = 0;
      const controller = defineController(Box, {
        owns: [ConfigMap],
        async reconcile({ object, own }) {
          runs++;
          await own(ConfigMap, [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: object.metadata.name, labels: {}, annotations: {} }, data: {}, immutable: null }]);
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("empty", {}));
        await until(() => client.find(ConfigMap, "empty"));
        await until(() => manager.isIdle());
        const before = await client.get(ConfigMap, "empty");
        const ran = runs;
        await client.patch(Box, "empty", { type: "merge", body: { metadata: { labels: { touched: "yes" } } } });
        await until(() => runs > ran && manager.isIdle());
        assert.equal((await client.get(ConfigMap, "empty")).metadata.resourceVersion, before.metadata.resourceVersion);
      });
    });

    it("writes what was said before an error, and clears a map that loses its last key", async () => {
      const controller = defineController(Box, {
        async reconcile({ object, status, condition }) {
          if (object.spec.label === "bad") {
            condition("Ready", "False", "BadSpec");
            throw terminal("bad");
          }
          status({ tags: object.spec.label === "full" ? { a: "1" } : {} });
        },
      });
      await run([controller], async (client) => {
        await client.create(Box, Box("said", { label: "bad" }));
        await until(async () => (await client.get(Box, "said")).status?.conditions?.[0]?.reason === "BadSpec");
        await client.patch(Box, "said", { type: "merge", body: { spec: { label: "full" } } });
        await until(async () => (await client.get(Box, "said")).status.tags?.["a"] === "1");
        await client.patch(Box, "said", { type: "merge", body: { spec: { label: "none" } } });
        await until(async () => (await client.get(Box, "said")).status.tags?.["a"] === undefined);
      });
    });

    it("a step that outlives its deadline keeps the object from being reconciled again", async () => {
      let inside = 0;
      let most = 0;
      let ended = 0;
      const controller = defineController(Box, {
        async reconcile({ step }) {
          await step(
            "slow",
            async () => {
              most = Math.max(most, ++inside);
              await sleep(120);
              inside--;
              ended++;
            },
            { timeout: "20ms" },
          );
        },
      });
      await run([controller], async (client) => {
        await client.create(Box, Box("slow", {}));
        await until(() => ended >= 3);
        assert.equal(most, 1);
      });
    });

    it("an own() that nobody awaits is told so, and takes nothing else down", async () => {
      const controller = defineController(Box, {
        owns: [Part],
        reconcile({ object, own }) {
          void own(Part, [Part(`${object.metadata.name}_BAD`, { of: "x" })]);
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("careless", {}));
        const state = await until(() => manager.states().find((one) => one.progress.at === "retrying"));
        assert.match(JSON.stringify(state.progress), /ERR_NOT_AWAITED: own\(Part, …\) of Box .* was not awaited.*write `await` in front of it/);
      });
    });

    it("stops although a reconcile ignores its signal, and although it has not yet started", async () => {
      const stuck = defineController(Box, { name: "stuck", reconcile: () => new Promise<void>(() => {}) });
      const errors: string[] = [];
      const client = await server.client();
      const log = { ...silentLog, error: (message: string) => void errors.push(message) };
      const manager = createManager({ operator: "laws", controllers: [stuck], client, namespace: client.namespace, log, shutdownTimeoutMs: 100 });
      await manager.start();
      await client.create(Box, Box("stuck", {}));
      await until(() => manager.states().some((one) => one.progress.at === "running"));
      const start = performance.now();
      await manager.stop();
      assert.ok(performance.now() - start < 2000);
      assert.match(errors.join(), /abandoned: reconcile did not end when the manager stopped/);
      await assert.rejects(manager.start(), /ERR_MANAGER_STATE/);

      const Absent = defineResource({ ...api, kind: "Absent", spec: z.object({}) });
      const waiting = createManager({ operator: "laws", controllers: [defineController(Absent, { async reconcile() {} })], client, log: silentLog });
      const starting = waiting.start();
      await assert.rejects(waiting.start(), /ERR_MANAGER_STATE/);
      await sleep(20);
      await waiting.stop();
      await assert.rejects(starting, /was stopped/);
    });

    it("a throwing `changed` callback is reported and harms nobody", async () => {
      const errors: string[] = [];
      const controller = defineController(Box, {
        async reconcile({ status }) {
          status({ count: 1 });
        },
      });
      const options = {
        changed: () => {
          throw new Error("ouch");
        },
        log: { ...silentLog, error: (message: string) => void errors.push(message) },
      };
      await run(
        [controller],
        async (client) => {
          await client.create(Box, Box("watched", {}));
          await until(async () => (await client.get(Box, "watched")).status?.count === 1);
          assert.match(errors[0]!, /`changed` callback threw/);
        },
        options,
      );
    });

    it("a reference out of the namespace that is watched is an error, not a wait", async () => {
      const controller = defineController(Box, {
        refs: { boss: ref(ConfigMap, () => ({ namespace: "kube-system", name: "boss" })) },
        async reconcile({ wait }) {
          return wait.forRef("boss");
        },
      });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("far", {}));
        const state = await until(() => manager.states().find((one) => one.progress.at === "retrying"));
        assert.match(JSON.stringify(state.progress), /ERR_REF_NAMESPACE/);
      });
    });

    it("a reconcile that returns another framework's result is told so", async () => {
      const controller = defineController(Box, { reconcile: (async () => ({ requeueAfter: 5 })) as never });
      await run([controller], async (client, manager) => {
        await client.create(Box, Box("wrong", {}));
        const state = await until(() => manager.states().find((one) => one.progress.at === "retrying"));
        assert.match(JSON.stringify(state.progress), /ERR_RECONCILE_RESULT/);
      });
    });
  });
}
