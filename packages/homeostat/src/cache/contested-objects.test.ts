import assert from "node:assert/strict";
import { test } from "node:test";
import { ContestedObjects } from "./contested-objects.ts";

test("an object is forgotten when it has not been contested for half a minute", () => {
  const contested = new ContestedObjects();
  contested.add("a", 0);
  contested.add("b", 10_000);
  contested.add("a", 20_000);
  contested.add("c", 40_001);
  assert.deepEqual(
    ["a", "b", "c"].map((id) => contested.has(id)),
    [true, false, true],
  );
});

test("a kind knows its contested objects by their keys", () => {
  const contested = new ContestedObjects();
  const isContested = contested.ofKind("v1/ConfigMap");
  assert.ok(!isContested("kitchen/menu"));
  contested.add("v1/ConfigMap kitchen/menu", 0);
  assert.ok(isContested("kitchen/menu") && !isContested("kitchen/other"));
  assert.ok(!contested.ofKind("v1/Secret")("kitchen/menu"));
});
