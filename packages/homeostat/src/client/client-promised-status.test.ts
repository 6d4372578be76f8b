// Kinds whose types promise a status: reads fill it in, writes leave it out.
import type { CompletedWrite } from "./client.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import { defineResource } from "../api/resource/define-resource.ts";
import { answerWith, Order, order, play } from "./scripted-client.suite.ts";

describe("a status that the types promise", () => {
  const Meal = defineResource({
    group: "kitchen.example.com",
    version: "v1",
    kind: "Meal",
    spec: z.object({ dish: z.string() }),
    status: z.object({ done: z.boolean() }),
  });
  const bare = (status?: object): any => ({
    apiVersion: "kitchen.example.com/v1",
    kind: "Meal",
    metadata: { name: "m", resourceVersion: "1" },
    spec: { dish: "soup" },
    ...(status && { status }),
  });

  it("is empty where the server has null", async () => {
    const { client, transport } = play(answerWith({ ...bare(), status: null }));
    const read = await client.get(Meal, "m");
    assert.deepEqual(read.status, {});
    await client.update(Meal, read);
    assert.deepEqual(transport.last.body, bare());
  });

  it("is present on every kind of read", async () => {
    const { client } = play(answerWith(bare()));
    const manifest = Meal("m", { dish: "soup" });
    const patch = { type: "merge", body: {} } as const;
    const read = [
      client.get(Meal, "m"),
      client.find(Meal, "m"),
      client.create(Meal, manifest),
      client.apply(Meal, manifest),
      client.patch(Meal, "m", patch),
      client.update(Meal, manifest),
      client.delete(Meal, "m"),
    ];
    for (const object of await Promise.all(read))
      assert.deepEqual((object as { status: unknown }).status, {});
    const { apiVersion: _, kind: __, ...item } = bare();
    const lists = play(
      answerWith({ metadata: { resourceVersion: "1" }, items: [item, bare({ done: true })] }),
    );
    assert.deepEqual(
      (await lists.client.list(Meal)).items.map(({ status }) => status),
      [{}, { done: true }],
    );
    const watching = play((exchange) =>
      exchange
        .head()
        .lines(
          { type: "ADDED", object: bare() },
          {
            type: "BOOKMARK",
            object: {
              apiVersion: "kitchen.example.com/v1",
              kind: "Meal",
              metadata: { resourceVersion: "2" },
            },
          },
        )
        .end(),
    );
    const seen: unknown[] = [];
    for await (const { object } of watching.client.watch(Meal)) seen.push(object.status);
    assert.deepEqual(seen, [{}, undefined]);
  });

  it("is not filled in for other kinds, a Scale or a Status", async () => {
    const found = play(answerWith(order()));
    assert.equal("status" in (await found.client.get(Order, "o1")), false);
    const scaled = play(
      answerWith({ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "m" } }),
    );
    assert.equal("status" in (await scaled.client.get(Meal, "m", { subresource: "scale" })), false);
    const gone = play(
      answerWith({ apiVersion: "v1", kind: "Status", metadata: {}, status: "Success", code: 200 }),
    );
    assert.equal((await gone.client.delete(Meal, "m")).status, "Success");
  });

  it("is not written back unless it was changed", async () => {
    const { client, transport } = play(answerWith(bare()));
    const read = await client.get(Meal, "m");
    await client.update(Meal, read);
    assert.deepEqual(transport.last.body, bare());
    await client.update(Meal, { ...read, spec: { dish: "stew" } });
    assert.deepEqual(transport.last.body, { ...bare(), spec: { dish: "stew" } });
    await client.update(Meal, { ...read, status: {} });
    assert.deepEqual(
      transport.last.body,
      bare({}),
      "an empty status that the caller wrote is the caller's",
    );
    Object.assign(read.status, { done: true });
    await client.update(Meal, read, { subresource: "status" });
    assert.deepEqual(transport.last.body, bare({ done: true }));
  });

  it("is not shown to observers of writes: they get the server's response", async () => {
    const { client } = play(answerWith(bare()));
    const writes: CompletedWrite[] = [];
    client.observeWrites((write) => writes.push(write));
    await client.apply(Meal, Meal("m", { dish: "soup" }));
    assert.deepEqual(writes[0]?.object, bare());
  });
});
