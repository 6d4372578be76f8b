// Introspection behind reviews names an object only to those that may get it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController } from "homeostat";
import { Namespace } from "homeostat/k8s/core/v1";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { readIntrospection } from "../fixtures/read-introspection.ts";
import { mayGetBoxes, tokenOf } from "../fixtures/reader-token.ts";
import { until } from "../fixtures/until.ts";

describeLaws("introspection by rights", ({ client: open, run }) => {
  it("shows objects, attempts and running reconciles where the caller may get them", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const boxes = defineController(Box, {
      name: "boxes",
      concurrency: 4,
      async reconcile({ object }) {
        if (object.metadata.name === "slow") await promise;
        throw new Error("no glue");
      },
    });
    const client = await open();
    const there = `${client.namespace}-b`;
    await client.create(Namespace, { metadata: { name: there } });
    const urls = ["/debug/homeostat/*"];
    const [reader, blind, named] = await Promise.all(
      ["reader", "blind", "named"].map((name) => tokenOf(client, name, urls)),
    );
    await mayGetBoxes(client, "reader", { namespace: client.namespace });
    await mayGetBoxes(client, "named", { namespace: there, only: ["slow"] });
    await run(
      [boxes],
      async (_client, manager) => {
        const read = (what: string, token = reader, expected = 200) =>
          readIntrospection(manager, what, { token: token!, expected });
        for (const namespace of [client.namespace, there])
          for (const name of ["slow", "broken"])
            await client.with({ namespace }).create(Box, Box(name, {}));
        await until(
          async () => (await read("/inflight")).items.length === 1 && manager.states().length === 4,
        );
        await until(async () => (await read("/history")).items.length > 2);
        const namespaces = ({ items }: any): readonly string[] => [
          ...new Set<string>(items.map((one: any) => one.namespace)),
        ];
        const objects = await read("/objects?state=running,retrying");
        assert.deepEqual([namespaces(objects), objects.hidden], [[client.namespace], 2]);
        const inflight = await read("/inflight");
        assert.deepEqual([namespaces(inflight), inflight.hidden], [[client.namespace], 1]);
        const history = await read("/history");
        assert.deepEqual(namespaces(history), [client.namespace]);
        assert.ok(history.hidden > 0);
        for (const [what, list] of [
          ["/objects", "left"],
          ["/history", "kept"],
          ["/inflight", "hidden"],
        ] as const) {
          const answer = await read(what, blind);
          assert.deepEqual(answer.items, [], what);
          assert.ok(answer.hidden > 0 && list in answer, what);
        }
        const at = (namespace: string, name: string) =>
          `/objects/laws.example.com/Box/${namespace}/${name}`;
        assert.equal((await read(at(client.namespace, "broken"))).items.length, 1);
        const refused = await read(at(there, "broken"), reader, 403);
        assert.match(refused.message, /takes the verb get on boxes\.laws\.example\.com/);
        await read(at(there, "nothing"), reader, 403);
        await read(at(client.namespace, "nothing"), reader, 404);
        await read(at(there, "slow"), named);
        await read(at(there, "broken"), named, 403);
        const [controller] = (await read("/controllers", blind)).items;
        assert.equal(controller.objects.running + controller.objects.retrying, 4);
        resolve();
      },
      {
        namespace: undefined,
        namespaces: [client.namespace, there],
        metrics: { port: 0, introspection: true, authorization: { client } },
      },
    );
  });
});
