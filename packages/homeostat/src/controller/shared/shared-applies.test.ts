import assert from "node:assert/strict";
import { it } from "node:test";
import { SharedApplies } from "./shared-applies.ts";

const one = (by: string, value: string, target = "ConfigMap a/b", manager = "op/box") => ({
  target,
  manager,
  by,
  manifest: { data: { value } },
});
const always = (): boolean => true;

it("names the other object whose fields an apply removes", () => {
  const applies = new SharedApplies();
  assert.equal(applies.record(one("a/x", "1"), always), undefined);
  assert.equal(applies.record(one("a/x", "2"), always), undefined, "its own manifest may change");
  assert.equal(applies.record(one("a/y", "3"), always), "a/x");
  assert.equal(applies.record(one("a/x", "2"), always), "a/y");
});

it("is silent about equal manifests, other managers, other objects and appliers that are gone", () => {
  const applies = new SharedApplies();
  applies.record(one("a/x", "1"), always);
  assert.equal(applies.record(one("a/y", "1"), always), undefined);
  assert.equal(applies.record(one("a/z", "2", "ConfigMap a/b", "op/box/z"), always), undefined);
  assert.equal(applies.record(one("a/z", "2", "ConfigMap a/c"), always), undefined);
  assert.equal(
    applies.record(one("a/z", "2"), (key) => key !== "a/y"),
    undefined,
  );
});

it("remembers a bounded number of objects", () => {
  const applies = new SharedApplies();
  applies.record(one("a/x", "1"), always);
  for (let i = 0; i < 10_000; i++) applies.record(one("a/x", "1", `ConfigMap a/${i}`), always);
  assert.equal(applies.record(one("a/y", "2"), always), undefined);
});
