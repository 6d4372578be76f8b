// What is shown of an object outside of its runs: by the replica that reconciles it, and by none
// other; its slot is not given away before the write has ended.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ShardGate } from "../../election/ring/shard-gate.ts";
import { allSlots, noSlots, type SlotSet } from "../../election/ring/slot-set.ts";
import type { ReconcileDependencies } from "../reconcile-dependencies.ts";
import { ProgressWrites } from "../voice/progress-writes.ts";
import { KeyShards } from "./key-shards.ts";

it("progress is written for own objects only, and counts as work", async () => {
  let drained: SlotSet = noSlots;
  const gate = new ShardGate(16, (slots) => void (drained |= slots));
  let reads = 0;
  const dependencies = {
    shards: new KeyShards(gate, "orders"),
    client: { with: () => ({}) },
    names: { manager: "op/orders" },
    primary: { unchecked: { get: () => void reads++ } },
    definition: { kind: {} },
  } as unknown as ReconcileDependencies;
  const { signal } = new AbortController();
  const writes = new ProgressWrites(dependencies, { get: () => undefined }, signal);
  await writes.write("a", { is: "done" } as never);
  assert.equal(reads, 0);
  gate.gain(allSlots(16));
  const writing = writes.write("a", { is: "done" } as never);
  assert.equal(reads, 1);
  gate.close();
  assert.notEqual(drained, allSlots(16));
  await writing;
  assert.equal(drained, allSlots(16));
});
