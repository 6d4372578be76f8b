// Performs one run from the empty server to the end state.
import { currentRevision, discoverKinds, type ListedKind } from "../oracles/discover-kinds.ts";
import { endStateOf } from "../oracles/end-state.ts";
import { InvariantChecks } from "../oracles/invariants.ts";
import { ObjectRecord } from "../oracles/record-objects.ts";
import type { ScenarioContext, Workload } from "../scenario-context.ts";
import type { ProcessRuntime } from "../time/process-runtime.ts";
import { atRest, converge, forGood } from "./converge.ts";
import type { Outcome, Rest } from "./outcome.ts";
import { cleanPlan, type Plan } from "./plan.ts";
import type { SimulationSetup } from "./simulation-setup.ts";
import { Simulation } from "./simulation.ts";
import { toMs } from "./to-ms.ts";

/** What all runs of a scenario share. */
export interface Performance {
  readonly setup: SimulationSetup;
  readonly workload: Workload;
  /** Of the server, once they are known: they are the same in each run. */
  kinds?: readonly ListedKind[];
}

export async function perform(performance: Performance, plan: Plan): Promise<Outcome> {
  performance.kinds ??= await kindsOf(performance.setup);
  const simulation = await Simulation.open(performance.setup, plan);
  return closing(simulation, () => live(performance, simulation, plan));
}

/** Whatever becomes of the work: what the world has replaced of Node is put back. */
async function closing<T>(simulation: Simulation, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await simulation.close();
  }
}

async function live(
  { setup, workload, kinds = [] }: Performance,
  simulation: Simulation,
  plan: Plan,
): Promise<Outcome> {
  const { world, ledger } = simulation;
  const observer = simulation.observer();
  const revision = await world.drive(currentRevision(observer));
  const checks = new InvariantChecks(setup.invariants ?? {});
  const record: ObjectRecord = new ObjectRecord(simulation.server.transport(), {
    kinds,
    resourceVersion: revision,
    changed: (what) => checks.check(record, what),
  });
  simulation.startOperator(revision);
  const rests: Rest[] = [];
  const rested = (): void => {
    const { objects, targets } = record;
    rests.push({ objects, targets, state: endStateOf(objects, simulation.externals) });
  };
  const error = await failureOf(() => world.drive(work(workload, simulation, rested)));
  record.close();
  const logs = simulation.processes.flatMap(({ name, logs }) =>
    logs.map((line) => `${name} ${line}`),
  );
  return {
    plan,
    moments: simulation.agenda.moments,
    usesDate: simulation.processes.some(({ runtime }) => runtime.hasUsedDate),
    writes: ledger.writes,
    trace: world.trace,
    rests,
    broken: checks.broken,
    hasGarbageCollector: collectsGarbage(setup),
    error,
    logs,
    took: world.time.elapsed,
  };
}

/** In a world of its own: a question more would give a run other random numbers. */
async function kindsOf(setup: SimulationSetup): Promise<readonly ListedKind[]> {
  const simulation = await Simulation.open(setup, cleanPlan(1));
  return closing(simulation, () => simulation.world.drive(discoverKinds(simulation.observer())));
}

/** The workload, and rest after it. */
async function work(workload: Workload, simulation: Simulation, rested: () => void): Promise<void> {
  const rest = async (options = atRest): Promise<void> => {
    await converge(simulation, options);
    rested();
  };
  await rest();
  const { world } = simulation;
  const runtime = world.createAmbientRuntime();
  await world.ambient.run(runtime, () => workload(contextOf(simulation, runtime, rest)));
  await rest(forGood);
}

function contextOf(
  simulation: Simulation,
  runtime: ProcessRuntime,
  rest: () => Promise<void>,
): ScenarioContext {
  const { world } = simulation;
  return {
    client: simulation.user(runtime),
    externals: simulation.externals,
    converge: rest,
    clock: {
      now: () => world.time.wall,
      advance: (duration) => world.sleep(toMs(duration)),
    },
  };
}

const collectsGarbage = ({ controlPlane = "default" }: SimulationSetup): boolean =>
  controlPlane === "default" ||
  controlPlane === "all" ||
  (controlPlane !== "none" && controlPlane.includes("garbage-collector-controller"));

async function failureOf(run: () => Promise<unknown>): Promise<Error | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
