import assert from "node:assert/strict";
import { test } from "node:test";
import type { CachedObject } from "../../cache/informer.ts";
import { compileSelection } from "./selection.ts";
import { SelectionMap } from "./selection-map.ts";

const object = (namespace: string, labels: Record<string, string> = {}): CachedObject =>
  ({ namespace, read: () => ({ metadata: { name: "o", namespace, labels } }) }) as never;
const app = (value: string, namespace?: string) =>
  compileSelection({ labels: { app: value }, namespace });
const matches = (map: SelectionMap, old?: CachedObject, now?: CachedObject) =>
  map.matches(old, now).map(({ sources, before, after }) => [[...sources], before, after]);

test("finds the sources whose selection matches before or after a change", () => {
  const map = new SelectionMap();
  map.set("a", [app("x")]);
  map.set("b", [app("x"), app("y", "n")]);
  map.set("c", [app("y", "m")]);
  const x = object("n", { app: "x" });
  const y = object("n", { app: "y" });
  assert.deepEqual(matches(map, undefined, x), [[["a", "b"], false, true]]);
  assert.deepEqual(matches(map, x, y), [
    [["a", "b"], true, false],
    [["b"], false, true],
  ]);
  assert.deepEqual(matches(map, y), [[["b"], true, false]]);
  assert.deepEqual(matches(map, undefined, object("n")), []);
  assert.deepEqual(matches(map, undefined, object("", { app: "x" })), [[["a", "b"], false, true]]);
});

test("equal selections share one entry, which goes with its last source", () => {
  const map = new SelectionMap();
  map.set("a", [app("x"), app("y")]);
  map.set("b", [app("x")]);
  assert.equal(map.size, 2);
  map.set("a", [app("x")]);
  assert.equal(map.size, 1);
  map.set("a", []);
  assert.equal(map.size, 1);
  map.delete("b");
  map.delete("unknown");
  assert.equal(map.size, 0);
  assert.deepEqual(matches(map, undefined, object("n", { app: "x" })), []);
});
