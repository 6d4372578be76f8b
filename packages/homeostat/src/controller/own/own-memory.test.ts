import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { OwnMemory } from "./own-memory.ts";

const Part = { apiVersion: "example.com/v1", kind: "Part", resource: "parts" } as Kind;

it("children may move until a run has shown that there is one set", () => {
  const memory = new OwnMemory();
  memory.called(Part, "op/box");
  assert.equal(memory.mayMove(Part), true);
  memory.completed();
  assert.equal(memory.mayMove(Part), false);
  memory.called(Part, "op/box/named");
  assert.equal(memory.mayMove(Part), true);
  assert.deepEqual([...memory.managers(Part)], ["op/box", "op/box/named"]);
});

it("knows the stored form of the intent that was applied, and of no other", () => {
  const memory = new OwnMemory();
  memory.learn("uid op/box", "1000m", "1");
  assert.equal(memory.storedFor("uid op/box", "1000m"), "1");
  assert.equal(memory.storedFor("uid op/box", "2000m"), undefined);
  assert.equal(memory.storedFor("other op/box", "1000m"), undefined);
  for (let i = 0; i < 10_000; i++) memory.learn(`${i}`, "a", "b");
  assert.equal(memory.storedFor("uid op/box", "1000m"), undefined, "the memory is bounded");
});
