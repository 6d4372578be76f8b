// What a manager remembers of its attempts and tells of them, and the graph of its controllers.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, defineController, defineSignal, ref, terminal } from "homeostat";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { readIntrospection } from "../fixtures/read-introspection.ts";
import { until } from "../fixtures/until.ts";

const metrics = { port: 0, introspection: true } as const;

const flagged = defineSignal({
  name: "flagged",
  on: Box,
  carrier: { annotation: "laws.example.com/flagged" },
  setBy: ["boxes"],
  clearedBy: ["people"],
  within: "10m",
});

const boxes = defineController(Box, {
  name: "boxes",
  owns: [Part],
  refs: { friend: ref(Box, (box) => box.spec.friend) },
  watches: { menus: all(ConfigMap, { labels: { menu: "yes" } }) },
  permissions: [
    { kind: Secret, verbs: ["get", "create", "update"] },
    { kind: ConfigMap, verbs: ["create"] },
  ],
  signals: [flagged],
  reports: { events: true, conditions: false },
  async reconcile({ object, client, own, status, step, retry, wait }) {
    const { name } = object.metadata;
    if (name.startsWith("broken")) throw new Error(`no glue for ${name} at ${Date.now()}`);
    if (name === "wrong") throw terminal("it is never right");
    if (name === "waiting") return wait.for("the paint to dry");
    if (name === "later") return retry.in("1h", { because: "it is early" });
    if (name !== "busy") return undefined;
    await step("shop", async () => {
      await client.create(Secret, { metadata: { name: "key" }, stringData: { word: "sesame" } });
      await client.create(ConfigMap, { metadata: { name: "list" }, data: { eggs: "sesame" } });
    });
    await client.patch(ConfigMap, "list", { data: { milk: "sesame" } });
    await own(Part, [Part("busy-1", { of: "busy" })]);
    await client.patch(ConfigMap, "missing", { data: { a: "b" } }).catch(() => {});
    status({ note: "sesame", count: 1 });
    return undefined;
  },
});

describeLaws("history of attempts", ({ run }) => {
  it("tells what woke an attempt, what it wrote, and how it ended", async () => {
    await run(
      [boxes],
      async (client, manager) => {
        const read = (what: string) => readIntrospection(manager, what);
        await client.create(Box, Box("busy", {}));
        const [busy] = await until(async () => {
          const { items } = await read("/history?name=busy&result=success");
          return items.some((one: any) => one.writes.length > 0) ? items.toReversed() : false;
        });
        assert.deepEqual(
          [busy.controller, busy.kind, busy.namespace, busy.name],
          ["boxes", "Box", client.namespace, "busy"],
        );
        assert.deepEqual([busy.attempt, busy.state, busy.result], [1, "done", "success"]);
        assert.ok(Math.abs(Date.now() - Date.parse(busy.beganAt)) < 60_000);
        assert.ok(busy.tookMs > 0 && busy.tookMs < 60_000, `${busy.tookMs}`);
        assert.equal(busy.causes[0].source, "itself");
        assert.deepEqual(
          busy.steps.map((one: any) => one.name),
          ["shop"],
        );
        const writes = busy.writes.map(({ verb, resource, name, code }: any) =>
          [verb, resource, name, code].join(" "),
        );
        assert.deepEqual(writes, [
          "create v1 secrets key 201",
          "create v1 configmaps list 201",
          "patch v1 configmaps list 200",
          "apply laws.example.com/v1 parts busy-1 201",
          "patch v1 configmaps missing 404",
          "apply laws.example.com/v1 boxes/status busy 200",
        ]);
        const [secret, made, patched, part, , status] = busy.writes;
        assert.deepEqual([secret.hash, secret.paths], [undefined, undefined]);
        assert.match(made.hash, /^[0-9a-f]{12}$/);
        assert.deepEqual(patched.paths, ["data.milk"]);
        assert.ok(part.paths.includes("spec.of"));
        assert.ok(["status.note", "status.count"].every((one) => status.paths.includes(one)));
        const stored = await client.get(Box, "busy");
        assert.equal(status.resourceVersion, stored.metadata.resourceVersion);
        assert.ok(!JSON.stringify(await read("/history")).includes("sesame"), "no contents");
      },
      { metrics },
    );
  });

  it("gives failures of one cause one fingerprint, and selects by what is asked for", async () => {
    await run(
      [boxes],
      async (client, manager) => {
        const read = (what: string) => readIntrospection(manager, what);
        for (const name of ["broken-1", "broken-b", "wrong", "waiting", "later", "fine"])
          await client.create(Box, Box(name, {}));
        await until(async () => {
          const { items } = await read("/history?result=error");
          return ["broken-1", "broken-b"].every(
            (name) => items.filter((one: any) => one.name === name).length > 2,
          );
        });
        const { items: failed } = await read("/history?result=error&controller=boxes");
        const prints = new Set(failed.map((one: any) => one.error.fingerprint));
        assert.equal(prints.size, 1, JSON.stringify(failed.map((one: any) => one.error)));
        assert.match(failed[0].error.message, /^no glue for broken/);
        assert.equal(failed[0].state, "retrying");
        assert.ok(Date.parse(failed[0].nextAt) > Date.parse(failed[0].beganAt));
        assert.ok(failed[0].id > failed[1].id, "the newest first");
        const [print] = prints;
        const same = await read(`/history?fingerprint=${print}&name=broken-b`);
        assert.ok(same.items.length > 2 && same.items.every((one: any) => one.name === "broken-b"));
        assert.equal((await read("/history?fingerprint=none")).items.length, 0);
        assert.equal((await read("/history?controller=others")).items.length, 0);
        assert.equal((await read(`/history?namespace=${client.namespace}x`)).items.length, 0);
        const results = (await read("/history?result=terminal,requeue_after")).items;
        assert.deepEqual(
          results.map((one: any) => [one.name, one.result, one.state, one.because]).toSorted(),
          [
            ["later", "requeue_after", "retrying", "it is early"],
            ["wrong", "terminal", "stalled", "it is never right"],
          ],
        );
        assert.equal((await read("/history?name=waiting")).items[0].because, "the paint to dry");
        const [object] = (await read(`/objects/laws.example.com/Box/${client.namespace}/broken-1`))
          .items;
        assert.ok(object.attempts.length > 2 && object.attempts.length <= 20);
        assert.ok(object.attempts.every((one: any) => one.name === "broken-1"));
        const { ended, kept, dropped, bytes, left } = await read("/history");
        assert.ok(ended >= kept && kept > 5 && bytes > 1000, `${ended} ${kept} ${bytes}`);
        assert.deepEqual([dropped, left], [0, 0]);
      },
      { metrics },
    );
  });

  it("draws the graph of what is declared, and counts what flows", async () => {
    await run(
      [boxes],
      async (client, manager) => {
        const read = (what: string) => readIntrospection(manager, what);
        const before = await read("/graph");
        assert.deepEqual(
          before.wakes.map((one: any) => [one.controller, one.by, one.kind, one.times]),
          [
            ["boxes", "itself", "Box", 0],
            ["boxes", "owns Part", "Part", 0],
            ["boxes", "ref friend", "Box", 0],
            ["boxes", "watch menus", "ConfigMap", 0],
          ],
        );
        assert.deepEqual(
          before.writes.map((one: any) => [one.by, one.resource]),
          [
            ["itself", "laws.example.com/v1 boxes"],
            ["owns", "laws.example.com/v1 parts"],
            ["permission", "v1 secrets"],
            ["permission", "v1 configmaps"],
          ],
        );
        assert.deepEqual(before.signals, [
          {
            name: "flagged",
            apiVersion: "laws.example.com/v1",
            kind: "Box",
            carrier: { annotation: "laws.example.com/flagged" },
            setBy: ["boxes"],
            clearedBy: ["people"],
            withinMs: 600_000,
          },
        ]);
        await client.create(Box, Box("busy", {}));
        await client.create(Box, Box("fan", { friend: "busy" }));
        const after = await until(async () => {
          const graph = await read("/graph");
          const times = new Map<string, number>(graph.wakes.map((one: any) => [one.by, one.times]));
          return times.get("itself")! > 1 && times.get("ref friend")! > 0 ? graph : false;
        });
        const requests = new Map<string, any>(
          after.writes.map((one: any) => [one.resource, one.requests]),
        );
        assert.equal(requests.get("laws.example.com/v1 parts").apply, 1);
        assert.deepEqual(requests.get("v1 configmaps"), { create: 1, patch: 1 });
      },
      { metrics },
    );
  });
});
