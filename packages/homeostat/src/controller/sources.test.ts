import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../api/kind.ts";
import type { CachedObject, HandlerCause, Informer, InformerHandler } from "../cache/informer.ts";
import { createWorkQueue } from "../queue/create-workqueue.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { defineController, definitionOf, type Handlers } from "./define-controller.ts";
import { OwnEchoes } from "./echo/own-echoes.ts";
import { kindId, RunRecord } from "./echo/run-record.ts";
import { owned } from "./owned.ts";
import { generationChanged } from "./predicates.ts";
import { addFor, connectSources } from "./sources.ts";
import { WarnOnce } from "./warn-once.ts";

const Box = {
  apiVersion: "x/v1",
  kind: "Box",
  resource: "boxes",
  scope: "Namespaced",
} as Kind;

const box = (resourceVersion: string, more: Partial<CachedObject> = {}): CachedObject =>
  ({
    key: "ns/a",
    resourceVersion,
    generation: 1,
    deleting: false,
    metadataText: () => "",
    ...more,
  }) as CachedObject;
const paused = { metadataText: () => '{"homeostat.dev/paused":""}' };
const through = (what: HandlerCause["through"]): HandlerCause => ({
  through: what,
  ownWrite: false,
});

const warnings = new WarnOnce({ debug() {}, info() {}, warn() {}, error() {} });

/** A controller whose last run has written Box a at revision 2. */
function arrange(handlers: Partial<Handlers<any>> = {}) {
  const runtime = createVirtualRuntime();
  const queue = createWorkQueue({ runtime });
  const echoes = new OwnEchoes(queue, () => 0);
  let handler: InformerHandler = {};
  const primary = { addHandler: (given: InformerHandler) => (handler = given) } as never;
  connectSources({
    definition: definitionOf(defineController(Box, { ...handlers, reconcile() {} })),
    queue,
    primary: primary as Informer,
    informer: () => undefined,
    echoes,
    warnings,
    saw() {},
    gone() {},
  });
  const record = new RunRecord(new Set([kindId(Box)]));
  const object = (resourceVersion: string) => ({
    metadata: { name: "a", namespace: "ns", uid: "u", resourceVersion, generation: 1 },
  });
  record.starts(Box, object("1") as never);
  record.wrote({ kind: Box, key: { name: "a", namespace: "ns" }, object: object("2") as never });
  echoes.begin("ns/a", record);
  echoes.end("ns/a");
  const isQueued = (): boolean => queue.depth().ready.size > 0;
  return { handler, isQueued, echoes, queue };
}

test("an own write that the watch delivers is dropped; through a list it is not", () => {
  const watched = arrange();
  watched.handler.updated!(box("1"), box("2"), through("watch"));
  assert.equal(watched.isQueued(), false);
  for (const how of ["relist", "initial", "resync"] as const) {
    const { handler, isQueued } = arrange();
    handler.updated!(box("1"), box("2"), through(how));
    assert.equal(isQueued(), true, how);
  }
});

test("a deletion is never dropped", () => {
  const { handler, isQueued } = arrange();
  handler.deleted!(box("2"), through("watch"));
  assert.equal(isQueued(), true);
});

test("`when` drops updates, and only those; explain() says so and nothing is kept", () => {
  const when = generationChanged;
  const dropped = arrange({ when });
  dropped.handler.updated!(box("1"), box("2"), through("watch"));
  assert.equal(dropped.isQueued(), false);
  const [cause] = dropped.queue.explain("ns/a")!.ignored;
  assert.equal(cause!.what, "Box changed, dropped by `when`");
  assert.equal(dropped.echoes.size, 0);
  const passes: readonly ((handler: InformerHandler) => void)[] = [
    (handler) => handler.updated!(box("1"), box("3", { generation: 2 }), through("watch")),
    (handler) => handler.updated!(box("1"), box("3", { deleting: true }), through("watch")),
    (handler) => handler.updated!(box("1"), box("3", paused), through("watch")),
    (handler) => handler.updated!(box("1", paused), box("3"), through("watch")),
    (handler) => handler.updated!(box("1"), box("1"), through("resync")),
    (handler) => handler.added!(box("3"), through("watch")),
    (handler) => handler.deleted!(box("3"), through("watch")),
  ];
  for (const pass of passes) {
    const { handler, isQueued } = arrange({ when });
    pass(handler);
    assert.equal(isQueued(), true, pass.toString());
  }
});

test("a `when` that throws lets the update pass", () => {
  const { handler, isQueued } = arrange({
    when: () => {
      throw new Error("a bug");
    },
  });
  handler.updated!(box("2"), box("3"), through("watch"));
  assert.equal(isQueued(), true);
});

const Part = { ...Box, kind: "Part", resource: "parts" } as Kind;

/** A controller of boxes, and the handler of the parts that it owns. */
function connectParts(owns: readonly (typeof Part)[]) {
  let handler: InformerHandler = {};
  const indexes: unknown[][] = [];
  const informer = {
    addIndex: (...index: unknown[]) => indexes.push(index),
    addHandler: (given: InformerHandler) => (handler = given),
  } as unknown as Informer;
  const queue = createWorkQueue({ runtime: createVirtualRuntime() });
  connectSources({
    definition: definitionOf(defineController(Box, { owns, reconcile() {} })),
    queue,
    primary: { addHandler: () => ({ remove() {} }) } as unknown as Informer,
    informer: () => informer,
    echoes: new OwnEchoes(queue, () => 0),
    warnings,
    saw() {},
    gone() {},
  });
  return { queue, handler, indexes };
}

test("`when` of an owned kind parses no child that it drops", () => {
  const { queue, handler } = connectParts([owned(Part, { when: generationChanged })]);
  let reads = 0;
  const owner = { apiVersion: "x/v1", kind: "Box", name: "a", uid: "u", controller: true };
  const part = (resourceVersion: string, generation = 1): CachedObject =>
    box(resourceVersion, {
      key: "ns/p",
      namespace: "ns",
      generation,
      ownerUids: ["u"],
      read() {
        reads++;
        return { metadata: { name: "p", namespace: "ns", ownerReferences: [owner] } };
      },
    });
  const { queued, ignored } = {
    queued: () => queue.explain("ns/a")?.causes.map(({ what }) => what) ?? [],
    ignored: () => queue.explain("ns/a")?.ignored.map(({ what }) => what) ?? [],
  };
  handler.added!(part("1"), through("initial"));
  reads = 0;
  handler.updated!(part("1"), part("2"), through("watch"));
  assert.equal(reads, 0);
  assert.deepEqual(queued(), ["Part ns/p added"]);
  assert.deepEqual(ignored(), ["Part ns/p changed, dropped by `when`"]);
  handler.updated!(part("2"), part("3", 2), through("watch"));
  assert.deepEqual(queued(), ["Part ns/p added", "Part ns/p changed"]);
});

test("owned objects that do not match their definition are found by their back-reference", () => {
  const { indexes } = connectParts([Part]);
  assert.deepEqual(indexes.at(-1)?.[2], { includesMismatched: true });
});

test("an owned object that leaves its owner is news for both", () => {
  const { queue, handler } = connectParts([Part]);
  const part = (owner: string | undefined, labelled?: string): CachedObject => {
    const ownerReferences = owner
      ? [{ apiVersion: "x/v1", kind: "Box", name: owner, uid: `uid-${owner}`, controller: true }]
      : [];
    const backReference = {
      labels: { "homeostat.dev/owner-uid": `uid-${labelled}` },
      annotations: { "homeostat.dev/owner": `Box.x elsewhere/${labelled}` },
    };
    const metadata = {
      name: "p",
      namespace: "ns",
      ownerReferences,
      ...(labelled ? backReference : {}),
    };
    return {
      key: "ns/p",
      namespace: "ns",
      resourceVersion: "1",
      ownerUids: ownerReferences.map(({ uid }) => uid),
      read: () => ({ apiVersion: "x/v1", kind: "Part", metadata }),
    } as unknown as CachedObject;
  };
  const causes = (key: string): readonly string[] =>
    queue.explain(key)?.causes.map(({ what }) => what) ?? [];
  handler.updated!(part("a"), part("b"), through("watch"));
  assert.deepEqual(causes("ns/a"), ["Part ns/p left"]);
  assert.deepEqual(causes("ns/b"), ["Part ns/p changed"]);
  handler.updated!(part("c"), part(undefined), through("watch"));
  assert.deepEqual(causes("ns/c"), ["Part ns/p left"]);
  handler.updated!(part("d"), part("d"), through("watch"));
  assert.deepEqual(causes("ns/d"), ["Part ns/p changed"]);
  handler.updated!(part(undefined, "e"), part(undefined, "f"), through("watch"));
  assert.deepEqual(causes("elsewhere/e"), ["Part ns/p left"]);
  assert.deepEqual(causes("elsewhere/f"), ["Part ns/p changed"]);
});

test("what a first list or a resync adds runs after what has changed", () => {
  const priorities: unknown[] = [];
  const queue = { add: (_: string, { priority }: any = {}) => void priorities.push(priority) };
  for (const what of ["initial", "resync", "watch", "relist"] as const)
    addFor(queue, "ns/a", what, { what });
  assert.deepEqual(priorities, [-100, -100, 0, 0]);
});
