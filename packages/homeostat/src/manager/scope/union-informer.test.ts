// Several namespaces read as one, as they come and go.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Informer, InformerHandler } from "../../cache/index.ts";
import { UnionInformer } from "./union-informer.ts";

const kind = { apiVersion: "x/v1", kind: "Box", scope: "Namespaced" } as never;

/** An informer of one namespace with these objects, and what is connected to it. */
function partOf(namespace: string, ...names: readonly string[]) {
  const handlers = new Set<InformerHandler>();
  const listeners = new Set<(freshness: unknown) => void>();
  const indexes: string[] = [];
  const calls: string[] = [];
  const entries = names.map((name) => ({ key: `${namespace}/${name}`, name, namespace }));
  const find = (key: string) => entries.find((one) => one.key === key);
  let isReady = true;
  const informer = {
    get: ({ name }: { readonly name: string }) => find(`${namespace}/${name}`)?.key,
    list: () => entries.map(({ key }) => key),
    byIndex: (index: string, value: string) => [`${namespace} ${index}=${value}`],
    unchecked: { get: () => "any", list: () => ["any"], byIndex: () => ["any"] },
    entry: find,
    entries: () => entries,
    entriesByIndex: (index: string, value: string) => [`${namespace} ${index}=${value}`],
    addIndex: (name: string, _: unknown, options?: object) =>
      indexes.push(options ? `${name} ${Object.keys(options).join()}` : name),
    addHandler(handler: InformerHandler) {
      handlers.add(handler);
      for (const entry of entries) handler.added?.(entry as never, { through: "initial" } as never);
      return { remove: () => handlers.delete(handler) };
    },
    onFreshness(listener: (freshness: unknown) => void) {
      listeners.add(listener);
      return { remove: () => listeners.delete(listener) };
    },
    hasSynced: () => isReady,
    synced: async () => void calls.push("synced"),
    freshness: () => ({ ready: isReady, reason: "behind", synced: isReady, lastContact: 1 }),
    compare: async () => ({ conclusive: true, compared: 1, missing: [], extra: [], different: [] }),
    resync: () => calls.push("resync"),
    stats: () => ({ objects: entries.length }),
    skipped: () => [namespace],
  } as unknown as Informer<any>;
  const setReady = (ready: boolean): void => {
    isReady = ready;
    for (const listener of listeners) listener({ ready });
  };
  return { informer, handlers, listeners, indexes, calls, setReady };
}

function arrange() {
  const union = new UnionInformer(kind);
  const told: string[] = [];
  const handler: InformerHandler = {
    added: ({ key }, { through }) => void told.push(`added ${key} ${through}`),
    deleted: ({ key }, { through, ownWrite }) =>
      void told.push(`deleted ${key} ${through} ${ownWrite}`),
  };
  const show = (namespace: string, part: ReturnType<typeof partOf>): void => {
    union.attach(namespace, part.informer);
    union.connect(namespace);
  };
  return { union, told, handler, show };
}

describe("an informer of several namespaces", () => {
  it("selects what its parts select", () => {
    const union = new UnionInformer(kind);
    assert.deepEqual(union.scope, { namespace: undefined });
    const scope = { namespace: "a", labelSelector: "app=x" };
    union.attach("a", { ...partOf("a").informer, scope } as Informer<any>);
    assert.deepEqual(union.scope, { namespace: undefined, labelSelector: "app=x" });
  });

  it("reads all of them, or the one that is asked for", async () => {
    const { union, show } = arrange();
    const parts = [partOf("n", "a", "b"), partOf("m", "c")];
    show("n", parts[0]!);
    show("m", parts[1]!);
    assert.deepEqual(union.list(), ["n/a", "n/b", "m/c"]);
    assert.deepEqual(union.list({ namespace: "m" }), ["m/c"]);
    assert.deepEqual(union.list({ namespace: "unknown" }), []);
    assert.equal(union.get({ name: "c", namespace: "m" }), "m/c");
    assert.equal(union.get({ name: "c", namespace: "n" }), undefined);
    assert.equal(union.entry("m/c")?.key, "m/c");
    assert.equal(union.entry("o/c"), undefined);
    assert.equal(union.entries().length, 3);
    assert.equal(union.entries({ namespace: "n" }).length, 2);
    assert.deepEqual(union.byIndex("i", "v"), ["n i=v", "m i=v"]);
    assert.deepEqual(union.entriesByIndex("i", "v") as unknown, ["n i=v", "m i=v"]);
    assert.deepEqual(union.unchecked.list(), ["any", "any"]);
    assert.deepEqual(union.unchecked.byIndex("i", "v"), ["any", "any"]);
    assert.deepEqual(
      ["m", "o"].map((namespace) => union.unchecked.get({ namespace, name: "c" })),
      ["any", undefined],
    );
    assert.equal(union.stats().objects, 3);
    assert.deepEqual(union.skipped() as unknown, ["n", "m"]);
    assert.equal((await union.compare()).compared, 2);
    union.resync();
    await union.synced();
    for (const { calls } of parts) assert.deepEqual(calls, ["resync", "synced"]);
  });

  it("gives a namespace that comes later the indexes and handlers, and reports its objects", () => {
    const { union, told, handler, show } = arrange();
    const early = partOf("n", "a");
    show("n", early);
    union.addIndex("i", () => [], { includesMismatched: true });
    union.addHandler(handler);
    assert.deepEqual(told.splice(0), ["added n/a initial"]);
    const late = partOf("m", "c");
    union.attach("m", late.informer);
    assert.deepEqual(
      [early.indexes, late.indexes],
      [["i includesMismatched"], ["i includesMismatched"]],
    );
    assert.deepEqual(told, [], "it is readable before it is reported");
    assert.equal(union.entry("m/c")?.key, "m/c");
    union.connect("m");
    assert.deepEqual(told, ["added m/c initial"]);
    union.connect("unknown");
  });

  it("reports the objects of a namespace that leaves as deleted, and hears nothing more of it", () => {
    const { union, told, handler, show } = arrange();
    const part = partOf("n", "a", "b");
    show("n", part);
    union.addHandler(handler);
    union.onFreshness(() => {});
    told.length = 0;
    const report = union.detach("n");
    assert.deepEqual(told, []);
    assert.equal(union.entry("n/a"), undefined, "it is unreadable before it is reported");
    assert.deepEqual([part.handlers.size, part.listeners.size], [0, 0]);
    report();
    assert.deepEqual(told, ["deleted n/a relist false", "deleted n/b relist false"]);
    union.detach("n")();
    assert.equal(told.length, 2);
  });

  it("a handler that is removed hears nothing, also of later namespaces", () => {
    const { union, told, handler, show } = arrange();
    const part = partOf("n", "a");
    show("n", part);
    const connection = union.addHandler(handler);
    connection.remove();
    assert.equal(part.handlers.size, 0);
    told.length = 0;
    show("m", partOf("m", "c"));
    union.detach("n")();
    assert.deepEqual(told, []);
  });

  it("is fresh when all are, and says so to its listeners", () => {
    const { union, show } = arrange();
    const [n, m] = [partOf("n"), partOf("m")];
    const heard: string[] = [];
    const record = ({ ready, reason }: { ready: boolean; reason: string }) =>
      heard.push(`${ready} ${reason}`);
    show("n", n);
    const connection = union.onFreshness(record);
    show("m", m);
    m.setReady(false);
    assert.equal(union.hasSynced(), false);
    assert.deepEqual(heard, ["false namespace m: behind"]);
    connection.remove();
    assert.deepEqual([n.listeners.size, m.listeners.size], [0, 0]);
    m.setReady(true);
    show("o", partOf("o"));
    assert.equal(union.hasSynced(), true);
    assert.equal(heard.length, 1);
  });
});
