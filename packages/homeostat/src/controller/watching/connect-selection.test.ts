import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type {
  CachedObject,
  HandlerCause,
  Informer,
  InformerHandler,
} from "../../cache/informer.ts";
import type { Predicate } from "../predicates.ts";
import { connectSelection } from "./connect-selection.ts";
import { compileSelection, type Selection } from "./selection.ts";
import { WarnOnce } from "../warn-once.ts";

const warnings = new WarnOnce({ debug() {}, info() {}, warn() {}, error() {} });

const watch: HandlerCause = { through: "watch", ownWrite: false };
const target = { apiVersion: "x/v1", kind: "Part" } as Kind;

interface Fake {
  readonly labels?: Record<string, string>;
  readonly namespace?: string;
  readonly deleting?: boolean;
  readonly generation?: number;
}

function object(name: string, { labels = {}, namespace = "ns", ...facts }: Fake = {}) {
  const read = () => ({ apiVersion: "x/v1", kind: "Part", metadata: { name, labels } });
  const known = { key: `${namespace}/${name}`, name, namespace, deleting: false, generation: 1 };
  return { ...known, ...facts, read } as unknown as CachedObject;
}

function fakeInformer() {
  const handlers: InformerHandler[] = [];
  const informer = {
    addHandler: (handler: InformerHandler) => (handlers.push(handler), { remove() {} }),
  } as unknown as Informer;
  return { informer, handler: () => handlers[0]! };
}

/** Sources `<namespace>/<name>` that select by their labels. */
function play(
  when?: Predicate,
  select: (source: CachedObject) => Selection = (source) => ({
    namespace: source.namespace,
    labels: (source.read() as { metadata: { labels: Record<string, string> } }).metadata.labels,
  }),
) {
  const sources = fakeInformer();
  const targets = fakeInformer();
  const seen: string[] = [];
  connectSelection(
    {
      title: "watch parts",
      target,
      when: undefined,
      selectionsOf: (source) => {
        const { name, labels = {} } = source.metadata;
        return [compileSelection(select(object(name, { labels })))];
      },
    },
    {
      primary: sources.informer,
      informer: targets.informer,
      when: { when, of: "watch parts", warnings },
      enqueue: ({ source, what }) => void seen.push(`${source}: ${what}`),
      ignore: ({ source, what }) => void seen.push(`${source}: ${what} (ignored)`),
    },
  );
  const take = (): readonly string[] => seen.splice(0).sort();
  return { sources: sources.handler(), targets: targets.handler(), take };
}

const x = { labels: { app: "x" } };
const y = { labels: { app: "y" } };

it("maps every way in and out to the sources concerned", () => {
  const { sources, targets, take } = play();
  sources.added!(object("a", x), watch);
  sources.added!(object("b", x), watch);
  sources.added!(object("c", y), watch);
  targets.added!(object("p", x), watch);
  assert.deepEqual(take(), ["ns/a: Part ns/p added", "ns/b: Part ns/p added"]);
  targets.updated!(object("p", x), object("p", y), watch);
  assert.deepEqual(take(), [
    "ns/a: Part ns/p ceases to match",
    "ns/b: Part ns/p ceases to match",
    "ns/c: Part ns/p begins to match",
  ]);
  targets.updated!(object("p", y), object("p", y), watch);
  assert.deepEqual(take(), ["ns/c: Part ns/p changed"]);
  targets.added!(object("far", { ...y, namespace: "other" }), watch);
  targets.updated!(object("p"), object("p"), watch);
  assert.deepEqual(take(), []);
  sources.updated!(object("b", x), object("b", y), watch);
  sources.deleted!(object("c", y), watch);
  targets.deleted!(object("p", y), watch);
  assert.deepEqual(take(), ["ns/b: Part ns/p deleted"]);
  targets.added!(object("q", x), watch);
  assert.deepEqual(take(), ["ns/a: Part ns/q added"]);
});

it("`when` drops plain updates only", () => {
  const { sources, targets, take } = play((old, { generation }) => old.generation !== generation);
  sources.added!(object("a", x), watch);
  targets.added!(object("p", x), watch);
  targets.updated!(object("p"), object("p", x), watch);
  targets.updated!(object("p", x), object("p"), watch);
  targets.updated!(object("p", x), object("p", { ...x, generation: 2 }), watch);
  targets.updated!(object("p", x), object("p", { ...x, deleting: true }), watch);
  targets.updated!(object("p", x), object("p", x), { through: "resync", ownWrite: false });
  targets.deleted!(object("p", x), watch);
  assert.equal(take().filter((what) => !what.includes("ignored")).length, 7);
  targets.updated!(object("p", x), object("p", x), watch);
  assert.deepEqual(take(), ["ns/a: Part ns/p changed (ignored)"]);
});

it("a `when` that throws drops nothing, and a selection that throws selects nothing", () => {
  const throwing = play(() => {
    throw new Error("ouch");
  });
  throwing.sources.added!(object("a", x), watch);
  throwing.targets.updated!(object("p", x), object("p", x), watch);
  assert.deepEqual(throwing.take(), ["ns/a: Part ns/p changed"]);
  const failing = play(undefined, (source) => {
    if (source.name === "bad") throw new Error("ouch");
    return {};
  });
  failing.sources.added!(object("bad"), watch);
  failing.sources.added!(object("good"), watch);
  failing.targets.added!(object("p", { namespace: "other" }), watch);
  assert.deepEqual(failing.take(), ["ns/good: Part other/p added"]);
});

it("a source that does not match its definition selects nothing, until it does", () => {
  const { sources, targets, take } = play();
  const bad = { ...object("a", x), mismatch: { message: "bad", isInSpec: true } };
  sources.added!(object("a", x), watch);
  sources.updated!(object("a", x), bad, watch);
  targets.added!(object("p", x), watch);
  assert.deepEqual(take(), []);
  sources.updated!(bad, object("a", x), watch);
  targets.updated!(object("p", x), object("p", x), watch);
  assert.deepEqual(take(), ["ns/a: Part ns/p changed"]);
});
