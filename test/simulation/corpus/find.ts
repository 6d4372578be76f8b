// What a sweep says about a planted bug or its sound twin.
import type { Oracle } from "@homeostat/testing";
import { type PlantedBug, scenarioOf } from "./planted-bug.ts";

/** What was found. */
export interface Finding {
  readonly isFound: boolean;
  /** Of the first thing that is wrong with the first run that fails. */
  readonly oracle: Oracle | undefined;
  /** `kill the operator after write 1 (…)`. */
  readonly plan: string;
  readonly message: string;
  readonly runs: number;
  readonly seconds: number;
}

/** Sweeps until the first run that fails. */
export async function find(bug: PlantedBug, which: "planted" | "sound"): Promise<Finding> {
  const begin = performance.now();
  const rest = { oracle: undefined, plan: "", message: "" };
  const done = await scenarioOf(bug, which)
    .sweep({ stop: "first" })
    .then(
      ({ runs }) => ({ isFound: false, ...rest, runs }),
      (error: unknown) => ({ isFound: true, ...readFailure(error) }),
    );
  return { ...done, seconds: (performance.now() - begin) / 1000 };
}

/** @throws what is no failure of a scenario */
function readFailure(error: unknown): Pick<Finding, "oracle" | "plan" | "message" | "runs"> {
  const { message } = error as Error;
  const parts =
    /^ERR_SCENARIO_FAILED: .*: \d+ of (\d+) runs fail\n {2}when I (.*):\n {4}([a-z-]+): /.exec(
      message,
    );
  if (!parts) throw error;
  const [, runs, plan, oracle] = parts;
  return { oracle: oracle as Oracle, plan: plan!, message, runs: Number(runs) };
}
