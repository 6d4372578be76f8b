// What a list brings into the cache, what own writes add to it, and when both are compared.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dynamicKind } from "../client/discovery/kind-resolver.ts";
import { bookmark, event, home, Meal, meal, play, playSynced } from "./informer-play.suite.ts";

describe("a list", () => {
  it("that breaks off leaves nothing behind", async () => {
    const { transport, runtime, informer } = await play();
    transport.last.head().lines(event("ADDED", meal("soup", "3")));
    transport.last.fail(new Error("ECONNRESET"));
    const sent = transport.exchanges.length;
    while (transport.exchanges.length === sent) await runtime.advance(100);
    transport.last.head().lines(event("ADDED", meal("stew", "4")), bookmark("5", true));
    assert.deepEqual(
      informer.list().map(({ metadata }) => metadata.name),
      ["stew"],
    );
  });

  it("leaves out what is deleted while it is streamed", async () => {
    const { transport, informer, told } = await play();
    transport.last
      .head()
      .lines(
        event("ADDED", meal("soup", "3")),
        event("ADDED", meal("stew", "4")),
        event("DELETED", meal("soup", "5")),
        bookmark("5", true),
      );
    assert.equal(informer.get(home("soup")), undefined);
    assert.deepEqual(told, ["added home/stew 4 initial"]);
  });
});

describe("an own write", () => {
  it("of another kind is not taken for this one", async () => {
    const { transport, runtime, client, informer } = await playSynced();
    for (const other of [
      { apiVersion: "kitchen.example.com/v1", kind: "Menu", resource: "menus" },
      { apiVersion: "kitchen.example.com/v2", kind: "Meal", resource: "meals" },
    ]) {
      const kind = dynamicKind({ ...other, scope: "Namespaced" });
      const writing = client.create(kind, { metadata: { name: "lunch" } });
      await runtime.advance(0);
      const { apiVersion, kind: name } = other;
      transport.last.answer(201, { ...meal("lunch", "6"), apiVersion, kind: name });
      await writing;
    }
    assert.equal(informer.get(home("lunch")), undefined);
    assert.equal(informer.stats().ownWrites, 0);
  });

  it("is shown where only the server knows whether it is selected, if it was there before", async () => {
    const scope = { fieldSelector: "spec.dish=soup" };
    const { transport, runtime, client, informer } = await playSynced({}, scope);
    for (const name of ["soup", "other"]) {
      const writing = client.update(Meal, meal(name, "3"));
      await runtime.advance(0);
      transport.last.answer(200, { ...meal(name, "6"), spec: { dish: "new" } });
      await writing;
    }
    assert.deepEqual(informer.get(home("soup"))?.["spec"], { dish: "new" });
    assert.equal(informer.get(home("other")), undefined);
  });
});

describe("comparisons with the server", () => {
  const comparisonsIn = async (hours: number, compareEveryMs?: number): Promise<number> => {
    const every = compareEveryMs === undefined ? {} : { compareEveryMs };
    const { transport, runtime, cache } = await playSynced(every);
    const isComparison = ({ query }: { query: Readonly<Record<string, string>> }): boolean =>
      query["resourceVersionMatch"] === "Exact";
    const step = hours * 36_000;
    for (let i = 0; i < 100; i++) {
      await runtime.advance(step);
      for (const one of transport.exchanges) if (isComparison(one)) one.refuse(410, "Expired");
    }
    await cache.stop();
    return transport.exchanges.filter(isComparison).length;
  };

  it("come every ten hours, and up to a tenth later", async () => {
    assert.equal(await comparisonsIn(9.9), 0);
    assert.equal(await comparisonsIn(12), 1);
    assert.equal(await comparisonsIn(23), 2);
  });

  it("do not come when they are switched off", async () => {
    assert.equal(await comparisonsIn(50, 0), 0);
  });
});
