// The queue of a shard, with a gate that is opened and shut by hand.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ShardGate } from "../../election/ring/shard-gate.ts";
import { allSlots, noSlots, type SlotSet, toSlotSet } from "../../election/ring/slot-set.ts";
import { createWorkQueue } from "../../queue/index.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { KeyShards } from "./key-shards.ts";
import { shardQueue } from "./shard-queue.ts";

const slots = 64;

function arrange() {
  let drained: SlotSet = noSlots;
  const gate = new ShardGate(slots, (some) => void (drained |= some));
  const shards = new KeyShards(gate, "orders");
  const inner = createWorkQueue({ runtime: createVirtualRuntime() });
  const queue = shardQueue(inner, shards);
  const setOf = (...keys: string[]): SlotSet =>
    toSlotSet(
      keys.map((key) => shards.slotOf(key)),
      slots,
    );
  const isDrained = (key: string): boolean => (drained & setOf(key)) !== noSlots;
  return { gate, queue, setOf, isDrained };
}

describe("the queue of a shard", () => {
  it("takes its own keys only", async () => {
    const { gate, queue, setOf } = arrange();
    for (const key of ["a", "b"]) queue.add(key);
    assert.equal(queue.addRateLimited("a"), 0);
    queue.ignore("a", { what: "changed" });
    assert.equal(queue.explain("a"), undefined);
    gate.gain(setOf("b"));
    for (const key of ["a", "b"]) queue.add(key);
    assert.equal((await queue.get())?.key, "b");
    assert.equal(queue.depth().ready.size, 0);
  });

  it("hands out no key that was lost meanwhile, also between its turn and its worker", async () => {
    const { gate, queue, isDrained } = arrange();
    gate.gain(allSlots(slots));
    const taken = queue.get();
    queue.add("a");
    gate.lose(allSlots(slots));
    assert.equal(isDrained("a"), true);
    let key: string | undefined = "none";
    void taken.then((item) => (key = item?.key));
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(key, "none");
    assert.equal(queue.explain("a"), undefined);
    gate.gain(allSlots(slots));
    queue.add("b");
    assert.equal((await taken)?.key, "b");
  });

  it("is drained when the last work of the slot has ended, and not before", async () => {
    const { gate, queue, setOf, isDrained } = arrange();
    gate.gain(allSlots(slots));
    queue.add("a");
    await queue.get();
    queue.add("a");
    gate.lose(setOf("a"));
    assert.equal(isDrained("a"), false);
    assert.equal(gate.draining(), setOf("a"));
    queue.done("a");
    assert.equal(isDrained("a"), true);
    assert.equal(gate.draining(), noSlots);
    assert.equal(queue.explain("a"), undefined, "what was added meanwhile is another's");
  });

  it("keeps a slot that comes back while its work goes on", async () => {
    const { gate, queue, setOf, isDrained } = arrange();
    gate.gain(allSlots(slots));
    queue.add("a");
    await queue.get();
    gate.lose(setOf("a"));
    gate.gain(setOf("a"));
    queue.add("a");
    queue.done("a");
    assert.equal(isDrained("a"), false);
    assert.equal((await queue.get())?.key, "a");
  });

  it("tells followers which slots come and go", () => {
    const { gate, setOf } = arrange();
    const heard: string[] = [];
    const slot = Number([...Array(slots).keys()].find((one) => (setOf("a") >> BigInt(one)) & 1n));
    const following = gate.follow({
      gained: (isIn) => heard.push(`gained ${isIn(slot)}`),
      lost: (isIn) => heard.push(`lost ${isIn(slot)}`),
    });
    gate.gain(setOf("a"));
    gate.close();
    following.remove();
    gate.gain(setOf("a"));
    assert.deepEqual(heard, ["gained true", "lost true"]);
  });
});
