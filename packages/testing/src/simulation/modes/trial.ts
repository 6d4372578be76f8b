// A scenario on trial: runs of it, and what is wrong with them, compared with runs in which nothing
// went wrong.
import type { JsonObject } from "homeostat/api";
import { judge, judgeAlone, judgeClean, type Reference, referenceOf } from "../oracles/judge.ts";
import { unfollowed } from "../oracles/follows-spec.ts";
import type { Oracle, Violation } from "../oracles/violation.ts";
import { reportFailures } from "../report/report-failures.ts";
import type { Outcome } from "../run/outcome.ts";
import { perform, type Performance } from "../run/perform.ts";
import { cleanPlan, type Plan } from "../run/plan.ts";
import type { Workload } from "../scenario-context.ts";

/** A run, and what is wrong with it; nothing, if all is well. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly violations: readonly Violation[];
}

/** Runs of one scenario. */
export class Trial {
  readonly name: string;
  readonly #performance: Performance;
  readonly #without: ReadonlySet<Oracle>;
  #reference: Promise<Reference> | undefined;
  readonly #anew = new Map<string, Outcome>();
  /** How many runs there have been. */
  runs = 0;

  /** `without` names oracles that do not judge. */
  constructor(name: string, performance: Performance, without: readonly Oracle[] = []) {
    this.name = name;
    this.#without = new Set(without);
    this.#performance = performance;
  }

  run(plan: Plan): Promise<Outcome> {
    this.runs++;
    return perform(this.#performance, plan);
  }

  /** The clean runs, once. @throws ERR_SCENARIO_FAILED when something is wrong even there */
  reference(): Promise<Reference> {
    return (this.#reference ??= this.#findReference());
  }

  async judge(plan: Plan): Promise<Verdict> {
    const reference = await this.reference();
    const outcome = await this.run(plan);
    return { outcome, violations: this.#counted(judge(outcome, reference)) };
  }

  /** @throws ERR_SCENARIO_FAILED if something is wrong with a run by itself */
  refuse(outcome: Outcome, found = judgeAlone(outcome)): void {
    const violations = this.#counted(found);
    if (violations.length === 0) return;
    throw reportFailures({
      name: this.name,
      clean: outcome,
      failures: [{ outcome, violations }],
      runs: 1,
    });
  }

  #counted(violations: readonly Violation[]): readonly Violation[] {
    return violations.filter(({ oracle }) => !this.#without.has(oracle));
  }

  /** Where runs differ by other random numbers, or another order, they cannot be compared. */
  async #findReference(): Promise<Reference> {
    const clean = await this.run(cleanPlan(1));
    this.refuse(clean, judgeClean(clean));
    const reseeded = await this.#clean(cleanPlan(2));
    const reordered = await this.#clean({ ...cleanPlan(3), order: "random" });
    this.refuse(clean, await unfollowed(clean, (wanted) => this.#createAnew(wanted)));
    return referenceOf(clean, reseeded, reordered);
  }

  /** What comes of objects that are created at once on an empty server. */
  async #createAnew(wanted: readonly JsonObject[]): Promise<Outcome | undefined> {
    const key = JSON.stringify(wanted);
    const known = this.#anew.get(key);
    if (known) return known;
    this.runs++;
    const outcome = await perform(
      { ...this.#performance, workload: createAll(wanted) },
      cleanPlan(1),
    );
    if (outcome.error) return undefined;
    this.#anew.set(key, outcome);
    return outcome;
  }

  async #clean(plan: Plan): Promise<Outcome> {
    const outcome = await this.run(plan);
    this.refuse(outcome);
    return outcome;
  }
}

const createAll =
  (wanted: readonly JsonObject[]): Workload =>
  async ({ client }) => {
    for (const manifest of wanted) {
      const { apiVersion, kind } = manifest;
      const found = await client.kinds.byKind(String(apiVersion), String(kind));
      await client.create(found, manifest as never);
    }
  };
