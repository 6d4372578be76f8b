// A scenario: an operator, and what its user does, written once and run in many worlds.
import type { Deed } from "./faults/deed.ts";
import { planSweep } from "./faults/plan-sweep.ts";
import { judge, judgeAlone, judgeClean, type Reference, volatilePlaces } from "./oracles/judge.ts";
import type { Violation } from "./oracles/violation.ts";
import { reportFailures, type RunFailure } from "./report/report-failures.ts";
import type { Outcome } from "./run/outcome.ts";
import { perform, type Performance } from "./run/perform.ts";
import type { SimulationSetup } from "./run/simulation-setup.ts";
import type { Workload } from "./scenario-context.ts";

/** What a sweep has shown. */
export interface Certificate {
  readonly runs: number;
  /** `scale: 412 states, all converge`. */
  readonly text: string;
}

/** How much of a sweep is run. */
export interface SweepOptions {
  /** `first` ends the sweep with the first run that fails. Default: all are run. */
  readonly stop?: "first";
}

/** An operator and its user's steps. */
export interface Scenario {
  readonly name: string;
  /** One run in which nothing goes wrong. @throws ERR_SCENARIO_FAILED */
  run(options?: { readonly seed?: number }): Promise<Outcome>;
  /**
   * A clean run, and one for each fault at each of its moments. @throws ERR_SCENARIO_FAILED with
   * the smallest plan that fails
   */
  sweep(options?: SweepOptions): Promise<Certificate>;
}

/** Describes a scenario; nothing runs yet. */
export function scenario(name: string, setup: SimulationSetup, workload: Workload): Scenario {
  const performance: Performance = { setup, workload };
  const run = (seed: number, deed?: Deed): Promise<Outcome> =>
    perform(performance, { seed, order: "oldest", deed });
  return {
    name,
    async run({ seed = 1 } = {}) {
      const outcome = await run(seed);
      refuse(name, outcome, judgeAlone(outcome));
      return outcome;
    },
    async sweep({ stop } = {}) {
      const reference = await findReference(name, run);
      const deeds = planSweep(reference.clean.moments);
      const failures: RunFailure[] = [];
      for (const deed of deeds) {
        const outcome = await run(1, deed);
        const violations = judge(outcome, reference);
        if (violations.length > 0) failures.push({ outcome, violations });
        if (stop === "first" && failures.length > 0) break;
      }
      if (failures.length > 0) throw reportFailures(name, reference.clean, failures, deeds.length);
      const runs = deeds.length + 2;
      return { runs, text: `${name}: ${deeds.length} states, all converge` };
    },
  };
}

/** Two clean runs with other random numbers: where they differ, runs cannot be compared. */
async function findReference(
  name: string,
  run: (seed: number) => Promise<Outcome>,
): Promise<Reference> {
  const clean = await run(1);
  refuse(name, clean, judgeClean(clean));
  const other = await run(2);
  refuse(name, other, judgeAlone(other));
  return { clean, volatile: volatilePlaces(clean, other) };
}

function refuse(name: string, outcome: Outcome, violations: readonly Violation[]): void {
  if (violations.length > 0) throw reportFailures(name, outcome, [{ outcome, violations }], 1);
}
