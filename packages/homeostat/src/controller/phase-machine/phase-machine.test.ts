// The machine against a world that crashes after each write in turn.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { createWait, isTerminal, type Outcome, retry } from "../outcome.ts";
import { finalPhase, phase, type PhaseState } from "./phase.ts";
import { phaseMachine } from "./phase-machine.ts";

class Crash extends Error {}

/** The object's status, the effects of phases, and a crash after a given number of writes. */
class World {
  readonly runtime = createVirtualRuntime();
  readonly effects: string[] = [];
  readonly present = new Set<string>();
  readonly broken = new Set<string>();
  status: { readonly machine?: PhaseState } = {};
  paused = false;
  key = "v1";
  writes = 0;
  crashAfter = Number.POSITIVE_INFINITY;

  effect(name: string, change: () => void): void {
    if (this.broken.has(name)) throw new Error(`${name} is broken`);
    this.effects.push(name);
    change();
    this.#written();
  }

  /** One reconcile, with the status written at its end as the runtime does. */
  async reconcile(machine: (context: Context) => Promise<Outcome | undefined>) {
    const set: { machine?: PhaseState } = {};
    const context = this.context((fields) => Object.assign(set, structuredClone(fields)));
    let result: Outcome | undefined | Error;
    try {
      result = await machine(context);
    } catch (error) {
      if (error instanceof Crash) throw error;
      result = error as Error;
    }
    if (JSON.stringify(set) !== "{}" && JSON.stringify(set) !== JSON.stringify(this.status)) {
      this.status = { ...this.status, ...set };
      this.#written();
    }
    return result;
  }

  context(status: (fields: object) => void) {
    return {
      object: { status: this.status },
      world: this,
      status,
      wait: createWait(String),
      retry,
    };
  }

  #written(): void {
    if (++this.writes === this.crashAfter) throw new Crash();
  }
}

type Context = ReturnType<World["context"]>;

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
      continue;
    }
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
  const machine = machineOf(world);
  while (world.effects.length === 0) {
    const before = world.status.machine;
    await world.reconcile(machine);
    if (world.effects.length > 0) assert.deepEqual([before?.undo, before?.attempts], [["A"], 1]);
  }
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
