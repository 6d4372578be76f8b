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
