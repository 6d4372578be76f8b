// The whole reading side on a scripted server: lists, watches, faults, handlers, freshness. No
// sockets, virtual time.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bookmark, event, home, Meal, meal, play, playSynced } from "./informer-play.suite.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

describe("informer", () => {
  it("streams the first list, marks it as initial, then follows", async () => {
    const { transport, runtime, informer, told } = await play();
    assert.equal(transport.last.url.pathname, "/apis/kitchen.example.com/v1/meals");
    const { timeoutSeconds, ...query } = transport.last.query;
    assert.deepEqual(query, {
      watch: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
      sendInitialEvents: "true",
    });
    assert.ok(Number(timeoutSeconds) >= 300 && Number(timeoutSeconds) < 600);
    transport.last.head().lines(event("ADDED", meal("soup", "3")));
    assert.equal(informer.hasSynced(), false);
    assert.deepEqual(told, [], "nothing is told before the list is complete");
    transport.last.lines(
      bookmark("5", true),
      event("MODIFIED", meal("soup", "6")),
      event("ADDED", meal("stew", "7")),
      event("DELETED", meal("soup", "8")),
    );
    await informer.synced();
    await runtime.advance(0);
    assert.deepEqual(told, [
      "added home/soup 3 initial",
      "updated home/soup 3-6 watch",
      "added home/stew 7 watch",
      "deleted home/soup 8 watch",
    ]);
    assert.deepEqual(
      informer.list().map((object) => object.metadata.name),
      ["stew"],
    );
    assert.equal(informer.freshness().ready, true);
  });

  it("tells of an object that is replaced under its name as gone and come", async () => {
    const { transport, runtime, told } = await play();
    const again = meal("soup", "7", { uid: "another" });
    transport.last
      .head()
      .lines(event("ADDED", meal("soup", "3")), bookmark("5", true), event("MODIFIED", again));
    await runtime.advance(0);
    assert.deepEqual(told.slice(1), ["deleted home/soup 3 watch", "added home/soup 7 watch"]);
  });

  it("pages where the server does not stream, 500 at a time, and watches from the list's revision", async () => {
    const { transport, runtime, informer } = await play();
    transport.last.refuse(422, "Invalid");
    await runtime.advance(0);
    assert.equal(transport.last.url.search, "?limit=500");
    transport.last.answer(200, {
      kind: "MealList",
      metadata: { resourceVersion: "9", continue: "next" },
      items: [{ metadata: meal("soup", "3").metadata, spec: {} }],
    });
    await runtime.advance(0);
    assert.equal(transport.last.url.search, "?limit=500&continue=next");
    transport.last.answer(200, {
      kind: "MealList",
      metadata: { resourceVersion: "9" },
      items: [meal("stew", "4")],
    });
    await runtime.advance(0);
    assert.equal(transport.last.query["resourceVersion"], "9");
    assert.equal(transport.last.query["sendInitialEvents"], undefined);
    assert.equal(informer.get(home("soup"))?.kind, "Meal");
    assert.equal(informer.stats().objects, 2);
  });

  it("resumes from the last revision after a broken stream and after a truncated line, without listing", async () => {
    const { transport, runtime, informer } = await playSynced();
    transport.last
      .lines(event("MODIFIED", meal("soup", "11")))
      .chunk('{"type":"MODI')
      .fail(new Error("ECONNRESET"));
    await runtime.advance(1600);
    assert.equal(transport.last.query["resourceVersion"], "11");
    transport.last.head().chunk("}{garbage\n");
    await runtime.advance(1600);
    assert.equal(transport.exchanges.length, 3);
    assert.equal(transport.last.query["resourceVersion"], "11");
    transport.last.head();
    await runtime.advance(950);
    transport.last.chunk('{"type":"MODI').end();
    await runtime.advance(1600);
    assert.equal(transport.exchanges.length, 4);
    assert.equal(informer.freshness().failures, 3, "an end within an event is a fault");
    assert.equal(informer.freshness().relists, 0);
  });

  it("lists again on 410 and reports the changes since", async () => {
    const { transport, runtime, told } = await playSynced();
    transport.last.lines(
      event("ERROR", {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        reason: "Expired",
        message: "too old resource version",
        code: 410,
      }),
    );
    await runtime.advance(1600);
    assert.equal(transport.last.query["sendInitialEvents"], "true");
    transport.last
      .head()
      .lines(
        event("ADDED", meal("soup", "3")),
        event("ADDED", meal("stew", "21")),
        event("ADDED", meal("tart", "22")),
        bookmark("30", true),
      );
    await runtime.advance(0);
    assert.deepEqual(told, ["updated home/stew 4-21 relist", "added home/tart 22 relist"]);
    transport.last.lines(
      event("ERROR", {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        code: 410,
      }),
    );
    await runtime.advance(4000);
    transport.last.head().lines(
      event("ADDED", {
        ...meal("soup", "33"),
        metadata: { ...meal("soup", "33").metadata, uid: "another" },
      }),
      bookmark("40", true),
    );
    assert.deepEqual(told.slice(2), [
      "deleted home/soup 3 relist",
      "deleted home/stew 21 relist",
      "deleted home/tart 22 relist",
      "added home/soup 33 relist",
    ]);
  });

  it("notices silence within 10 s, says so, and comes back", async () => {
    const { transport, runtime, informer } = await playSynced();
    const seen: string[] = [];
    informer.onFreshness(({ ready, phase }) => seen.push(`${phase} ${ready}`));
    await runtime.advance(7000);
    assert.equal(transport.exchanges[0]?.aborted, true);
    assert.equal(transport.last.query["resourceVersion"], "5");
    assert.equal(transport.last.query["timeoutSeconds"], "1");
    transport.last.head();
    await runtime.advance(3000);
    assert.equal(informer.freshness().ready, false);
    assert.match(informer.freshness().reason, /^no watch for 10 s .*: a watch fell silent/);
    assert.ok(transport.exchanges.length > 2, "it tries again");
    transport.last.head().lines(bookmark("6"));
    await runtime.advance(0);
    assert.equal(informer.freshness().ready, true);
    assert.deepEqual(seen.slice(-2), ["watching false", "watching true"]);
  });

  it("wakes the other watches, and what else waits for the server, once one of them holds", async () => {
    const { transport, runtime, cache, client } = await playSynced();
    let woken = 0;
    for (const namespace of ["a", "b", "c", "d", "e"]) cache.acquire(Meal, { namespace });
    await runtime.advance(0);
    for (const exchange of transport.exchanges) exchange.fail(new Error("ECONNRESET"));
    const sent = transport.exchanges.length;
    client.pace.wait(0, () => woken++, { failures: 99 });
    await runtime.advance(250);
    assert.equal(transport.exchanges.length, sent + 1, "one of six tries");
    transport.last.head();
    await runtime.advance(400);
    assert.deepEqual([transport.exchanges.length, woken], [sent + 1, 0], "open proves little");
    await runtime.advance(300);
    assert.deepEqual([transport.exchanges.length, woken], [sent + 6, 1]);
  });

  it("lets go first what has failed less often", async () => {
    const { transport, runtime, client } = await playSynced();
    for (let failures = 0; failures < 3; failures++) {
      transport.last.fail(new Error("ECONNRESET"));
      const sent = transport.exchanges.length;
      if (failures < 2) while (transport.exchanges.length === sent) await runtime.advance(50);
    }
    const sent = transport.exchanges.length;
    let isFirst: boolean | undefined;
    client.pace.wait(0, () => (isFirst = transport.exchanges.length === sent));
    await runtime.advance(5000);
    assert.equal(isFirst, true);
    assert.ok(transport.exchanges.length > sent);
  });

  it("asks once a second for all watches what the server counts, while it does not say so", async () => {
    const { transport, runtime, cache } = await playSynced();
    for (const namespace of ["a", "b", "c", "d", "e"]) cache.acquire(Meal, { namespace });
    await runtime.advance(0);
    for (const exchange of transport.exchanges.slice(1)) exchange.head().lines(bookmark("5", true));
    const cut = transport.exchanges.length;
    for (const exchange of transport.exchanges)
      exchange.fail(new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "cut", { hint: "" }));
    let answered = cut;
    let asked = 0;
    for (let at = 0; at < 10_000; at += 50) {
      await runtime.advance(50);
      for (; answered < transport.exchanges.length; answered++) {
        const exchange = transport.exchanges[answered]!;
        if (exchange.query["watch"]) exchange.head().lines(bookmark("6"));
        else {
          asked++;
          exchange.refuse(500, "InternalError");
        }
      }
    }
    assert.ok(asked >= 4 && asked <= 10, `${asked} in 10 s`);
  });

  it("waits with the others until a watch that fell silent has brought something", async () => {
    const { transport, runtime, client } = await playSynced();
    let woken = 0;
    await runtime.advance(7000);
    transport.last.head();
    await runtime.advance(1900);
    transport.last.head();
    client.pace.wait(0, () => woken++);
    await runtime.advance(700);
    assert.equal(woken, 0);
    transport.last.lines(bookmark("6"));
    await runtime.advance(25);
    assert.equal(woken, 1);
  });

  it("refuses a list of another kind, and one that has no end", async () => {
    const { transport, runtime, informer } = await play();
    const answered = async (answer: object): Promise<string> => {
      const sent = transport.exchanges.length;
      transport.last.answer(200, answer);
      await runtime.advance(0);
      const { reason } = informer.freshness();
      while (transport.exchanges.length === sent) await runtime.advance(100);
      return reason;
    };
    transport.last.refuse(422, "Invalid");
    await runtime.advance(0);
    const metadata = { resourceVersion: "5" };
    assert.match(
      await answered({ apiVersion: "v1", kind: "PodList", metadata, items: [] }),
      /expected a list of kitchen.example.com\/v1 Meal, got v1 PodList/,
    );
    const page = { metadata: { ...metadata, continue: "again" }, items: [] };
    await answered(page);
    assert.match(await answered(page), /the same continue token again/);
    assert.equal(informer.hasSynced(), false);
    await answered({ apiVersion: Meal.apiVersion, kind: "MealList", metadata, items: [] });
    assert.equal(informer.hasSynced(), true);
  });

  it("pages where a busy server ignores the wish to stream", async () => {
    const { transport, runtime, informer } = await play();
    transport.last.head().lines(event("ADDED", meal("soup", "3")));
    for (let i = 4; i < 15; i++) {
      transport.exchanges[0]!.lines(event("MODIFIED", meal("soup", String(i))));
      await runtime.advance(1000);
    }
    assert.equal(transport.last.url.search, "?limit=500");
    assert.equal(informer.hasSynced(), false);
  });

  it("names a missing definition at once, and is back within two seconds of its installation", async () => {
    const { transport, runtime, informer } = await play();
    const seen: (readonly [boolean, string])[] = [];
    informer.onFreshness(({ isServed, reason }) => seen.push([isServed, reason]));
    transport.last.refuse(404, "NotFound");
    await runtime.advance(0);
    assert.deepEqual(seen, [
      [
        false,
        "the first list is not complete: the server does not serve kitchen.example.com/v1 Meal (is its definition installed?)",
      ],
    ]);
    for (let i = 0; i < 5; i++) {
      const sent = transport.exchanges.length;
      while (transport.exchanges.length === sent) await runtime.advance(100);
      transport.last.refuse(404, "NotFound");
    }
    await runtime.advance(2000);
    transport.last.head().lines(bookmark("5", true));
    assert.equal(informer.hasSynced(), true);
    assert.equal(informer.freshness().isServed, true);
  });

  it("drops the objects of a kind that is no longer served, and lists when it is again", async () => {
    const { transport, runtime, informer, told, client } = await playSynced();
    const refuse = async (): Promise<void> => {
      const sent = transport.exchanges.length;
      while (transport.exchanges.length === sent) await runtime.advance(100);
      transport.last.refuse(404, "NotFound");
    };
    const writing = client.update(Meal, meal("soup", "3"));
    await runtime.advance(0);
    const written = transport.last;
    transport.exchanges.findLast(({ query }) => query["watch"])!.refuse(404, "NotFound");
    written.answer(200, meal("soup", "9"));
    await writing;
    const reasons = new Set<string>();
    informer.onFreshness(({ ready, reason }) => ready || reasons.add(reason));
    for (let i = 0; i < 3; i++) await refuse();
    assert.equal(informer.stats().objects, 2, "one server of several may lag");
    assert.deepEqual(told, []);
    await refuse();
    assert.deepEqual(told.splice(0), ["deleted home/soup 3 relist", "deleted home/stew 4 relist"]);
    assert.deepEqual(informer.list(), []);
    const { objects, bytes, ownWrites } = informer.stats();
    assert.deepEqual({ objects, bytes, ownWrites }, { objects: 0, bytes: 0, ownWrites: 0 });
    assert.equal(informer.freshness().isServed, false);
    const from = runtime.clock.monotonic();
    const before = transport.exchanges.length;
    for (let i = 0; i < 10; i++) {
      await refuse();
      assert.equal(transport.last.query["sendInitialEvents"], "true");
    }
    const ms = runtime.clock.monotonic() - from;
    assert.ok(ms >= 1050 * (transport.exchanges.length - before - 1), `10 attempts in ${ms} ms`);
    assert.deepEqual(
      [...reasons],
      ["the server does not serve kitchen.example.com/v1 Meal (is its definition installed?)"],
    );
    assert.deepEqual(told, []);
    await runtime.advance(2000);
    assert.equal(transport.last.query["resourceVersion"], undefined);
    transport.last.head().lines(event("ADDED", meal("soup", "12")), bookmark("13", true));
    assert.deepEqual(told, ["added home/soup 12 relist"]);
    assert.equal(informer.freshness().ready, true);
  });

  it("keeps the objects when a kind is not served for a moment, or the server is away", async () => {
    const { transport, runtime, informer, told } = await playSynced();
    const next = async (): Promise<void> => {
      const sent = transport.exchanges.length;
      while (transport.exchanges.length === sent) await runtime.advance(100);
    };
    transport.last.refuse(404, "NotFound");
    for (const code of [404, 503, 404, 404, 500]) {
      await next();
      transport.last.refuse(code, "Whatever");
    }
    await next();
    transport.last.refuse(404, "NotFound");
    await next();
    transport.last.head();
    await runtime.advance(100);
    transport.last.fail(new Error("ECONNRESET"));
    await next();
    transport.last.refuse(404, "NotFound");
    await next();
    transport.last.refuse(404, "NotFound");
    assert.deepEqual(told, []);
    assert.equal(informer.stats().objects, 2);
  });

  it("survives every refusal, at one attempt a second", async () => {
    const { transport, runtime, informer } = await playSynced();
    transport.last.fail(new Error("ECONNRESET"));
    const times: number[] = [];
    for (let tick = 0; tick < 6000; tick++) {
      const before = transport.exchanges.length;
      await runtime.advance(100);
      if (transport.exchanges.length > before) times.push(tick);
      const { last } = transport;
      const code = [500, 503, 401, 410, 429, 404][Math.floor(tick / 1000)]!;
      if (!last.aborted) last.refuse(code, "Whatever");
    }
    assert.ok(times.length > 380 && times.length < 600, `${times.length} attempts in 10 minutes`);
    const gaps = times.slice(1).map((time, i) => time - times[i]!);
    assert.ok(Math.min(...gaps) >= 9, "never two in a second");
    assert.ok(new Set(gaps).size > 3, "with jitter");
    assert.equal(informer.freshness().ready, false);
    const attempts = transport.exchanges.length;
    while (transport.exchanges.length === attempts) await runtime.advance(1000);
    transport.last.head().lines(event("ADDED", meal("soup", "50")), bookmark("51", true));
    await runtime.advance(0);
    assert.equal(informer.freshness().ready, true);
    assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, "50");
  });

  it("reads own writes before the watch shows them, and calls handlers once", async () => {
    const { transport, runtime, client, informer, told } = await playSynced();
    const watch = transport.last;
    const writing = client.update(Meal, { ...meal("soup", "3"), spec: { dish: "new" } });
    await runtime.advance(0);
    transport.last.answer(200, { ...meal("soup", "6"), spec: { dish: "new" } });
    await writing;
    assert.deepEqual(informer.get(home("soup"))?.["spec"], { dish: "new" });
    assert.deepEqual(told, []);
    watch.lines(
      event("MODIFIED", { ...meal("soup", "6"), spec: { dish: "new" } }),
      event("MODIFIED", { ...meal("soup", "7"), spec: { dish: "theirs" } }),
    );
    assert.deepEqual(told, ["updated home/soup 3-6 watch own", "updated home/soup 6-7 watch"]);
    assert.deepEqual(informer.get(home("soup"))?.["spec"], { dish: "theirs" });
    assert.equal(informer.stats().ownWrites, 0);
  });

  it("does not read an object deleted here, but reads a later one of the same name", async () => {
    const { transport, runtime, client, informer } = await playSynced();
    const watch = transport.last;
    const deleting = client.delete(Meal, "soup");
    await runtime.advance(0);
    transport.last.answer(200, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "soup", uid: "uid-soup" },
    });
    await deleting;
    assert.equal(informer.get(home("soup")), undefined);
    watch.lines(
      event("DELETED", meal("soup", "6")),
      event("ADDED", meal("soup", "7", { uid: "another" })),
    );
    assert.equal(informer.get(home("soup"))?.metadata.uid, "another");
  });

  it("treats removal of the last finalizer as deletion", async () => {
    const { transport, runtime, client, informer } = await playSynced();
    const patching = client.patch(Meal, "soup", { type: "merge", body: {} });
    await runtime.advance(0);
    transport.last.answer(
      200,
      meal("soup", "6", {
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 0,
      }),
    );
    await patching;
    assert.equal(informer.get(home("soup")), undefined);
  });

  it("keeps the entry of an own write when the watch delivers it, whichever comes first", async () => {
    const { informer, client, transport, runtime, told } = await playSynced();
    const watch = transport.last;
    for (const [revision, isWatchFirst] of [
      ["6", false],
      ["7", true],
    ] as const) {
      const answer = meal("soup", revision);
      const writing = client.applyUnread(Meal, meal("soup", "3"));
      await runtime.advance(0);
      if (isWatchFirst) watch.lines(event("MODIFIED", answer));
      const before = informer.entry("home/soup");
      transport.last.answer(200, answer);
      await writing;
      const written = informer.entry("home/soup")!;
      assert.equal(written === before, isWatchFirst);
      assert.equal(written.resourceVersion, revision);
      if (!isWatchFirst) watch.lines(event("MODIFIED", answer));
      assert.equal(informer.entry("home/soup"), written);
      assert.equal(informer.stats().ownWrites, 0);
      assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, revision);
    }
    assert.deepEqual(told, ["updated home/soup 3-6 watch own", "updated home/soup 6-7 watch"]);
  });

  it("ignores own writes outside its scope and hides what a write took out of its selection", async () => {
    const { transport, runtime, client, informer } = await playSynced(
      {},
      { namespace: "home", labelSelector: "menu=day" },
    );
    const write = async (object: any): Promise<void> => {
      const writing = client.update(Meal, object);
      await runtime.advance(0);
      transport.last.answer(200, object);
      await writing;
    };
    await write(meal("tart", "6", { namespace: "away", labels: { menu: "day" } }));
    await write(meal("soup", "7", { labels: { menu: "night" } }));
    await write(meal("cake", "8", { labels: { menu: "day" } }));
    assert.deepEqual(
      informer.list().map((object) => object.metadata.name),
      ["stew", "cake"],
    );
  });

  it("forgets a dry run", async () => {
    const { transport, runtime, client, informer } = await playSynced();
    const writing = client.update(Meal, meal("soup", "3"), { dryRun: "All" });
    await runtime.advance(0);
    assert.equal(transport.last.query["dryRun"], "All");
    transport.last.answer(200, meal("soup", "99"));
    await writing;
    assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, "3");
  });

  it("calls a late handler for every cached object, and not after its removal", async () => {
    const { transport, informer } = await playSynced();
    const late: string[] = [];
    const hold = informer.addHandler({
      added: ({ key }, { through }) => late.push(`${key} ${through}`),
      updated: ({ key }) => late.push(key),
    });
    assert.deepEqual(late, ["home/soup initial", "home/stew initial"]);
    hold.remove();
    transport.last.lines(event("MODIFIED", meal("soup", "9")));
    assert.equal(late.length, 2);
  });

  it("continues when a handler throws, and reports it", async () => {
    const { transport, informer, faults, told } = await playSynced();
    informer.addHandler({
      updated: () => {
        throw new Error("handler");
      },
    });
    transport.last.lines(event("MODIFIED", meal("soup", "9")));
    assert.equal(faults.length, 1);
    assert.deepEqual(told, ["updated home/soup 3-9 watch"]);
  });

  it("replays on resync", async () => {
    const { informer, told } = await playSynced();
    informer.resync();
    assert.deepEqual(told, ["updated home/soup 3-3 resync", "updated home/stew 4-4 resync"]);
  });

  it("is shared by kind and scope, and stops with the last hold", async () => {
    const { transport, cache } = await playSynced();
    const again = cache.acquire(Meal);
    const other = cache.acquire(Meal, { namespace: "away" });
    assert.equal(cache.informers().length, 2);
    other.release();
    other.release();
    assert.equal(cache.informers().length, 1);
    again.release();
    assert.equal(transport.exchanges[0]?.aborted, false);
    await cache.stop();
    assert.equal(transport.exchanges[0]?.aborted, true);
  });

  it("compares its cache with the server at the same revision, and lists again when they differ", async () => {
    const { transport, runtime, informer, told } = await playSynced({ compareEveryMs: 60_000 });
    const watch = transport.last;
    const partial = (name: string, resourceVersion: string): object => ({
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata: meal(name, resourceVersion).metadata,
    });
    const comparing = informer.compare();
    await runtime.advance(0);
    assert.equal(
      transport.last.url.search,
      "?limit=500&resourceVersion=5&resourceVersionMatch=Exact",
    );
    assert.match(transport.last.request.headers["accept"]!, /as=PartialObjectMetadataList/);
    transport.last.answer(200, {
      metadata: { resourceVersion: "5" },
      items: [partial("soup", "3"), partial("stew", "4")],
    });
    assert.deepEqual(await comparing, {
      conclusive: true,
      compared: 2,
      missing: [],
      extra: [],
      different: [],
    });
    const sent = transport.exchanges.length;
    watch.lines(bookmark("5"));
    for (let i = 0; i < 66; i++) {
      await runtime.advance(1000);
      watch.lines(event("MODIFIED", meal("soup", "3")));
    }
    assert.equal(transport.exchanges.length, sent + 1);
    assert.equal(transport.last.query["resourceVersionMatch"], "Exact", "it compares by itself");
    told.length = 0;
    transport.last.answer(200, {
      metadata: { resourceVersion: "5" },
      items: [partial("soup", "2"), partial("tart", "1")],
    });
    await runtime.advance(0);
    assert.equal(watch.aborted, true);
    assert.equal(
      informer.freshness().lastError,
      "the cache differed from the server (missing: home/tart; deleted: home/stew; at another revision: home/soup)",
    );
    transport.last
      .head()
      .lines(
        event("ADDED", meal("soup", "3")),
        event("ADDED", meal("tart", "1")),
        bookmark("6", true),
      );
    assert.deepEqual(told, ["deleted home/stew 4 relist", "added home/tart 1 relist"]);
  });

  it("requests metadata alone when asked to, and shows no more of its own writes", async () => {
    const { transport, runtime, client, informer } = await playSynced({}, { metadataOnly: true });
    assert.match(
      transport.exchanges[0]!.request.headers["accept"]!,
      /^application\/json;as=PartialObjectMetadata;/,
    );
    assert.deepEqual(informer.get(home("soup")), {
      apiVersion: "kitchen.example.com/v1",
      kind: "Meal",
      metadata: meal("soup", "3").metadata,
    });
    const writing = client.update(Meal, meal("soup", "3"));
    await runtime.advance(0);
    transport.last.answer(200, meal("soup", "9"));
    await writing;
    assert.deepEqual(informer.get(home("soup")), {
      apiVersion: "kitchen.example.com/v1",
      kind: "Meal",
      metadata: meal("soup", "9").metadata,
    });
  });

  it("does not parse objects that are never read", async () => {
    const { informer } = await playSynced();
    assert.equal(informer.stats().parsed, 0);
    assert.equal(informer.entry("home/soup")?.uid, "uid-soup");
    assert.equal(informer.stats().parsed, 0);
    informer.get(home("soup"));
    assert.equal(informer.stats().parsed, 1);
    assert.ok(informer.stats().bytes > 100);
  });
});
