// Owned objects: exactly the desired ones exist, changes by others are reverted, and objects of
// other owners are not touched.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createManager, defineController, silentLog, terminal } from "homeostat";
import type { Client } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, ResourceQuota, Secret } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("owned objects", ({ client: openClient, run }) => {
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
      const names = async () =>
        (await client.list(Part, { namespace: client.namespace })).items
          .map((part) => part.metadata.name)
          .toSorted();
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
      await client.patch(Box, "set", {
        type: "merge",
        body: { metadata: { labels: { touched: "yes" } } },
      });
      await sleep(100);
      await until(() => manager.isIdle());
      assert.equal(
        (await client.get(Part, "set-b")).metadata.resourceVersion,
        before.metadata.resourceVersion,
        "a write that changes nothing is not sent",
      );
    });
  });

  it("repairs an owned object that another client changed", async () => {
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

  it("does not adopt a foreign object without { adopt: true }", async () => {
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
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(
        (state.progress as { because: string }).because,
        /ERR_OWN_FOREIGN: Box .*\/foreign owning Part .*: "foreign-p" exists and has no controller/,
      );
      assert.equal((await client.get(Part, "foreign-p")).spec.of, "me");
    });
    await run([controller(true)], async (client) => {
      await client.create(Part, Part("foreign-p", { of: "me" }));
      await client.create(Box, Box("foreign", {}));
      await until(async () => (await client.get(Part, "foreign-p")).spec.of === "box");
    });
  });

  it("does not touch a foreign object that appears between read and write", async () => {
    const client = await openClient();
    let raced = false;
    const racing = (target: Client): Client =>
      new Proxy(target, {
        get(inner, name) {
          if (name === "with") return (scope: object) => racing(inner.with(scope));
          return name === "apply" ? raceApply(inner) : bound(inner, name);
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
    const manager = createManager({
      operator: "laws",
      controllers: [controller],
      client: racing(client),
      namespace: client.namespace,
      log: silentLog,
    });
    await manager.start();
    try {
      await client.create(Box, Box("precious", {}));
      await until(() =>
        manager
          .states()
          .some(
            (one) =>
              one.progress.at === "retrying" && one.progress.because.includes("ERR_OWN_FOREIGN"),
          ),
      );
    } finally {
      await manager.stop();
    }
    const part = await client.get(Part, "precious-p");
    assert.deepEqual([raced, part.spec.of, part.metadata.ownerReferences], [true, "me", undefined]);
  });

  it("writes nothing after it has rejected, and the next run starts when all writes have ended", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
    const counted: { readonly written: number; readonly later: number }[] = [];
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own, client }) {
        const count = async (): Promise<number> =>
          (await client.list(Part, { namespace: object.metadata.namespace! })).length;
        const before = await count();
        try {
          await own(Part, [Part("bad_name", { of: "x" }), ...names.map((n) => Part(n, { of: n }))]);
        } catch (error) {
          const after = await count();
          await sleep(50);
          counted.push({ written: after - before, later: (await count()) - after });
          throw error;
        }
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("lanes", {}));
      await until(() => counted.length >= 2);
      for (const { written, later } of counted) {
        assert.equal(later, 0, "writes landed after own() had rejected");
        assert.ok(written < 8, `${written} writes beside the one that failed`);
      }
    });
  });

  it("starts no write for a reconcile that has failed", async () => {
    let made = -1;
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own, client }) {
        const { namespace } = object.metadata;
        if (object.spec.label === "count")
          return void (made = (await client.list(Part, { namespace: namespace! })).length);
        const parts = Array.from({ length: 60 }, (_, i) => Part(`late${i}`, { of: "x" }));
        own(Part, parts).catch(() => {});
        throw terminal("the rest fails");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("failed", {}));
      await sleep(30);
      await client.patch(Box, "failed", { type: "merge", body: { spec: { label: "count" } } });
      await until(() => made >= 0);
      assert.ok(made <= 8, `${made} parts were written`);
    });
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
      await client.patch(Part, "stripped-p", {
        type: "merge",
        body: { metadata: { ownerReferences: null } },
      });
      await until(
        async () => (await client.get(Part, "stripped-p")).metadata.ownerReferences?.length === 1,
      );
    });
  });

  it("sends no write for values that the server stores in another form", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      owns: [Secret, ResourceQuota, Deployment],
      async reconcile({ object, own }) {
        runs++;
        const { name } = object.metadata;
        await own(Secret, [{ ...Secret(name, {}), stringData: { word: "hello" } }]);
        await own(ResourceQuota, [ResourceQuota(name, { spec: { hard: { cpu: "1000m" } } })]);
        const labels = { app: name };
        const containers = [
          { name: "c", image: "i", resources: { limits: { cpu: "2000m", memory: "1024Mi" } } },
        ];
        const volumes = [{ name: "v", emptyDir: { sizeLimit: "1024Mi" } }];
        const template = { metadata: { labels }, spec: { containers, volumes } };
        await own(Deployment, [
          Deployment(name, { spec: { selector: { matchLabels: labels }, template } }),
        ]);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("stored", {}));
      await until(() => client.find(Deployment, "stored"));
      await until(() => manager.isIdle());
      const versions = async () =>
        Promise.all(
          [Secret, ResourceQuota, Deployment].map(
            async (kind) =>
              (await client.get(kind as typeof Secret, "stored")).metadata.resourceVersion,
          ),
        );
      const before = await versions();
      let writes = 0;
      const stop = client.observeWrites(({ kind }) => void (writes += kind.kind === "Box" ? 0 : 1));
      const ran = runs;
      await client.patch(Box, "stored", { type: "merge", body: { spec: { label: "again" } } });
      await until(() => runs > ran && manager.isIdle());
      stop();
      assert.equal(writes, 0, "applies that change nothing");
      assert.deepEqual(await versions(), before);
      const { data } = await client.get(Secret, "stored");
      assert.deepEqual(data, { word: Buffer.from("hello").toString("base64") });
      await client.patch(Secret, "stored", { type: "merge", body: { data: { word: "eA==" } } });
      await until(async () => (await client.get(Secret, "stored")).data?.["word"] === "aGVsbG8=");
    });
  });

  it("sends no write for empty parts that a server drops", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      owns: [ConfigMap],
      async reconcile({ object, own }) {
        runs++;
        await own(ConfigMap, [
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: object.metadata.name, labels: {}, annotations: {} },
            data: {},
            immutable: null as never,
          },
        ]);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("empty", {}));
      await until(() => client.find(ConfigMap, "empty"));
      await until(() => manager.isIdle());
      const before = await client.get(ConfigMap, "empty");
      const ran = runs;
      await client.patch(Box, "empty", {
        type: "merge",
        body: { metadata: { labels: { touched: "yes" } } },
      });
      await until(() => runs > ran && manager.isIdle());
      assert.equal(
        (await client.get(ConfigMap, "empty")).metadata.resourceVersion,
        before.metadata.resourceVersion,
      );
    });
  });
});
