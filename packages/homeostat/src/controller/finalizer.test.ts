import assert from "node:assert/strict";
import { it } from "node:test";
import type { KubeObject } from "../api/object-meta.ts";
import { hasFinalizer, ourFinalizers } from "./finalizer.ts";

const names = {
  manager: "op/box",
  managers: ["op/box"],
  finalizer: "example.com/op.box",
  formerFinalizer: "example.com/box",
};

function box(finalizers: readonly string[], manager: string): KubeObject {
  const written = Object.fromEntries(finalizers.map((one) => [`v:${JSON.stringify(one)}`, {}]));
  const fieldsV1 = { "f:metadata": { "f:finalizers": { ".": {}, ...written } } };
  const managedFields = [{ manager, operation: "Update", fieldsV1 }];
  return { metadata: { name: "a", finalizers, managedFields } } as unknown as KubeObject;
}

it("a former finalizer is ours if our manager wrote it", () => {
  const both = ["example.com/box", "other.example.com/box", "example.com/op.box"];
  assert.deepEqual(ourFinalizers(box(both, "op/box"), names), [both[0], both[2]]);
  assert.deepEqual(ourFinalizers(box(both, "another"), names), [both[2]]);
});

it("an object has the finalizer when it carries no former one of ours", () => {
  const has = (finalizers: readonly string[], manager = "op/box"): boolean =>
    hasFinalizer(box(finalizers, manager), names);
  assert.equal(has(["example.com/op.box"]), true);
  assert.equal(has(["example.com/box"]), false);
  assert.equal(has(["example.com/box", "example.com/op.box"]), false);
  assert.equal(has(["example.com/box", "example.com/op.box"], "another"), true);
});
