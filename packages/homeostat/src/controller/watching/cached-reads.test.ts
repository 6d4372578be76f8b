// Which objects the reads of a reconcile find, and which reads are refused.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { ObjectKey } from "../../api/object-meta.ts";
import { defineController, definitionOf } from "../define-controller.ts";
import { declaredKinds } from "../declared-kinds.ts";
import { all } from "./all.ts";
import { createCachedReads, indexName } from "./cached-reads.ts";
import { compileSelection, type Selection } from "./selection.ts";
import { index } from "./declared-reads.ts";

const kindOf = (kind: string, scope: Kind["scope"] = "Namespaced"): Kind =>
  ({ apiVersion: "x/v1", kind, resource: `${kind.toLowerCase()}s`, scope }) as Kind;
const Box = kindOf("Box");
const Part = kindOf("Part");
const Node = kindOf("Node", "Cluster");
const Other = kindOf("Other");

const object = (name: string, namespace?: string, labels: object = {}) => ({
  metadata: { name, ...(namespace ? { namespace } : {}), labels },
});

/** The reads of a run for Box n/a, over an informer that returns what it was asked. */
function arrange(cached?: Selection) {
  const definition = definitionOf(
    defineController(Box, {
      owns: [Part],
      watches: { nodes: all(Node) },
      indexes: { byHost: index(Part, () => []) },
      reconcile() {},
    }),
  );
  const read: string[] = [];
  const observed: unknown[] = [];
  const widened: string[] = [];
  const informer = {
    get: (key: ObjectKey) => (key.name === "absent" ? undefined : key),
    list: ({ namespace }: { readonly namespace?: string } = {}) =>
      [object("b", "n", { app: "x" }), object("a", "n"), object("c", "m"), object("node")].filter(
        ({ metadata }) =>
          namespace === undefined || (metadata as ObjectKey).namespace === namespace,
      ),
    byIndex: (name: string, value: string) => [`${name}=${value}`],
  };
  const reads = createCachedReads({
    definition,
    object: object("a", "n") as never,
    informer: () => informer as never,
    narrowing: {
      selectionOf: ({ kind }) => (cached && kind === "Node" ? compileSelection(cached) : undefined),
      widen: ({ kind }) => widened.push(kind),
    },
    observe(found) {
      observed.push(found);
      return found;
    },
    reading: (kind, what) => read.push(`${kind.kind}: ${what}`),
  }) as any;
  return { reads, read, observed, definition, widened };
}

const names = (objects: readonly { readonly metadata: { readonly name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

describe("reads from the cache", () => {
  it("get is in the object's own namespace, unless the address says", () => {
    const { reads, read, observed } = arrange();
    assert.deepEqual(reads.get(Part, "p"), { name: "p", namespace: "n" });
    assert.deepEqual(observed, [{ name: "p", namespace: "n" }]);
    assert.deepEqual(reads.get(Part, { name: "p", namespace: "m" }), { name: "p", namespace: "m" });
    assert.deepEqual(reads.get(Node, "p"), { name: "p" });
    assert.deepEqual(read, [
      "Part: cache.get(Part n/p)",
      "Part: cache.get(Part m/p)",
      "Node: cache.get(Node p)",
    ]);
  });

  it("list is in the object's own namespace, by key; an empty one means all", () => {
    const { reads, read, observed } = arrange();
    assert.deepEqual(names(reads.list(Part)), ["a", "b"]);
    assert.deepEqual(names(observed[0] as any), ["a", "b"]);
    assert.deepEqual(names(reads.list(Part, { labels: { app: "x" } })), ["b"]);
    assert.deepEqual(names(reads.list(Part, { namespace: "m" })), ["c"]);
    assert.deepEqual(names(reads.list(Part, { namespace: "" })), ["c", "a", "b", "node"]);
    assert.equal(reads.list(Node).length, 4);
    assert.equal(read[0], "Part: cache.list(Part)");
  });

  it("byIndex reads the declared index of this controller", () => {
    const { reads, read, observed, definition } = arrange();
    const found = [`${indexName(definition.name, "byHost")}=h`];
    assert.deepEqual(reads.byIndex("byHost", "h"), found);
    assert.deepEqual(observed, [found]);
    assert.deepEqual(read, ['Part: cache.byIndex("byHost")']);
    assert.throws(() => reads.byIndex("byName", "h"), {
      code: "ERR_CACHE_INDEX",
      message: /by index "byName"; it declares byHost/,
    });
  });

  it("beyond what is cached of a kind are refused once, and the kind is cached whole", () => {
    const labels = { app: "x" };
    const { reads, widened } = arrange({ labels });
    assert.equal(reads.list(Node, { labels }).length, 1);
    assert.equal(reads.get(Node, "p").name, "p");
    assert.equal(reads.get(Part, "absent"), undefined);
    assert.deepEqual(widened, []);
    for (const beyond of [() => reads.list(Node), () => reads.get(Node, "absent")])
      assert.throws(beyond, { code: "ERR_CACHE_NARROW", message: /"box" calls cache\.(get|list)/ });
    assert.deepEqual(widened, ["Node", "Node"]);
  });

  it("of an undeclared kind is refused before anything is read", () => {
    const { reads, read, definition } = arrange();
    for (const refused of [() => reads.get(Other, "a"), () => reads.list(Other)])
      assert.throws(refused, { code: "ERR_UNDECLARED" });
    assert.deepEqual(read, []);
    assert.deepEqual(declaredKinds(definition), [Box, Part, Node]);
  });
});
