// Which informers share, what of a kind is cached, and when watches are renewed.
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { createClient } from "../client/create-client.ts";
import { dynamicKind } from "../client/discovery/kind-resolver.ts";
import { createScriptedTransport } from "../client/scripted-transport.suite.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { type CacheOptions, createCache, describeCacheError } from "./create-cache.ts";
import { bookmark, event, meal, Meal, play, playSynced } from "./informer-play.suite.ts";

const Table = dynamicKind({
  apiVersion: "kitchen.example.com/v1",
  kind: "Table",
  resource: "tables",
  scope: "Cluster",
});

function arrange(options: Partial<CacheOptions> = {}) {
  const runtime = createVirtualRuntime();
  const transport = createScriptedTransport();
  const client = createClient({ transport, runtime, namespace: "home" });
  return { cache: createCache({ client, runtime, ...options }), client, runtime, transport };
}

describe("informers", () => {
  it("are shared by kind and scope, until the last lease is released", async () => {
    const { cache, runtime, transport } = arrange();
    const first = cache.acquire(Meal);
    const second = cache.acquire(Meal, {});
    assert.equal(first.informer, second.informer);
    for (const scope of [
      { namespace: "home" },
      { labelSelector: "a=b" },
      { fieldSelector: "metadata.name=a" },
      { metadataOnly: true },
    ])
      assert.notEqual(cache.acquire(Meal, scope).informer, first.informer);
    assert.equal(cache.informers().length, 5);
    cache.start();
    await runtime.advance(0);
    first.release();
    first.release();
    assert.equal(cache.informers().length, 5);
    assert.equal(transport.exchanges[0]!.aborted, false);
    second.release();
    assert.equal(cache.informers().length, 4);
    assert.equal(transport.exchanges[0]!.aborted, true);
  });

  it("of a narrowed kind ask for its selection, until it is widened", async () => {
    const scope = { namespace: "home", labelSelector: "a=b", fieldSelector: "metadata.name=soup" };
    const { cache, client, runtime, transport } = arrange({ narrowed: [[Meal, scope]] });
    const { informer } = cache.acquire(Meal);
    const told: string[] = [];
    informer.addHandler({ added: ({ key }, { through }) => told.push(`${key} ${through}`) });
    cache.start();
    await runtime.advance(0);
    const { labelSelector, fieldSelector } = transport.last.query;
    assert.deepEqual(
      [transport.last.url.pathname, labelSelector, fieldSelector],
      ["/apis/kitchen.example.com/v1/namespaces/home/meals", "a=b", "metadata.name=soup"],
    );
    transport.last.head().lines(event("ADDED", meal("soup", "3")), bookmark("5", true));
    await runtime.advance(0);
    assert.equal(informer.scope.labelSelector, "a=b");
    const narrow = transport.last;
    let isWide = false;
    void cache.widen(Meal).then(() => (isWide = true));
    await runtime.advance(0);
    assert.equal(narrow.aborted, true);
    assert.equal(transport.last.url.pathname, "/apis/kitchen.example.com/v1/meals");
    for (const one of ["labelSelector", "fieldSelector", "resourceVersion"])
      assert.equal(transport.last.query[one], undefined);
    assert.equal(isWide, false);
    assert.equal(informer.freshness().ready, true);
    transport.last
      .head()
      .lines(event("ADDED", meal("soup", "3")), event("ADDED", meal("tea", "4")))
      .lines(bookmark("6", true));
    await runtime.advance(0);
    assert.equal(isWide, true);
    assert.deepEqual(told, ["home/soup initial", "home/tea relist"]);
    assert.equal(informer.scope.labelSelector, undefined);
    assert.equal(cache.acquire(Meal).informer.scope.namespace, undefined);
    const writing = client.create(Meal, { metadata: { name: "pie" } });
    await runtime.advance(0);
    const post = transport.exchanges.find(({ request }) => request.method === "POST")!;
    post.answer(201, meal("pie", "7"));
    await writing;
    assert.equal(informer.get({ namespace: "home", name: "pie" })?.metadata.name, "pie");
    await cache.widen(Meal);
    await cache.stop();
  });

  it("are widened also while they wait for the server", async () => {
    const { cache, runtime, transport } = arrange({
      narrowed: [[Meal, { labelSelector: "a=b" }]],
    });
    const { informer } = cache.acquire(Meal);
    cache.start();
    await runtime.advance(0);
    transport.last.head().lines(bookmark("5", true));
    await runtime.advance(0);
    transport.last.fail(new Error("ECONNRESET"));
    const sent = transport.exchanges.length;
    const widening = cache.widen(Meal);
    while (transport.exchanges.length === sent) await runtime.advance(100);
    assert.equal(transport.last.query["resourceVersion"], undefined);
    transport.last.head().lines(event("ADDED", meal("tea", "4")), bookmark("6", true));
    await widening;
    assert.equal(informer.list().length, 1);
    await cache.stop();
  });

  it("of cluster-scoped kinds have no namespace; others take the default scope", () => {
    const { cache } = arrange({ defaultScope: { namespace: "home" } });
    assert.equal(cache.acquire(Table).informer.scope.namespace, undefined);
    assert.equal(cache.acquire(Meal).informer.scope.namespace, "home");
  });

  it("select what the cache's options say of their kind, unless acquire does", () => {
    const kinds = [[Meal, { labelSelector: "app=web", fieldSelector: "spec.a=b" }]] as const;
    const { cache } = arrange({ kinds });
    const { labelSelector, fieldSelector } = cache.acquire(Meal).informer.scope;
    assert.deepEqual([labelSelector, fieldSelector], ["app=web", "spec.a=b"]);
    const other = cache.acquire(Meal, { labelSelector: "x=y", fieldSelector: "spec.c=d" });
    assert.equal(other.informer.scope.labelSelector, "x=y");
    assert.equal(other.informer.scope.fieldSelector, "spec.c=d");
    assert.equal(cache.acquire(Table).informer.scope.labelSelector, undefined);
  });

  it("start once, later ones at once, and all end with the cache", async () => {
    const { cache, runtime, transport } = arrange();
    cache.acquire(Meal);
    await runtime.advance(0);
    assert.equal(transport.exchanges.length, 0);
    cache.start();
    cache.start();
    await runtime.advance(0);
    assert.equal(transport.exchanges.length, 1);
    cache.acquire(Table);
    await runtime.advance(0);
    assert.equal(transport.exchanges.length, 2);
    await cache.stop();
    assert.ok(transport.exchanges.every(({ aborted }) => aborted));
    assert.deepEqual(cache.informers(), []);
  });

  it("hold the process while they run, also when started twice", async () => {
    let held = 0;
    const { runtime } = arrange();
    const hold = () => (held++, { cancel: () => void held-- });
    const { cache } = arrange({ runtime: { ...runtime, clock: { ...runtime.clock, hold } } });
    cache.start();
    cache.start();
    assert.equal(held, 1);
    await cache.stop();
    assert.equal(held, 0);
  });

  it("hear of writes as long as their cache runs", async () => {
    const { client } = arrange();
    let observers = 0;
    const observeWrites: typeof client.observeWrites = (observer) => {
      observers++;
      const remove = client.observeWrites(observer);
      return () => (observers--, remove());
    };
    const { cache } = arrange({ client: { ...client, observeWrites } as typeof client });
    assert.equal(observers, 1);
    await cache.stop();
    assert.equal(observers, 0);
  });

  it("are synced when each has its first list", async () => {
    const { cache, runtime, transport } = arrange();
    cache.acquire(Meal);
    cache.acquire(Table);
    cache.start();
    let isSynced = false;
    const syncing = cache.synced().then(() => (isSynced = true));
    await runtime.advance(0);
    const [meals, tables] = transport.exchanges;
    meals!.head().lines(bookmark("5", true));
    await runtime.advance(0);
    assert.equal(isSynced, false);
    tables!.head().lines(bookmark("5", true));
    await syncing;
    await cache.stop();
  });

  it("tell listeners when their freshness changes, until those are removed", async () => {
    const { cache, runtime, transport } = arrange();
    const heard = new Set<unknown>();
    const listener = cache.onFreshness((informer) => heard.add(informer));
    const { informer } = cache.acquire(Meal);
    cache.start();
    await runtime.advance(0);
    transport.last.head().lines(bookmark("5", true));
    await runtime.advance(0);
    assert.deepEqual([...heard], [informer]);
    heard.clear();
    listener.remove();
    await cache.stop();
    assert.equal(heard.size, 0);
  });

  it("of other kinds go on when one is widened", async () => {
    const { cache, runtime, transport } = arrange({
      narrowed: [
        [Meal, { labelSelector: "a=b" }],
        [Table, { labelSelector: "a=b" }],
      ],
    });
    cache.acquire(Meal);
    cache.acquire(Table);
    cache.start();
    await runtime.advance(0);
    const [meals, tables] = transport.exchanges;
    for (const watch of [meals!, tables!]) watch.head().lines(bookmark("5", true));
    await runtime.advance(0);
    void cache.widen(Meal);
    await runtime.advance(0);
    assert.deepEqual([meals!.aborted, tables!.aborted], [true, false]);
    await cache.stop();
  });

  it("keep no more parsed objects than 10,000 of all that were read", async () => {
    const { transport, informer, cache, runtime } = await play();
    const many = Array.from({ length: 10_001 }, (_, i) => event("ADDED", meal(`m${i}`, "2")));
    transport.last.head().lines(...many, bookmark("5", true));
    await runtime.advance(0);
    assert.equal(informer.list().filter(({ metadata }) => metadata.name).length, 10_001);
    assert.equal(cache.parsed().objects, 10_000);
  });

  it("freeze what they hand out only when asked to", async () => {
    for (const frozen of [true, false, undefined]) {
      const { informer } = await playSynced({ frozen: frozen as boolean });
      assert.equal(Object.isFrozen(informer.list()[0]), frozen === true);
    }
  });

  it("say what a handler throws in a warning of the process, unless asked to tell", async () => {
    const { informer, transport } = await playSynced({ onError: undefined as never });
    informer.addHandler({
      updated() {
        throw new TypeError("no dish");
      },
    });
    const warning = once(process, "warning");
    transport.last.lines(event("MODIFIED", meal("soup", "6")));
    const [{ name, message }] = await warning;
    assert.equal(name, "HomeostatWarning");
    assert.match(message, /Meal cache threw for home\/soup: .*no dish\n.* at /s);
    assert.match(describeCacheError(new Error("no"), Meal), /Meal cache threw: .*no/);
  });

  it("project what they store", async () => {
    const project = (one: any) => ({ ...one, spec: { dish: "hidden" } });
    const { informer } = await playSynced({ kinds: [[Meal, { project }]] });
    assert.deepEqual(
      informer.list().map(({ spec }: any) => spec.dish),
      ["hidden", "hidden"],
    );
    const older = await playSynced({ projections: new Map([[Meal, project]]) });
    assert.equal((older.informer.list()[0] as any).spec.dish, "hidden");
  });
});

describe("a comparison with the server", () => {
  /** Compares after the first list of two meals; the server lists `pages`. */
  async function compare(...pages: readonly (readonly unknown[])[]) {
    const { informer, transport, runtime } = await playSynced();
    const comparing = informer.compare();
    const queries: unknown[] = [];
    for (const [index, items] of pages.entries()) {
      await runtime.advance(0);
      queries.push(transport.last.query);
      const next = index + 1 < pages.length ? { continue: `page-${index + 1}` } : {};
      const metadata = { resourceVersion: "5", ...next };
      transport.last.answer(200, { kind: "MealList", metadata, items });
    }
    return { comparison: await comparing, queries };
  }

  it("reads all pages at the cache's revision", async () => {
    const { comparison, queries } = await compare([meal("soup", "3")], [meal("stew", "4")]);
    assert.deepEqual(queries, [
      { limit: "500", resourceVersion: "5", resourceVersionMatch: "Exact" },
      { limit: "500", continue: "page-1" },
    ]);
    assert.deepEqual(comparison, {
      conclusive: true,
      compared: 2,
      missing: [],
      extra: [],
      different: [],
    });
  });

  it("names what is missing, deleted and at another revision, ten keys of each", async () => {
    const many = Array.from({ length: 12 }, (_, index) => meal(`m${index}`, "1"));
    const { comparison } = await compare([meal("soup", "9"), ...many]);
    assert.equal(comparison.compared, 13);
    assert.deepEqual(comparison.different, ["home/soup"]);
    assert.deepEqual(comparison.extra, ["home/stew"]);
    assert.deepEqual(
      comparison.missing,
      many.slice(0, 10).map(({ metadata }) => `home/${metadata.name}`),
    );
  });

  it("says nothing when the server no longer has the revision, or before the first list", async () => {
    const { informer, transport, runtime } = await playSynced();
    const comparing = informer.compare();
    await runtime.advance(0);
    transport.last.refuse(410, "Expired");
    assert.equal((await comparing).conclusive, false);
    const failing = informer.compare();
    await runtime.advance(0);
    transport.last.refuse(403, "Forbidden");
    await assert.rejects(failing, /Forbidden/);
    const { cache } = arrange();
    assert.equal((await cache.acquire(Meal).informer.compare()).conclusive, false);
  });
});

it("watches that start together are not renewed together", async () => {
  const { cache, runtime, transport } = arrange();
  const kinds = ["a", "b", "c"].map((name) =>
    dynamicKind({ apiVersion: "x/v1", kind: name, resource: name, scope: "Cluster" }),
  );
  for (const kind of kinds) cache.acquire(kind);
  cache.start();
  await runtime.advance(0);
  const watches = [...transport.exchanges];
  for (const watch of watches)
    watch.head().lines(event("ADDED", meal("soup", "3")), bookmark("5", true));
  await runtime.advance(0);
  const endedAt = new Map<number, number>();
  for (let second = 0; second < 900; second++) {
    await runtime.advance(1000);
    for (const [index, { aborted }] of watches.entries())
      if (aborted && !endedAt.has(index)) endedAt.set(index, second);
  }
  const ends = [...endedAt.values()];
  assert.ok(new Set(ends).size === ends.length && ends.length === 3, ends.join());
});
