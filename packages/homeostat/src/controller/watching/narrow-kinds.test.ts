// Which kinds are cached in part, and which reads that part answers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import type { Kind } from "../../api/kind.ts";
import { metadataOf } from "../../api/metadata-kind.ts";
import { defineResource } from "../../api/resource/define-resource.ts";
import { type Controller, defineController, definitionOf } from "../define-controller.ts";
import { ref } from "../ref.ts";
import { defineSignal } from "../signals/define-signal.ts";
import { all, type WatchOptions } from "./all.ts";
import { index } from "./declared-reads.ts";
import { covers, narrowKinds, scopeOf } from "./narrow-kinds.ts";
import { compileSelection } from "./selection.ts";

const kindOf = (kind: string, scope: Kind["scope"] = "Namespaced"): Kind<any> =>
  ({ apiVersion: "x/v1", kind, resource: `${kind.toLowerCase()}s`, scope }) as Kind<any>;
const Box = kindOf("Box");
const Crate = kindOf("Crate");
const Node = kindOf("Node", "Cluster");
const Part = defineResource({
  group: "x.example.com",
  version: "v1",
  kind: "Part",
  spec: z.object({ of: z.string(), size: z.int() }),
  selectableFields: [".spec.of"],
});
const labels = { app: "a" };

const watching = (...options: readonly WatchOptions<any, any>[]): Controller =>
  defineController(Box, {
    watches: Object.fromEntries(options.map((one, i) => [`w${i}`, all(Part, one)])),
    reconcile() {},
  });
const narrow = (...controllers: readonly Controller[]) =>
  narrowKinds(controllers.map((one) => definitionOf(one))).map(({ kind, selection }) => [
    kind.kind,
    scopeOf(selection),
  ]);
const part = (scope: object) => [["Part", { namespace: undefined, ...scope }]];

describe("a kind that is only watched", () => {
  it("is cached as far as values select, by what the server selects by", () => {
    assert.deepEqual(narrow(watching({ labels })), part({ labelSelector: "app=a" }));
    assert.deepEqual(narrow(watching({ namespace: "n" })), part({ namespace: "n" }));
    const fields = { ".spec.of": "x", "spec.size": "3", "metadata.name": "p" };
    assert.deepEqual(
      narrow(watching({ labels, fields })),
      part({ labelSelector: "app=a", fieldSelector: "metadata.name=p,spec.of=x" }),
    );
    assert.deepEqual(narrow(watching({ fields: { "spec.size": "3" } })), []);
    assert.deepEqual(
      narrow(watching({ fields: "metadata.namespace=n,spec.of!=x" })),
      part({ fieldSelector: "metadata.namespace=n,spec.of!=x" }),
    );
  });

  it("knows which fields of other kinds the server selects by", () => {
    const one = (kind: Kind, fields: string) =>
      narrow(defineController(Box, { watches: { w: all(kind, { fields }) }, reconcile() {} }));
    assert.equal(one(Node, "metadata.name=a").length, 1);
    assert.equal(one(Node, "metadata.namespace=a").length, 0);
    assert.equal(one(Crate, "spec.of=a").length, 0);
  });

  it("is cached whole when a selection depends on the watching object, or selects all", () => {
    assert.deepEqual(narrow(watching({ labels: () => labels })), []);
    assert.deepEqual(narrow(watching({ labels, fields: () => undefined })), []);
    assert.deepEqual(narrow(watching({ labels, namespace: () => "n" })), []);
    assert.deepEqual(narrow(watching({})), []);
    assert.deepEqual(narrow(watching({ labels }, {})), []);
    assert.deepEqual(narrow(watching({ labels: {} })), []);
  });

  it("is shared by equal selections, and whole for different ones, whatever their order", () => {
    const other = { labels: { app: "b" } };
    const same = { labels: "app in (a)", when: () => false };
    const again = narrow(watching({ labels }), watching({ labels: "app=a" }, { labels }));
    assert.deepEqual(again, part({ labelSelector: "app=a" }));
    assert.deepEqual(narrow(watching({ labels }), watching(same)), []);
    for (const options of [[{ labels }, other] as const, [other, { labels }] as const]) {
      assert.deepEqual(narrow(watching(...options)), []);
      assert.deepEqual(narrow(watching(options[0]), watching(options[1])), []);
      assert.deepEqual(narrow(watching(...options, { labels })), []);
    }
    const metadata = defineController(Box, {
      watches: { w: all(metadataOf(Part), other) },
      reconcile() {},
    });
    assert.deepEqual(narrow(watching({ labels }), metadata), []);
  });

  it("is whole when any controller needs all of it", () => {
    const on = { name: "frozen", on: Part, carrier: { annotation: "x/frozen" } } as const;
    const signals = [defineSignal({ ...on, setBy: ["box"], clearedBy: ["box"] })];
    const needs: readonly Controller[] = [
      defineController(Part, { reconcile() {} }),
      defineController(Crate, { owns: [Part], reconcile() {} }),
      defineController(Crate, { refs: { p: ref(Part, () => "p") }, reconcile() {} }),
      defineController(Crate, {
        watches: { w: all(Part, { labels }) },
        indexes: { by: index(Part, () => []) },
        reconcile() {},
      }),
      defineController(Crate, {
        name: "box",
        watches: { w: all(Part, { labels }) },
        signals,
        reconcile() {},
      }),
    ];
    for (const one of needs) {
      assert.deepEqual(narrow(one, watching({ labels })), []);
      assert.deepEqual(narrow(watching({ labels }), one), []);
    }
  });

  it("answers reads of what is cached", () => {
    const cached = compileSelection({ namespace: "n", labels, fields: "spec.of=x" });
    const wanted = (more: object) =>
      compileSelection({ namespace: "n", labels, fields: "spec.of=x", ...more });
    assert.equal(covers(cached, wanted({})), true);
    assert.equal(covers(cached, wanted({ labels: "app=a,tier=b" })), true);
    assert.equal(covers(cached, wanted({ fields: { ".spec.of": "x", "spec.size": "1" } })), true);
    assert.equal(covers(compileSelection({ labels }), compileSelection({ labels })), true);
    for (const more of [{ namespace: "m" }, { namespace: undefined }, { labels: "app=b" }])
      assert.equal(covers(cached, wanted(more)), false);
    assert.equal(covers(cached, wanted({ labels: undefined })), false);
    assert.equal(covers(cached, wanted({ fields: undefined })), false);
  });
});
