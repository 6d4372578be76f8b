// The machine against a world that crashes after each write in turn.
import assert from "node:assert/strict";
import { it } from "node:test";
import { inspect } from "node:util";
import { isTerminal, type Outcome } from "../outcome.ts";
import { PhaseCalls } from "./phase-calls.ts";
import { finalPhase, phase, type PhaseState } from "./phase.ts";
import { phaseMachine } from "./phase-machine.ts";
import { type Context, Crash, World } from "./phase-world.suite.ts";

const begin = (name: string, next: string, limits: object = {}) =>
  phase({
    observe: ({ world }: Context) => world.present.has(name),
    decide: (isThere, to) => (isThere ? to.go(next as "C") : to.act(`make ${name}`)),
    act: ({ world }: Context, what) => world.effect(what, () => world.present.add(name)),
    undo: ({ world }: Context) => world.effect(`undo ${name}`, () => world.present.delete(name)),
    ...limits,
  });

const machineOf = (world: World) =>
  phaseMachine({
    initial: "A",
    phases: {
      A: begin("a", "B"),
      B: begin("b", "C", { retries: 2 }),
      C: phase({
        observe: ({ world: { present } }: Context) => present.has("c"),
        decide: (isThere, to) => (isThere ? to.go("Done") : to.wait("c")),
        deadline: "10m",
      }),
      Done: finalPhase,
    },
    clock: world.runtime.clock,
    paused: () => world.paused,
    key: () => world.key,
  });

/** Reconciles until nothing more is to be done at once. */
async function settle(world: World): Promise<Outcome | undefined | Error> {
  for (let i = 0; i < 100; i++) {
    const machine = machineOf(world); // nothing is kept between runs
    let result: Outcome | undefined | Error;
    try {
      result = await world.reconcile(machine);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      world.calls = new PhaseCalls();
      continue;
    }
    if (result instanceof Error && !isTerminal(result)) await world.runtime.advance(60_000);
    const state = result instanceof Error ? undefined : result?.["~outcome"];
    if (result === undefined || isTerminal(result)) return result;
    if (state?.at === "waiting" || (state?.at === "retrying" && state.afterMs > 0)) return result;
  }
  throw new Error("it never settles");
}

const once = (effects: readonly string[]): readonly string[] =>
  effects.filter((one, i) => one !== effects[i - 1]);

for (let crashAfter = 1; crashAfter <= 14; crashAfter++) {
  it(`goes on after a crash after write ${crashAfter}`, async () => {
    const world = new World();
    world.crashAfter = crashAfter;
    world.present.add("c");
    assert.equal(await settle(world), undefined);
    assert.deepEqual(once(world.effects), ["make a", "make b"]);
    assert.ok(world.effects.length <= 3, "at most one effect is repeated");
    assert.equal(world.status.machine?.phase, "Done");
  });

  it(`undoes what was done, last first, with a crash after write ${crashAfter}`, async () => {
    const world = new World();
    world.crashAfter = crashAfter;
    world.broken.add("make b");
    const result = await settle(world);
    assert.ok(isTerminal(result));
    assert.match((result as Error).message, /phase B failed 3 times/);
    assert.deepEqual(once(world.effects), ["make a", "undo b", "undo a"]);
    assert.deepEqual([...world.present], []);
  });
}

it("lists a phase for undo, and counts the attempt, before it acts", async () => {
  const world = new World();
  let before: PhaseState | undefined;
  const machine = phaseMachine({
    initial: "A",
    phases: {
      A: begin("a", "C", { act: () => void (before = world.status.machine) }),
      C: finalPhase,
    },
    clock: world.runtime.clock,
  });
  await world.reconcile(machine);
  assert.deepEqual([before?.undo, before?.attempts, before?.acts], [["A"], 1, true]);
  const after = world.status.machine;
  assert.deepEqual([after?.undo, after?.attempts, after?.acts], [["A"], 0, false]);
});

/** A machine of one phase, whose `act` is given. */
const acting = (world: World, act: (attempt: number) => Promise<void> | void) =>
  phaseMachine({
    initial: "A",
    phases: {
      A: phase({
        observe: ({ world: { present } }: Context) => present.has("a"),
        decide: (isThere, to) => (isThere ? to.go("Done") : to.act("go")),
        act: (_: Context, __, { attempt }) => act(attempt),
        undo: ({ world }: Context) => void world.effects.push("undo a"),
        retries: 2,
      }),
      Done: finalPhase,
    },
    clock: world.runtime.clock,
  });

it("counts an attempt that does not end", async () => {
  const world = new World();
  const attempts: number[] = [];
  const machine = acting(world, (attempt) => {
    attempts.push(attempt);
    throw new Crash();
  });
  for (let i = 0; i < 3; i++) {
    await assert.rejects(world.reconcile(machine), Crash);
    world.calls = new PhaseCalls(); // another process
  }
  assert.ok(!((await world.reconcile(machine)) instanceof Error));
  assert.deepEqual(attempts, [1, 2, 3]);
  await world.reconcile(machine);
  assert.deepEqual(world.effects, ["undo a"]);
  assert.match(String(await world.reconcile(machine)), /phase A failed 3 times/);
});

it("repeats an attempt that fails after a growing delay, whatever wakes it", async () => {
  const world = new World();
  const at: number[] = [];
  const start = world.runtime.clock.now();
  const machine = acting(world, () => {
    at.push(world.runtime.clock.now() - start);
    throw new Error("broken");
  });
  let result: unknown;
  for (let i = 0; i < 60 && !isTerminal(result); i++) {
    result = await world.reconcile(machine);
    if (at.length < 3) assert.match(inspect(result), /broken/);
    await world.runtime.advance(100);
  }
  assert.match(String(result), /phase A failed 3 times: broken/);
  assert.deepEqual(at, [0, 1000, 3000]);
});

it("waits longer and longer for the effect of what has succeeded, and counts no failure", async () => {
  const world = new World();
  const at: number[] = [];
  const start = world.runtime.clock.now();
  const machine = acting(world, () => void at.push(world.runtime.clock.now() - start));
  for (let i = 0; i < 200; i++) {
    await world.reconcile(machine);
    await world.runtime.advance(100);
  }
  assert.deepEqual(at, [0, 1000, 3000, 7000, 15_000]);
  assert.equal(world.status.machine?.attempts, 0);
  world.present.add("a");
  await world.reconcile(machine);
  assert.equal(world.status.machine?.phase, "Done");
});

it("acts at once on another action", async () => {
  const world = new World();
  const left = ["x", "y", "z"];
  const machine = phaseMachine({
    initial: "A",
    phases: {
      A: phase({
        observe: (_context: Context) => left[0],
        decide: (first, to) => (first === undefined ? to.go("Done") : to.act(first)),
        act: () => void left.shift(),
      }),
      Done: finalPhase,
    },
    clock: world.runtime.clock,
  });
  for (let i = 0; i < 8; i++) {
    await world.reconcile(machine);
    await world.runtime.advance(100);
  }
  assert.equal(world.status.machine?.phase, "Done");
});

it("an attempt that cannot be recorded is not made, and not counted", async () => {
  const world = new World();
  const attempts: number[] = [];
  const machine = acting(world, (attempt) => void attempts.push(attempt));
  world.isUnreachable = true;
  for (let i = 0; i < 5; i++) assert.match(String(await world.reconcile(machine)), /unreachable/);
  world.isUnreachable = false;
  await world.reconcile(machine);
  assert.deepEqual(attempts, [1]);
});

it("fails at the deadline of a phase; a pause does not count", async () => {
  const world = new World();
  const waiting = await settle(world);
  assert.deepEqual((waiting as Outcome)["~outcome"], {
    at: "retrying",
    afterMs: 600_000,
    because: "waiting for c until the deadline",
  });
  await world.runtime.advance(300_000);
  world.paused = true;
  const paused = await settle(world);
  assert.deepEqual((paused as Outcome)["~outcome"], {
    at: "waiting",
    what: "phase C to be resumed",
  });
  await world.runtime.advance(3_600_000);
  world.paused = false;
  const resumed = (await settle(world)) as Outcome;
  assert.equal((resumed["~outcome"] as { afterMs?: number }).afterMs, 300_000);
  await world.runtime.advance(300_000);
  assert.match(((await settle(world)) as Error).message, /phase C took longer than 10m/);
  assert.deepEqual(world.effects.slice(-2), ["undo b", "undo a"]);
});

it("stays failed or done until its key changes", async () => {
  const world = new World();
  world.broken.add("make b");
  await settle(world);
  world.broken.clear();
  world.present.add("c");
  assert.ok(isTerminal(await settle(world)));
  world.key = "v2";
  assert.equal(await settle(world), undefined);
  assert.equal(world.status.machine?.key, "v2");
  const { writes } = world;
  assert.equal(await settle(world), undefined);
  assert.equal(world.writes, writes);
});

it("refuses a phase that it does not know", async () => {
  const world = new World();
  world.status = { machine: { phase: "Gone", since: "", attempts: 0, acts: false, undo: [] } };
  assert.match(String(await world.reconcile(machineOf(world))), /ERR_PHASE_UNKNOWN.*"Gone"/);
});

it("a phase that gives up says why, once what it did is undone", async () => {
  const world = new World();
  const machine = phaseMachine({
    initial: "A",
    phases: {
      A: begin("a", "C"),
      C: phase({
        observe: ({ world }: Context) => (world.present.has("a") ? "a rock" : "nothing"),
        decide: (seen, to) => to.fail(`there is ${seen}`),
      }),
    },
    clock: world.runtime.clock,
  });
  let result: unknown;
  for (let i = 0; i < 10 && !isTerminal(result); i++) result = await world.reconcile(machine);
  assert.equal((result as Error).message, "there is a rock");
  assert.deepEqual(world.effects, ["make a", "undo a"]);
  assert.equal("pausedSince" in world.status.machine!, false);
});

it("a phase named as a method of all objects is unknown", async () => {
  const world = new World();
  const state = { phase: "toString", since: "", attempts: 0, acts: false, undo: [] };
  world.status = { machine: state };
  assert.match(String(await world.reconcile(machineOf(world))), /ERR_PHASE_UNKNOWN.*"toString"/);
});
