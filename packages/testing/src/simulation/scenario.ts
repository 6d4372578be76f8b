// A scenario: an operator, and what its user does, written once and run in many worlds.
import { HomeostatError } from "homeostat";
import { checkExplore, checkRun, checkScenario, checkSweep } from "./check-scenario.ts";
import { type ExploreOptions, planAtRandom } from "./modes/explore-plans.ts";
import type { Deed } from "./faults/deed.ts";
import { planSweep } from "./faults/plan-sweep.ts";
import { Regressions } from "./modes/regressions.ts";
import { requestedPlan } from "./modes/requested-plan.ts";
import { shrink } from "./modes/shrink.ts";
import { Trial, type Verdict } from "./modes/trial.ts";
import { reportFailures } from "./report/report-failures.ts";
import type { Outcome } from "./run/outcome.ts";
import { cleanPlan, type Plan } from "./run/plan.ts";
import type { Externals } from "./run/simulation-setup.ts";
import type { Workload } from "./scenario-context.ts";
import type { ScenarioSetup, SweepOptions } from "./scenario-options.ts";

/** What many runs have shown. */
export interface Certificate {
  /** How many there were, those included by which the others are judged. */
  readonly runs: number;
  /** `scale: 412 states, all converge`. */
  readonly text: string;
  /**
   * Places of the end state that are not compared, as clean runs differ there by their random
   * numbers or their order: `ConfigMap shop/a data.port`.
   */
  readonly notCompared: readonly string[];
}

/** An operator and its user's steps. */
export interface Scenario {
  readonly name: string;
  /** One run in which nothing goes wrong. @throws ERR_SCENARIO_FAILED */
  run(options?: { readonly seed?: number }): Promise<Outcome>;
  /**
   * A clean run, and one for each fault at each of its moments. @throws ERR_SCENARIO_FAILED with
   * the smallest plan that fails, ERR_SCENARIO_EMPTY if there is nothing to disturb
   */
  sweep(options?: SweepOptions): Promise<Certificate>;
  /**
   * Runs in which things happen in any order, and up to three faults at any moments. @throws
   * ERR_SCENARIO_FAILED with the first plan that fails, made as small as it can be
   */
  explore(options?: ExploreOptions): Promise<Certificate>;
}

/** Describes a scenario; nothing runs yet. @throws ERR_TEST_OPTION */
export function scenario<E extends Externals = Externals>(
  name: string,
  given: ScenarioSetup<E>,
  steps: Workload<E>,
): Scenario {
  checkScenario(name, given, steps);
  // A setup's externals are what its controllers and its workload are given.
  const [setup, workload] = [given, steps] as unknown as [ScenarioSetup, Workload];
  const open = (): Session => new Session(name, setup, workload);
  return {
    name,
    async run(options = {}) {
      checkRun(options);
      const { seed = 1 } = options;
      const trial = new Trial(name, { setup, workload }, setup.without);
      const outcome = await trial.run(requestedPlan(name) ?? cleanPlan(seed));
      trial.refuse(outcome);
      return outcome;
    },
    async sweep(options = {}) {
      checkSweep(options);
      return open().sweep(options);
    },
    async explore(options = {}) {
      checkExplore(options);
      return open().explore(options);
    },
  };
}

/** One sweep or exploration. */
class Session {
  readonly #trial: Trial;
  readonly #regressions: Regressions;

  constructor(name: string, setup: ScenarioSetup, workload: Workload) {
    this.#trial = new Trial(name, { setup, workload }, setup.without);
    this.#regressions = new Regressions(setup.regressions, name);
  }

  async sweep({ stop }: SweepOptions): Promise<Certificate> {
    const kept = await this.#runKept();
    if (kept) return kept;
    const { clean } = await this.#trial.reference();
    const plans = this.#deeds(clean).map((deed) => ({ ...cleanPlan(1), deeds: [deed] }));
    const failures: Verdict[] = [];
    for (const plan of plans) {
      const verdict = await this.#trial.judge(plan);
      if (verdict.violations.length === 0) continue;
      failures.push(verdict);
      if (stop === "first") break;
    }
    await this.#refuse(failures);
    return this.#certificate(plans.length);
  }

  async explore({ runs = 100, seed = 1, deeds = 3 }: ExploreOptions): Promise<Certificate> {
    const kept = await this.#runKept();
    if (kept) return kept;
    const { clean } = await this.#trial.reference();
    this.#deeds(clean);
    for (let i = 0; i < runs; i++) {
      const verdict = await this.#trial.judge(planAtRandom(seed + i, clean, deeds));
      if (verdict.violations.length > 0) await this.#refuse([await shrink(this.#trial, verdict)]);
    }
    return this.#certificate(runs);
  }

  /** At least one: without any, a sweep would find nothing wrong with whatever operator. */
  #deeds(clean: Outcome): readonly Deed[] {
    const deeds = planSweep(clean.moments, clean);
    if (deeds.length > 0) return deeds;
    const { name } = this.#trial;
    throw new HomeostatError(
      "ERR_SCENARIO_EMPTY",
      `disturb the operator of scenario "${name}": it has written and heard nothing in a clean run`,
      { hint: "create objects that it reconciles, and await converge()" },
    );
  }

  /** Plans that have failed before; a plan that the user asks for alone is all there is. */
  async #runKept(): Promise<Certificate | undefined> {
    const requested = requestedPlan(this.#trial.name);
    const plans: readonly Plan[] = requested ? [requested] : this.#regressions.plans();
    for (const plan of plans) {
      const verdict = await this.#trial.judge(plan);
      if (verdict.violations.length > 0) await this.#refuse([verdict]);
    }
    return requested && this.#certificate(1);
  }

  async #refuse(failures: readonly Verdict[]): Promise<void> {
    const [smallest] = failures;
    if (smallest === undefined) return;
    this.#regressions.keep(smallest.outcome.plan);
    const { clean } = await this.#trial.reference();
    const { name, runs } = this.#trial;
    throw reportFailures({ name, clean, failures, runs });
  }

  async #certificate(states: number): Promise<Certificate> {
    const { name, runs } = this.#trial;
    const what = states === 1 ? "1 state converges" : `${states} states, all converge`;
    const { volatile } = await this.#trial.reference();
    const places = Array.from(volatile, (place) => place.replace(/^\d+ /, ""));
    const notCompared = [...new Set(places)].toSorted();
    return { runs, text: `${name}: ${what}`, notCompared };
  }
}
