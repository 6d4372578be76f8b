// Refuses scenarios, and options of their runs, that do not say what they mean: a run without its
// operator, or of an option that is misspelt, would show nothing and pass. Pure.
import { HomeostatError } from "homeostat";
import {
  aFunction,
  type Checks,
  faultsOf,
  ofServer,
  resourceList,
  text,
  wholeNumber,
} from "../options/option-checks.ts";
import type { ExploreOptions } from "./modes/explore-plans.ts";
import type { ScenarioSetup, SweepOptions } from "./scenario-options.ts";

/** @throws ERR_TEST_OPTION with every fault */
export function checkScenario(name: unknown, setup: unknown, workload: unknown): void {
  refuse(`describe ${typeof name === "string" ? `scenario "${name}"` : "a scenario"}`, [
    ...faultsOf({ name, workload }, callChecks, ["name", "workload"]),
    ...faultsOf(setup, setupChecks, ["operator", "controllers"]),
  ]);
}

/** @throws ERR_TEST_OPTION with every fault */
export const checkRun = (options: unknown): void =>
  refuse("run a scenario", faultsOf(options, runChecks));

/** @throws ERR_TEST_OPTION with every fault */
export const checkSweep = (options: unknown): void =>
  refuse("sweep a scenario", faultsOf(options, sweepChecks));

/** @throws ERR_TEST_OPTION with every fault */
export const checkExplore = (options: unknown): void =>
  refuse("explore a scenario", faultsOf(options, exploreChecks));

function refuse(attempt: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  throw new HomeostatError("ERR_TEST_OPTION", `${attempt}: ${faults.join("; ")}`, {
    hint: "correct what the message names",
  });
}

const callChecks: Checks<{ name: string; workload: unknown }> = {
  name: text,
  workload: aFunction("of the steps of the user"),
};

const setupChecks: Checks<ScenarioSetup> = {
  operator: text,
  controllers: aFunction("that makes the controllers of a process"),
  resources: resourceList,
  controlPlane: ofServer,
  fakeNodes: ofServer,
  stages: ofServer,
  externals: aFunction("that makes the externals of a run"),
  invariants: ofServer,
  without: {
    expected: "a list of names of oracles",
    is: (value) => Array.isArray(value) && value.every(text.is),
  },
  regressions: {
    expected: "a folder, by path or URL",
    is: (value) => text.is(value) || value instanceof URL,
  },
};

const runChecks: Checks<{ seed: number }> = { seed: wholeNumber };

const sweepChecks: Checks<SweepOptions> = {
  stop: { expected: '"first"', is: (value) => value === "first" },
};

const exploreChecks: Checks<ExploreOptions> = {
  runs: wholeNumber,
  seed: wholeNumber,
  deeds: wholeNumber,
};
