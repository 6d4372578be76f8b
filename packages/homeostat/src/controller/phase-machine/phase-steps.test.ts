// What one step of a machine leaves in status, asks of the queue, and says.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Outcome, TerminalError } from "../outcome.ts";
import { type Decide, type Decision, finalPhase, phase, type PhaseState } from "./phase.ts";
import { phaseMachine, type PhaseMachineOptions } from "./phase-machine.ts";
import { type Context, Crash, World } from "./phase-world.suite.ts";

interface OnePhase {
  readonly decide: (to: Decide) => Decision<"A" | "Done", string>;
  readonly act?: (world: World, attempt: number) => Promise<void> | void;
  readonly undo?: (world: World) => void;
  readonly retries?: number;
  readonly deadline?: string;
}

/** A machine of one phase. */
function machineOf(
  world: World,
  { decide, act, undo, ...limits }: OnePhase,
  options: Partial<PhaseMachineOptions<Context, "A" | "Done">> = {},
) {
  return phaseMachine<Context, "A" | "Done">({
    initial: "A",
    phases: {
      A: phase<Context, "A" | "Done", boolean, string>({
        observe: async () => Promise.resolve(true),
        decide: (isSeen: boolean, to) =>
          isSeen === true ? decide(to) : to.fail("nothing was observed"),
        ...(act ? { act: ({ world: of }: Context, _, { attempt }) => act(of, attempt) } : {}),
        ...(undo ? { undo: ({ world: of }: Context) => undo(of) } : {}),
        ...limits,
      }),
      Done: finalPhase,
    },
    clock: world.runtime.clock,
    paused: () => world.paused,
    ...options,
  });
}

const stateOf = (result: unknown) => (result as Outcome)["~outcome"];
const cutInAct: PhaseState = {
  phase: "A",
  since: "2026-01-01T00:00:00.000Z",
  attempts: 1,
  acts: true,
  undo: [],
};

for (const [what, decide] of [
  ["waits", (to: Decide) => to.wait("rain")],
  ["enters a phase", (to: Decide) => to.go("A")],
  ["fails", (to: Decide) => to.fail("of drought")],
] as const)
  it(`a machine that ${what} after a crash in act does not act any more`, async () => {
    const world = new World();
    world.status = { machine: cutInAct };
    await world.reconcile(machineOf(world, { decide }));
    assert.equal(world.status.machine?.acts, false);
  });

it("a machine that rests after a failure does not act any more", async () => {
  const world = new World();
  const machine = machineOf(world, {
    decide: (to) => to.act("dig"),
    act() {
      throw new Error("no spade");
    },
  });
  assert.match(String(await world.reconcile(machine)), /no spade/);
  const { acts, attempts } = world.status.machine!;
  assert.deepEqual([acts, attempts], [false, 1]);
  world.status = { machine: { ...world.status.machine!, acts: true } };
  assert.equal(stateOf(await world.reconcile(machine)).at, "retrying");
  assert.equal(world.status.machine?.acts, false);
});

it("a wait without a deadline has no time, one with a deadline ends there", async () => {
  const world = new World();
  const decide = (to: Decide) => to.wait("rain");
  assert.deepEqual(stateOf(await world.reconcile(machineOf(world, { decide }))), {
    at: "waiting",
    what: "rain",
  });
  const limited = machineOf(world, { decide, deadline: "1m" });
  assert.deepEqual(stateOf(await world.reconcile(limited)), {
    at: "retrying",
    afterMs: 60_000,
    because: "waiting for rain until the deadline",
  });
});

it("a phase is repeated five times unless it says otherwise", async () => {
  const attemptsOf = async (limits: { readonly retries?: number }): Promise<number> => {
    const world = new World();
    let made = 0;
    const act = (_: World, attempt: number): void => {
      made = attempt;
      throw new Error("broken");
    };
    const machine = machineOf(world, { decide: (to) => to.act("dig"), act, ...limits });
    for (let i = 0; i < 20; i++) {
      await world.reconcile(machine);
      await world.runtime.advance(60_000);
    }
    return made;
  };
  assert.equal(await attemptsOf({}), 6);
  assert.equal(await attemptsOf({ retries: 0 }), 1);
  assert.equal(await attemptsOf({ retries: 7 }), 8);
});

it("the last failure is followed at once, the others after the phase's delay or its deadline", async () => {
  const world = new World();
  const act = (): void => {
    throw new Error("broken");
  };
  const decide = (to: Decide) => to.act("dig");
  const machine = machineOf(world, { decide, act, retries: 1 });
  await world.reconcile(machine);
  assert.equal(world.leastRetryMs, 1000);
  await world.runtime.advance(1000);
  await world.reconcile(machine);
  assert.equal(world.leastRetryMs, undefined);
  await world.reconcile(machine);
  assert.equal(world.status.machine?.failure, "phase A failed 2 times: broken");

  const short = new World();
  const hasty = machineOf(short, { decide, act, deadline: "400ms" });
  await short.reconcile(hasty);
  assert.equal(short.leastRetryMs, 400);
  const rest = stateOf(await short.reconcile(hasty));
  assert.equal(rest.at === "retrying" && rest.afterMs, 400);
});

it("one failure is called once", async () => {
  const world = new World();
  const act = (): void => {
    throw new Error("broken");
  };
  const machine = machineOf(world, { decide: (to) => to.act("dig"), act, retries: 0 });
  await world.reconcile(machine);
  await world.reconcile(machine);
  assert.equal(world.status.machine?.failure, "phase A failed once: broken");
});

it("a terminal failure stays while its delay lasts", async () => {
  const world = new World();
  const act = (): void => {
    throw new TerminalError("granite");
  };
  const machine = machineOf(world, { decide: (to) => to.act("dig"), act });
  for (let i = 0; i < 2; i++) {
    const result = await world.reconcile(machine);
    assert.ok(result instanceof TerminalError, String(result));
    assert.equal(result.message, "granite");
  }
});

it("says whether the last attempt has ended", async () => {
  const world = new World();
  const decide = (to: Decide) => to.act("dig");
  const cut = machineOf(world, {
    decide,
    act() {
      throw new Crash();
    },
  });
  await assert.rejects(world.reconcile(cut), Crash);
  world.calls.set("u/machine", {
    phase: "A",
    action: '"dig"',
    at: world.runtime.clock.now(),
    hasSucceeded: false,
    times: 1,
  });
  const because = async (machine: ReturnType<typeof machineOf>) => {
    const state = stateOf(await world.reconcile(machine));
    return state.at === "retrying" && state.because;
  };
  assert.equal(await because(cut), "the last attempt of phase A did not end");
  await world.runtime.advance(1000);
  const works = machineOf(world, { decide, act: () => {} });
  assert.equal(await because(works), "phase A has acted");
  assert.equal(await because(works), "phase A has acted, and waits for the effect");
});

it("an action that ends after its run says and changes nothing", async () => {
  const world = new World();
  const { promise, reject } = Promise.withResolvers<void>();
  const machine = machineOf(world, { decide: (to) => to.act("dig"), act: () => promise });
  const running = world.reconcile(machine);
  await world.runtime.advance(0);
  assert.equal(world.status.machine?.acts, true);
  world.scope.end();
  reject(new Error("late"));
  assert.match(String(await running), /late/);
  assert.equal(world.status.machine.acts, true, "the attempt counts as cut");
  const last = world.calls.get("u/machine", "A");
  assert.deepEqual([last?.hasSucceeded, last?.error], [false, undefined]);
  assert.equal(world.leastRetryMs, undefined);
});

it("a phase that is entered again acts at once", async () => {
  const world = new World();
  const acted: number[] = [];
  let isOver = false;
  const machine = machineOf(world, {
    decide: (to) => (isOver ? to.go("A") : to.act("dig")),
    act() {
      acted.push(world.runtime.clock.now());
      isOver = true;
    },
  });
  await world.reconcile(machine);
  await world.reconcile(machine);
  isOver = false;
  await world.reconcile(machine);
  assert.equal(acted.length, 2);
  assert.equal(acted[0], acted[1]);
});

it("keeps its state in the field that it is told", async () => {
  const world = new World();
  await world.reconcile(
    machineOf(world, { decide: (to) => to.wait("rain") }, { field: "irrigation" }),
  );
  assert.deepEqual(Object.keys(world.status), ["irrigation"]);
});

it("begins on an object without status", async () => {
  const world = new World();
  let set: object | undefined;
  const context = { ...world.context((fields) => void (set = fields)), object: {} };
  await machineOf(world, { decide: (to) => to.wait("rain") })(context as unknown as Context);
  assert.equal((set as { machine: PhaseState }).machine.phase, "A");
});

it("a pause is counted once, from its beginning", async () => {
  const world = new World();
  const machine = machineOf(world, { decide: (to) => to.wait("rain"), deadline: "10m" });
  await world.reconcile(machine);
  const { since } = world.status.machine!;
  world.paused = true;
  for (let i = 0; i < 3; i++) {
    await world.reconcile(machine);
    await world.runtime.advance(60_000);
  }
  world.paused = false;
  for (let i = 0; i < 2; i++) {
    await world.reconcile(machine);
    const now = world.status.machine!;
    assert.equal(now.pausedSince, undefined);
    assert.equal(Date.parse(now.since) - Date.parse(since), 180_000);
    await world.runtime.advance(1000);
  }
});

it("a pause of a procedure that is done ends", async () => {
  const world = new World();
  const machine = machineOf(world, { decide: (to) => to.go("Done") });
  await world.reconcile(machine);
  world.paused = true;
  await world.reconcile(machine);
  assert.ok(world.status.machine?.pausedSince);
  world.paused = false;
  assert.equal(await world.reconcile(machine), undefined);
  assert.equal(world.status.machine?.pausedSince, undefined);
});
