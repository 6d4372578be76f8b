import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import type { InformerScope } from "../../cache/informer.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { arrangeSet, Box, owner, Part } from "./arrange-set.suite.ts";
import { refuseDuplicates, toIntent } from "./child-intent.ts";
import type { OwnedSet } from "./owned-set.ts";

const intentOf = (metadata: object, more: Partial<OwnedSet> = {}) =>
  toIntent(arrangeSet([], more).set, { metadata, spec: { of: "x" } } as unknown as KubeObject);
const refuses = (code: string, message: RegExp) => (error: unknown) =>
  isHomeostatError(error, code) && message.test(error.message);
const reference = {
  apiVersion: "x/v1",
  kind: "Box",
  name: "b",
  uid: "owner",
  controller: true,
  blockOwnerDeletion: true,
};

describe("what is applied for a manifest", () => {
  it("has the kind, the owner's namespace and one controller reference", () => {
    assert.deepEqual(intentOf({ name: "p" }), {
      apiVersion: "x/v1",
      kind: "Part",
      metadata: { name: "p", namespace: "n", ownerReferences: [reference] },
      spec: { of: "x" },
    });
  });

  it("keeps other references, and replaces another controller and an older one of the owner", () => {
    const other = { apiVersion: "x/v1", kind: "Box", name: "o", uid: "other" };
    const ownerReferences = [
      other,
      { ...other, uid: "another", controller: true },
      { ...reference, controller: false },
    ];
    const { metadata } = intentOf({ name: "p", ownerReferences });
    assert.deepEqual(metadata.ownerReferences, [reference, other]);
  });

  it("leads back by label where no owner reference reaches", () => {
    const { metadata } = intentOf({
      name: "p",
      namespace: "m",
      labels: { a: "b" },
      annotations: { c: "d" },
    });
    assert.deepEqual(metadata, {
      name: "p",
      namespace: "m",
      labels: { a: "b", "homeostat.dev/owner-uid": "owner" },
      annotations: { c: "d", "homeostat.dev/owner": "Box.x n/b" },
    });
  });

  it("of a cluster-scoped owner names its namespace; of a cluster-scoped kind has none", () => {
    const site = { ...owner, metadata: { name: "s", uid: "site" } } as unknown as KubeObject;
    assert.throws(
      () => intentOf({ name: "p" }, { owner: site }),
      refuses("ERR_OWN_NAMESPACE", /"p" has no namespace and its owner is cluster-scoped/),
    );
    const { metadata } = intentOf({ name: "p", namespace: "n" }, { owner: site });
    assert.equal(metadata.ownerReferences?.[0]?.uid, "site");
    const kind = { ...Part, scope: "Cluster" } as never;
    assert.equal("namespace" in intentOf({ name: "p" }, { kind, owner: site }).metadata, false);
  });

  it("is refused outside of the watched namespaces", () => {
    assert.throws(
      () => intentOf({ name: "p", namespace: "unwatched" }),
      refuses("ERR_OWN_NAMESPACE", /"p" is in unwatched, but this manager watches n, m only/),
    );
  });

  it("is refused when its informer does not select it", () => {
    const intent = (metadata: object, scope: InformerScope) =>
      toIntent(arrangeSet([], { scope }).set, {
        metadata,
        spec: { of: "x" },
      } as unknown as KubeObject);
    const labelSelector = "app=x";
    const labelled = { name: "p", labels: { app: "x" } };
    assert.equal(intent(labelled, { labelSelector }).metadata.name, "p");
    assert.throws(
      () => intent({ name: "p" }, { labelSelector }),
      refuses("ERR_OWN_SELECTION", /"p" is not among .* those with labels app=x; it would/),
    );
    const fieldSelector = "spec.of=y";
    assert.throws(
      () => intent(labelled, { labelSelector, fieldSelector }),
      refuses("ERR_OWN_SELECTION", /those with labels app=x and fields spec.of=y;/),
    );
    assert.equal(intent(labelled, { fieldSelector: "spec.of=x" }).metadata.name, "p");
  });

  it("is refused twice", () => {
    const { set } = arrangeSet();
    const [a, b] = ["a", "b"].map((name) => intentOf({ name }));
    const elsewhere = intentOf({ name: "a", namespace: "m" });
    refuseDuplicates(set, [a!, b!, elsewhere]);
    assert.throws(
      () => refuseDuplicates(set, [a!, b!, b!]),
      refuses("ERR_OWN_DUPLICATE", /Box n\/b owning Part \(x\/v1\): "n\/b" is listed twice/),
    );
    assert.equal(set.ownerKind, Box);
  });
});
