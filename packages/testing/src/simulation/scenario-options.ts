// What a scenario and its sweeps are given.
import type { Oracle } from "./oracles/violation.ts";
import type { Externals, SimulationSetup } from "./run/simulation-setup.ts";

/** How to sweep. */
export interface SweepOptions {
  /** `first` ends with the first run that fails. Default: all runs are made. */
  readonly stop?: "first";
}

/** What a scenario is made of. */
export interface ScenarioSetup<E extends Externals = Externals> extends SimulationSetup<E> {
  /** A folder for plans that have failed; they are run first from then on. Default: none. */
  readonly regressions?: string | URL;
  /** Oracles that do not judge this scenario: `["follows-its-spec"]`. Default: none. */
  readonly without?: readonly Oracle[];
}
