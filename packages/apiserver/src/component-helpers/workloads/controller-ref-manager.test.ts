import assert from "node:assert/strict";
import { test } from "node:test";
import { decideClaim } from "./controller-ref-manager.ts";
import { toSelector } from "../meta/label-selector.ts";
import type { ApiObject } from "../meta/api-object.ts";

const object = (uid: string, more: Partial<ApiObject["metadata"]> = {}): ApiObject => ({
  apiVersion: "v1",
  kind: "X",
  metadata: {
    name: uid,
    uid,
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:00:00Z",
    ...more,
  },
});
const owner = object("owner");
const going = object("owner", { deletionTimestamp: "2024-01-01T00:00:00Z" });
const controlledBy = (uid: string): Partial<ApiObject["metadata"]> => ({
  ownerReferences: [{ apiVersion: "v1", kind: "X", name: "x", uid, controller: true }],
});
const selector = toSelector({
  matchLabels: { app: "a" },
  matchExpressions: [
    { key: "tier", operator: "NotIn", values: ["db"] },
    { key: "draft", operator: "DoesNotExist" },
  ],
})!;
const fits = { labels: { app: "a", tier: "web" } };

test("keeps its own objects, adopts orphans, releases objects that do not match", () => {
  assert.equal(
    decideClaim(owner, selector, object("p", { ...fits, ...controlledBy("owner") })),
    "keep",
  );
  assert.equal(decideClaim(owner, selector, object("p", fits)), "adopt");
  assert.equal(
    decideClaim(
      owner,
      selector,
      object("p", { labels: { app: "a", tier: "db" }, ...controlledBy("owner") }),
    ),
    "release",
  );
  assert.equal(
    decideClaim(owner, selector, object("p", { ...fits, ...controlledBy("other") })),
    "ignore",
  );
  assert.equal(
    decideClaim(owner, selector, object("p", { labels: { app: "a", draft: "" } })),
    "ignore",
  );
  const misfit = (): boolean => false;
  assert.equal(decideClaim(owner, selector, object("p", fits), misfit), "ignore");
  assert.equal(
    decideClaim(owner, selector, object("p", { ...fits, ...controlledBy("owner") }), misfit),
    "release",
  );
});

test("an owner being deleted neither adopts nor releases; objects being deleted are not adopted", () => {
  assert.equal(decideClaim(going, selector, object("p", fits)), "ignore");
  assert.equal(decideClaim(going, selector, object("p", controlledBy("owner"))), "ignore");
  assert.equal(
    decideClaim(
      owner,
      selector,
      object("p", { ...fits, deletionTimestamp: "2024-01-01T00:00:00Z" }),
    ),
    "ignore",
  );
});

test("no selector selects nothing", () => {
  assert.equal(toSelector(undefined), undefined);
  assert.deepEqual(toSelector({}), []);
});
