// Waits for an operator to come to rest: it has nothing to do, nothing fails, and for a while it
// changes nothing.
import { HomeostatError, type ObjectState } from "homeostat";
import { isReport } from "./ledger.ts";
import type { Simulation } from "./simulation.ts";

/** How long convergence may take, and how long the quiet after it is, in virtual ms. */
export interface ConvergeOptions {
  readonly withinMs: number;
  readonly quietMs: number;
}

/** Between the steps of a workload. */
export const atRest: ConvergeOptions = { withinMs: 600_000, quietMs: 1_000 };

/** In the end: what an operator writes every half a minute is noticed. */
export const forGood: ConvergeOptions = { withinMs: 600_000, quietMs: 30_000 };

/** @throws ERR_SCENARIO_NOT_CONVERGED */
export async function converge(
  simulation: Simulation,
  { withinMs, quietMs }: ConvergeOptions,
): Promise<void> {
  const { world } = simulation;
  const end = world.time.elapsed + withinMs;
  const late = (): Error => notConverged(simulation, withinMs);
  for (;;) {
    const settled = (): boolean => simulation.isSettled();
    await world.until(settled, end - world.time.elapsed, late);
    const before = changesOf(simulation);
    await world.sleep(quietMs);
    if (simulation.isSettled() && changesOf(simulation) === before) return;
    if (world.time.elapsed >= end) throw late();
  }
}

/** What the operator has changed, reports left out. */
const changesOf = ({ ledger }: Simulation): number =>
  ledger.writes.filter(({ hasChanged, info }) => hasChanged && !isReport(info)).length;

function notConverged(simulation: Simulation, withinMs: number): HomeostatError {
  const states = simulation.unsettled().map(describeState);
  const lines = states.length > 0 ? states : ["  it never comes to rest: it goes on writing"];
  const causes = simulation.unsettled().flatMap(errorOf);
  return new HomeostatError(
    "ERR_SCENARIO_NOT_CONVERGED",
    `converging: the operator is not at rest after ${withinMs / 1000} s of virtual time:\n${lines.join("\n")}`,
    {
      hint: "mend what the reconciles fail with; a reconcile that writes another value each time never rests",
      cause: causes.length > 1 ? new AggregateError(causes, "several reconciles fail") : causes[0],
    },
  );
}

function describeState({ kind, key, controller, progress, loop }: ObjectState): string {
  const head = `  ${kind} ${key} (${controller})`;
  if (loop) return `${head} keeps triggering itself, writing ${loop.join(", ") || "nothing"}`;
  if (progress.at !== "retrying") return `${head} is ${progress.at}`;
  return `${head} has failed ${progress.failures} times: ${progress.because}`;
}

const errorOf = ({ progress }: ObjectState): readonly unknown[] =>
  progress.at === "retrying" && progress.error !== undefined ? [progress.error] : [];
