// The client, the informer and the event recorder on a live server. Runs on every server.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ApiStatusError, isAlreadyExists, isConflict, isInvalid, isNotFound } from "homeostat/api";
import { type Client, dynamicKind, isStatus, type WatchEvent } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Event } from "homeostat/k8s/events/v1";
import { createSystemRuntime } from "homeostat/runtime";
import { createCache } from "../../packages/homeostat/src/cache/index.ts";
import { createEventRecorder, objectReference } from "homeostat/events";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const Crd = dynamicKind({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  resource: "customresourcedefinitions",
  scope: "Cluster",
});

const map = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: object = {},
): any => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data });

for (const what of serverKinds()) {
  describe(`client on the ${what} server`, { timeout: 60_000 }, () => {
    let server: TestServer;
    let client: Client;
    before(async () => {
      server = await openServer(what);
      client = await server.client({ fieldManager: "kitchen" });
    });
    after(() => server.close());

    describe("objects", () => {
      it("are created, read, replaced, listed and deleted", async () => {
        const made = await client.create(ConfigMap, map("crud", { a: "1" }));
        assert.equal(made.metadata.namespace, client.namespace);
        await assert.rejects(
          client.create(ConfigMap, map("crud")),
          (error) => isAlreadyExists(error) && error.message === 'configmaps "crud" already exists',
        );
        assert.deepEqual(await client.get(ConfigMap, "crud"), made);
        const replaced = await client.update(ConfigMap, { ...made, data: { a: "2" } });
        assert.notEqual(replaced.metadata.resourceVersion, made.metadata.resourceVersion);
        await assert.rejects(
          client.update(ConfigMap, { ...made, data: { a: "3" } }),
          (error) => isConflict(error) && /object has been modified/.test(error.message),
        );
        const list = await client.list(ConfigMap, {
          namespace: client.namespace,
          fieldSelector: "metadata.name=crud",
        });
        assert.deepEqual(list.items, [replaced]);
        assert.ok(
          isStatus(
            await client.delete(ConfigMap, "crud", { preconditions: { uid: made.metadata.uid } }),
          ),
        );
        assert.equal(await client.find(ConfigMap, "crud"), undefined);
        await assert.rejects(
          client.delete(ConfigMap, "crud"),
          (error) => isNotFound(error) && error.message === 'configmaps "crud" not found',
        );
      });

      it("take three kinds of patch", async () => {
        await client.create(ConfigMap, map("patched", { a: "1", b: "2" }));
        assert.deepEqual(
          (
            await client.patch(ConfigMap, "patched", {
              type: "merge",
              body: { data: { a: null, c: "3" } },
            })
          )["data"],
          { b: "2", c: "3" },
        );
        assert.deepEqual(
          (
            await client.patch(ConfigMap, "patched", {
              type: "json",
              body: [{ op: "replace", path: "/data/b", value: "4" }],
            })
          )["data"],
          { b: "4", c: "3" },
        );
        assert.deepEqual(
          (
            await client.patch(ConfigMap, "patched", {
              type: "strategic",
              body: { data: { $patch: "replace", d: "5" } },
            })
          )["data"],
          { d: "5" },
        );
        await assert.rejects(
          client.patch(ConfigMap, "patched", {
            type: "json",
            body: [{ op: "test", path: "/data/d", value: "x" }],
          }),
          (error) => isInvalid(error),
        );
      });

      it("are applied by managers that own fields", async () => {
        await client.apply(ConfigMap, map("applied", { a: "1" }));
        const other = client.with({ fieldManager: "other" });
        await assert.rejects(
          other.apply(ConfigMap, map("applied", { a: "2" })),
          (error) => isConflict(error) && /conflict with "kitchen": \.data\.a/.test(error.message),
        );
        const taken = await other.apply(ConfigMap, map("applied", { a: "2" }), { force: true });
        assert.deepEqual(taken["data"], { a: "2" });
        const gone = await client.apply(ConfigMap, map("applied"), { force: true });
        assert.deepEqual(gone["data"], { a: "2" }, "a field that another manager owns stays");
      });

      it("are checked and not stored in a dry run", async () => {
        const made = await client.create(ConfigMap, map("dry"), { dryRun: "All" });
        assert.ok(made.metadata.uid);
        assert.equal(await client.find(ConfigMap, "dry"), undefined);
        await assert.rejects(
          client.create(ConfigMap, map("NOT A NAME"), { dryRun: "All" }),
          (error) =>
            isInvalid(error) && error.status.details?.causes?.[0]?.field === "metadata.name",
        );
      });

      it("with unknown fields are warned about or refused, as asked", async () => {
        const heard: string[] = [];
        const told = await server.client({ observer: { warned: (text) => heard.push(text) } });
        await told.create(ConfigMap, { ...map("odd"), speck: 1 });
        assert.deepEqual(heard, ['unknown field "speck"']);
        await assert.rejects(
          told.create(ConfigMap, { ...map("odder"), speck: 1 }, { fieldValidation: "Strict" }),
          (error) =>
            error instanceof ApiStatusError &&
            error.status.code === 400 &&
            /strict decoding error: unknown field "speck"/.test(error.message),
        );
      });

      it("are deleted as a collection", async () => {
        const selected = { labels: { batch: "yes" } };
        await Promise.all(
          ["c1", "c2", "c3"].map((name) =>
            client.create(ConfigMap, map(name, {}, name === "c3" ? {} : selected)),
          ),
        );
        await client.deleteCollection(ConfigMap, {
          namespace: client.namespace,
          labelSelector: "batch=yes",
        });
        assert.deepEqual(
          [await client.find(ConfigMap, "c1"), await client.find(ConfigMap, "c2")],
          [undefined, undefined],
        );
        assert.ok(await client.find(ConfigMap, "c3"));
      });
    });

    describe("lists", () => {
      it("are fetched in pages that fit together", async () => {
        const paged = await server.client();
        for (let i = 0; i < 7; i++) await paged.create(ConfigMap, map(`page-${i}`));
        const whole = await paged.list(ConfigMap, { namespace: paged.namespace });
        const pages = await paged.list(ConfigMap, { namespace: paged.namespace, pageSize: 3 });
        assert.deepEqual(pages.items, whole.items);
        assert.ok(
          whole.items.every((item) => item.kind === "ConfigMap" && item.apiVersion === "v1"),
        );
        const first = await paged.listPage(ConfigMap, { namespace: paged.namespace, limit: 3 });
        assert.equal(first.items.length, 3);
        assert.ok(first.continue);
        assert.ok((first.remainingItemCount ?? 4) >= 4);
      });
    });

    describe("custom resources", () => {
      const group = `client-${what}.example.com`;
      const Order = dynamicKind({
        apiVersion: `${group}/v1`,
        kind: "Order",
        resource: "orders",
        scope: "Namespaced",
      });
      before(async () => {
        const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
        await client.create(Crd, {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: `orders.${group}` },
          spec: {
            group,
            scope: "Namespaced",
            names: { kind: "Order", plural: "orders" },
            versions: [
              {
                name: "v1",
                served: true,
                storage: true,
                subresources: {
                  status: {},
                  scale: {
                    specReplicasPath: ".spec.replicas",
                    statusReplicasPath: ".status.replicas",
                  },
                },
                schema: { openAPIV3Schema: schema },
              },
            ],
          },
        });
        for (;;)
          if (
            await client.list(Order).then(
              () => true,
              () => false,
            )
          )
            break;
      });
      after(() => client.delete(Crd, `orders.${group}`));

      it("are found by discovery, also right after they were defined", async () => {
        assert.equal((await client.kinds.byKind(`${group}/v1`, "Order")).resource, "orders");
        assert.deepEqual(
          [...(await client.kinds.byResource(`orders.${group}`)).subresources].sort(),
          ["scale", "status"],
        );
        await assert.rejects(
          client.kinds.byKind("nowhere.example.com/v1", "Nothing"),
          /ERR_DISCOVERY_NO_KIND/,
        );
      });

      it("keep unknown fields, microseconds and 64-bit integers through read and write", async () => {
        const spec = {
          big: 9_223_372_036_854_775_807n,
          deep: [{ x: null, at: "2026-01-01T00:00:00.123456Z" }],
          float: 1.5,
        };
        const made = await client.create(Order, {
          apiVersion: Order.apiVersion,
          kind: "Order",
          metadata: { name: "exact" },
          spec,
        });
        assert.deepEqual(made["spec"], spec);
        const updated = await client.update(Order, {
          ...made,
          metadata: { ...made.metadata, labels: { touched: "yes" } },
        });
        assert.deepEqual(updated["spec"], spec);
      });

      it("have status and scale beside the spec", async () => {
        const made = await client.create(Order, {
          apiVersion: Order.apiVersion,
          kind: "Order",
          metadata: { name: "parts" },
          spec: { replicas: 2 },
          status: { replicas: 9 },
        });
        assert.equal(made["status"], undefined);
        const status = await client.patch(
          Order,
          "parts",
          { type: "merge", body: { spec: { replicas: 7 }, status: { replicas: 1 } } },
          { subresource: "status" },
        );
        assert.deepEqual([status["spec"], status["status"]], [{ replicas: 2 }, { replicas: 1 }]);
        const scale: any = await client.get(Order, "parts", { subresource: "scale" });
        assert.deepEqual(
          [scale.kind, scale.spec, scale.status.replicas],
          ["Scale", { replicas: 2 }, 1],
        );
        await client.patch(
          Order,
          "parts",
          { type: "merge", body: { spec: { replicas: 3 } } },
          { subresource: "scale" },
        );
        assert.deepEqual((await client.get(Order, "parts"))["spec"], { replicas: 3 });
      });

      it("live on while finalizers hold them", async () => {
        await client.create(Order, {
          apiVersion: Order.apiVersion,
          kind: "Order",
          metadata: { name: "held", finalizers: ["example.com/hold"] },
        });
        const answer: any = await client.delete(Order, "held");
        assert.ok(!isStatus(answer) && answer.metadata.deletionTimestamp);
        await client.patch(Order, "held", {
          type: "merge",
          body: {
            metadata: { finalizers: null, resourceVersion: answer.metadata.resourceVersion },
          },
        });
        assert.equal(await client.find(Order, "held"), undefined);
      });
    });

    describe("watch", () => {
      it("follows from a revision, and ends when the reader leaves", async () => {
        const made = await client.create(ConfigMap, map("watched"));
        const seen: string[] = [];
        const watching = (async () => {
          for await (const event of client.watch(ConfigMap, {
            namespace: client.namespace,
            fieldSelector: "metadata.name=watched",
            resourceVersion: made.metadata.resourceVersion,
          }) as AsyncIterable<WatchEvent<any>>) {
            seen.push(`${event.type} ${event.object.data?.a ?? ""}`);
            if (event.type === "DELETED") break;
          }
        })();
        await client.patch(ConfigMap, "watched", { type: "merge", body: { data: { a: "1" } } });
        await client.patch(ConfigMap, "watched", { type: "merge", body: { data: { a: "2" } } });
        await client.delete(ConfigMap, "watched");
        await watching;
        assert.deepEqual(seen, ["MODIFIED 1", "MODIFIED 2", "DELETED 2"]);
      });

      it("is refused from an invalid revision", async () => {
        await assert.rejects(
          async () => {
            for await (const _ of client.watch(ConfigMap, { resourceVersion: "not-a-number" }))
              assert.fail("an event came");
          },
          (error) =>
            error instanceof ApiStatusError && /Invalid value: "not-a-number"/.test(error.message),
        );
      });
    });

    describe("informer", () => {
      it("holds existing objects, reads own writes at once, and follows others", async () => {
        const runtime = createSystemRuntime();
        const reader = await server.client();
        const writer = await server.client({ namespace: reader.namespace });
        await reader.create(ConfigMap, map("before", { a: "1" }));
        const cache = createCache({ client: reader, runtime, frozen: true });
        const { informer } = cache.acquire(ConfigMap, { namespace: reader.namespace });
        const told: string[] = [];
        informer.addHandler({
          added: ({ name }, { through }) => told.push(`added ${name} ${through}`),
          updated: (_, { name }) => told.push(`updated ${name}`),
          deleted: ({ name }) => told.push(`deleted ${name}`),
        });
        cache.start();
        await cache.synced();
        assert.deepEqual(told, ["added before initial"]);
        assert.equal(informer.freshness().ready, true);
        for (let i = 0; i < 20; i++) {
          await reader.patch(ConfigMap, "before", {
            type: "merge",
            body: { data: { a: String(i) } },
          });
          assert.deepEqual(
            informer.get({ namespace: reader.namespace, name: "before" })?.["data"],
            { a: String(i) },
          );
        }
        await reader.create(ConfigMap, map("mine"));
        assert.ok(informer.get({ namespace: reader.namespace, name: "mine" }));
        await reader.delete(ConfigMap, "mine");
        assert.equal(informer.get({ namespace: reader.namespace, name: "mine" }), undefined);
        await writer.with({ namespace: reader.namespace }).create(ConfigMap, map("theirs"));
        await until(() => informer.get({ namespace: reader.namespace, name: "theirs" }));
        await until(() => told.includes("deleted mine"));
        assert.equal(informer.stats().ownWrites, 0);
        const { conclusive, compared, ...differences } = await informer.compare();
        assert.deepEqual(
          [conclusive, compared, differences],
          [true, informer.stats().objects, { missing: [], extra: [], different: [] }],
        );
        await cache.stop();
      });
    });

    describe("event recorder", () => {
      it("writes valid Events, and a series for repeats", async () => {
        const regarding = await client.create(ConfigMap, map("regarded"));
        const recorder = createEventRecorder({
          client,
          runtime: createSystemRuntime(),
          controller: "example.com/test",
          instance: "here",
        });
        for (let i = 0; i < 3; i++)
          recorder.record({
            regarding: objectReference(ConfigMap, regarding),
            type: "Normal",
            reason: "Tested",
            action: "Test",
            note: "it works",
          });
        await until(() => recorder.stats().sent + recorder.stats().failed === 2);
        await recorder.close();
        assert.deepEqual(recorder.stats(), { sent: 2, dropped: 0, failed: 0 });
        const [event] = (await client.list(Event, { namespace: client.namespace })).items;
        assert.deepEqual(
          [(event as any).series.count, (event as any).regarding.uid],
          [2, regarding.metadata.uid],
        );
      });
    });
  });
}
