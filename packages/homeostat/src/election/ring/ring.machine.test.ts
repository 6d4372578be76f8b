// How replicas share the slots: whatever happens, no slot has two, and in the end each has one.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  calm,
  everySlot,
  RingWorld,
  type SimulatedMember,
  worldSlots,
} from "./ring-world.suite.ts";
import { slotsFor } from "./slot-ring.ts";
import { countSlots, formatSlots, noSlots } from "./slot-set.ts";

interface Deed {
  readonly afterMs: number;
  readonly what: "join" | "kill" | "stop" | "leave" | "rejoin";
  readonly who: number;
  readonly forMs: number;
}

const deeds = fc.array(
  fc.record<Deed>({
    afterMs: fc.oneof(fc.nat(50), fc.nat(20_000)),
    what: fc.constantFrom("join", "join", "kill", "stop", "stop", "leave", "rejoin"),
    who: fc.nat(10),
    forMs: fc.oneof(fc.nat(9000), fc.integer({ min: 9000, max: 25_000 })),
  }),
  { minLength: 1, maxLength: 12 },
);

const weather = fc.record({
  lostAnswers: fc.constantFrom(0, 0.05, 0.2),
  lateRequests: fc.constantFrom(0, 0.05, 0.2),
  delayMs: fc.constantFrom(5, 50, 2000),
  drainMs: fc.constantFrom(0, 1000, 20_000),
});

describe("members of a ring", () => {
  it("never hold one slot twice, and share all slots in the end", () => {
    fc.assert(
      fc.property(deeds, weather, fc.nat(2 ** 31), (given, during, seed) => {
        const world = new RingWorld(randomFrom(seed));
        const check = (): void => assertExclusive(world.members);
        world.weather = during;
        for (let i = 0; i < 3; i++) world.join();
        for (const deed of given) {
          world.run(world.now + deed.afterMs, check);
          perform(world, deed);
        }
        world.run(world.now + 30_000, check);
        world.weather = calm;
        world.run(world.now + 30_000, check);
        if (alive(world).length === 0) world.join();
        world.run(world.now + 100_000, check);
        assertShared(alive(world));
      }),
      { numRuns: Number(process.env["RING_RUNS"] ?? 150) },
    );
  });

  it("takes over all slots of one that was killed, and of none other", () => {
    const world = new RingWorld(randomFrom(1));
    const check = (): void => assertExclusive(world.members);
    const [first, second, third] = [world.join(), world.join(), world.join()];
    world.run(20_000, check);
    const before = second.gate;
    third.kill();
    world.run(60_000, check);
    assertShared([first, second]);
    assert.equal(second.gate & before, before);
  });

  it("gives up its slots as they are drained, before it is gone", () => {
    const world = new RingWorld(randomFrom(2));
    const check = (): void => assertExclusive(world.members);
    const [first, second] = [world.join(), world.join()];
    world.run(20_000, check);
    world.weather = { ...world.weather, drainMs: 5000 };
    second.step({ type: "leave" });
    world.run(20_400, check);
    assert.ok(countSlots(first.gate) > worldSlots / 2, "the idle ones come at once");
    assert.notEqual(first.gate, everySlot);
    world.run(27_000, check);
    assertShared([first]);
    assert.deepEqual([second.state.phase, second.lostBecause], ["ended", undefined]);
  });

  it("takes the place of a predecessor with its identity at once", () => {
    const world = new RingWorld(randomFrom(3));
    const check = (): void => assertExclusive(world.members);
    const [first, second] = [world.join("pod-0"), world.join("pod-1")];
    world.run(20_000, check);
    const had = second.gate;
    second.kill();
    const third = world.join("pod-1");
    world.run(20_500, check);
    assertShared([first, third]);
    assert.equal(third.gate, had);
  });
});

function perform(world: RingWorld, { what, who, forMs }: Deed): void {
  const candidates = alive(world);
  const member = candidates[who % Math.max(1, candidates.length)];
  if (what === "join" || !member) return void world.join();
  if (what === "leave") return member.step({ type: "leave" });
  if (what === "stop") {
    member.stop();
    return world.after(forMs, () => member.continue());
  }
  member.kill();
  if (what === "rejoin") world.after(forMs, () => world.join(member.identity));
}

const alive = ({ members }: RingWorld): readonly SimulatedMember[] =>
  members.filter(({ isAlive, state }) => isAlive && state.phase !== "ended");

function assertExclusive(members: readonly SimulatedMember[]): void {
  let seen = noSlots;
  for (const member of members) {
    const slots = member.mayWrite;
    if ((seen & slots) === noSlots) seen |= slots;
    else
      assert.fail(
        members.map((one) => `${one.name} ${formatSlots(one.mayWrite, worldSlots)}`).join("; "),
      );
  }
}

/** Each of them has what the ring gives it. */
function assertShared(members: readonly SimulatedMember[]): void {
  const names = members.map(({ identity }) => identity);
  let seen = noSlots;
  for (const { gate, name, identity } of members) {
    assert.equal(formatSlots(gate, 16), formatSlots(slotsFor(identity, names, 16), 16), name);
    seen |= gate;
  }
  assert.equal(seen, everySlot);
}

/** Numbers in [0, 1), the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
