// What a manager says of itself: who may ask, and what it answers about each part, as
// docs/reference/introspection.md has it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, terminal } from "homeostat";
import { defineValidatingWebhook } from "homeostat/webhook";
import { freePort } from "../fixtures/free-port.ts";
import { getText } from "../fixtures/get-text.ts";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { introspectionPath, readIntrospection } from "../fixtures/read-introspection.ts";
import { tokenOf } from "../fixtures/reader-token.ts";
import { until } from "../fixtures/until.ts";

const path = introspectionPath;

function boxController(ended: Promise<void>) {
  return defineController(Box, {
    name: "boxes",
    concurrency: 3,
    owns: [Part],
    async reconcile({ object, wait, retry, step }) {
      switch (object.metadata.name) {
        case "waiting":
          return wait.for("the paint to dry");
        case "later":
          return retry.in("1h", { because: "it is early" });
        case "wrong":
          throw terminal("it is never right");
        case "broken":
          throw new Error("no glue");
        case "slow":
          await step("dig", () => ended);
          return undefined;
        default:
          return undefined;
      }
    },
  });
}

describeLaws("introspection", ({ client: open, run }) => {
  it("says which objects are in work, queued, waiting and on what, failing and why", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const rules = defineValidatingWebhook(Box, { create: () => undefined });
    const { namespace } = await open();
    await run(
      [boxController(promise)],
      async (client, manager) => {
        const read = (what: string) => readIntrospection(manager, what);
        for (const name of ["fine", "waiting", "later", "wrong", "broken", "slow"])
          await client.create(Box, Box(name, {}));
        const states = async () => {
          const { items } = await read("/objects?state=done,waiting,retrying,stalled,running");
          return new Map<string, any>(items.map((one: any) => [one.name, one]));
        };
        await until(async () => {
          const found = await states();
          const at = (name: string) => found.get(name)?.state;
          return (
            at("fine") === "done" &&
            at("later") === "retrying" &&
            at("slow") === "running" &&
            at("wrong") === "stalled" &&
            (found.get("broken")?.failures ?? 0) >= 2
          );
        });
        const found = await states();
        assert.equal(found.get("waiting").waitsFor, "the paint to dry");
        assert.match(found.get("broken").because, /no glue/);
        assert.ok(Date.parse(found.get("later").nextAt) > Date.now() + 3_000_000);
        assert.equal(found.get("slow").step, "dig");

        const list = await read("/objects");
        assert.equal(list.kind, "ObjectList");
        assert.deepEqual([list.items[0].name, list.left], ["wrong", 0], "the worst is first");
        assert.ok(!list.items.some((one: any) => one.name === "fine"));
        assert.equal((await read("/objects?controller=others")).items.length, 0);
        assert.equal((await read(`/objects?namespace=${client.namespace}x`)).items.length, 0);

        const at = `/objects/laws.example.com/Box/${client.namespace}/broken`;
        const [broken] = (await read(at)).items;
        assert.ok(["delayed", "processing", "ready"].includes(broken.queue.state));
        assert.ok(broken.queue.lastCauses.length > 0);
        assert.match(JSON.stringify(broken.queue.lastCauses), /"source":/);

        const [flying] = (await read("/inflight")).items;
        assert.deepEqual([flying.name, flying.step], ["slow", "dig"]);
        const [controller] = (await read("/controllers")).items;
        assert.deepEqual([controller.name, controller.concurrency], ["boxes", 3]);
        assert.equal(controller.objects.stalled, 1);
        const [queue] = (await read("/queues")).items;
        assert.ok(queue.adds >= 6 && queue.processing >= 1, JSON.stringify(queue));
        const boxes = (await read("/informers")).items.find((one: any) => one.kind === "Box");
        assert.deepEqual([boxes.ready, boxes.objects, boxes.phase], [true, 6, "watching"]);
        const [election] = (await read("/elections")).items;
        assert.deepEqual([election.role, election.holder], ["leading", election.identity]);
        const [webhooks] = (await read("/webhooks")).items;
        assert.deepEqual(webhooks.paths, ["/validate-laws-example-com-v1-box"]);
        assert.ok(Date.parse(webhooks.certificate.notAfter) > Date.now());
        const summary = await read("/summary");
        assert.deepEqual([summary.operator, summary.ready], ["introspected", true]);
        assert.deepEqual((await read("")).paths.length, 12);
        resolve();
      },
      {
        operator: "introspected",
        election: { namespace },
        metrics: { port: 0, introspection: true },
        webhooks: { serve: [rules], url: `https://127.0.0.1:${await freePort()}` },
      },
    );
  });

  it("answers 404 for what it does not know, and unless it is asked for", async () => {
    for (const introspection of [true, false])
      await run(
        [boxController(Promise.resolve())],
        async (_client, manager) => {
          const at = `http://127.0.0.1:${manager.ports().metrics}`;
          const known = await getText(`${at}${path}/summary`);
          assert.equal(known.status, introspection ? 200 : 404);
          const unknown = ["/x", "/objects/a/b/c/d", "/objects/%zz/b", "/summary/x", "/objects/a"];
          for (const one of unknown)
            assert.equal((await getText(`${at}${path}${one}`)).status, 404, one);
          assert.equal((await getText(`${at}${path}x`)).status, 404);
          const alien = await getText(`${at}${path}/summary`, undefined, { host: "evil.example" });
          assert.equal(alien.status, introspection ? 403 : 404);
          assert.equal((await getText(`${at}/metrics`)).status, 200);
        },
        { metrics: { port: 0, introspection } },
      );
  });

  it("is behind the reviews of metrics, for its own path", async () => {
    const client = await open();
    const reader = await tokenOf(client, "debugger", ["/debug/homeostat/*"]);
    const scraper = await tokenOf(client, "scraper", ["/metrics"]);
    await run(
      [boxController(Promise.resolve())],
      async (_client, manager) => {
        const at = `https://127.0.0.1:${manager.ports().metrics}`;
        assert.equal((await getText(`${at}${path}/summary`, reader)).status, 200);
        assert.equal((await getText(`${at}${path}/objects`, reader)).status, 200);
        assert.equal((await getText(`${at}/metrics`, reader)).status, 403);
        assert.equal((await getText(`${at}${path}/summary`, scraper)).status, 403);
        assert.equal((await getText(`${at}${path}/summary`)).status, 401);
      },
      { metrics: { port: 0, introspection: true, authorization: { client } } },
    );
  });
});
