// What a list brings into the cache, what own writes add to it, and when both are compared.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dynamicKind } from "../client/discovery/kind-resolver.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import type { CacheOptions } from "./create-cache.ts";
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
  /** The delays of the timers that a cache sets for its comparisons, of an hour and more. */
  const delaysOf = async (options: Partial<CacheOptions>): Promise<readonly number[]> => {
    const delays: number[] = [];
    const runtime = createVirtualRuntime();
    const timer: typeof runtime.clock.timer = (afterMs, run) => {
      if (afterMs >= 3_600_000) delays.push(afterMs);
      return runtime.clock.timer(afterMs, run);
    };
    const { cache } = await play({
      runtime: { ...runtime, clock: { ...runtime.clock, timer } },
      ...options,
    });
    await cache.stop();
    return delays;
  };

  it("come every ten hours, and up to a tenth later, unless they are switched off", async () => {
    const [delay, ...others] = await delaysOf({});
    assert.ok(delay! >= 36_000_000 && delay! <= 39_600_000, `${delay} ms`);
    assert.deepEqual(others, []);
    assert.deepEqual(await delaysOf({ compareEveryMs: 0 }), []);
  });

  it("come again and again", async () => {
    const { transport, runtime, cache } = await playSynced({ compareEveryMs: 2000 });
    const comparisons = () =>
      transport.exchanges.filter(({ query }) => query["resourceVersionMatch"] === "Exact");
    for (let second = 0; second < 7; second++) {
      await runtime.advance(1000);
      for (const one of comparisons()) one.refuse(410, "Expired");
    }
    assert.equal(comparisons().length, 3);
    await cache.stop();
  });
});
