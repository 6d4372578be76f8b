// The plan that a user asks to repeat.
import process from "node:process";
import { HomeostatError } from "homeostat";
import { planVariable } from "../report/command-of.ts";
import type { Plan } from "../run/plan.ts";

interface Requested {
  readonly scenario: string;
  readonly plan: Plan;
}

/** The plan that the environment asks for, of this scenario. @throws ERR_SCENARIO_PLAN */
export function requestedPlan(scenario: string): Plan | undefined {
  const text = process.env[planVariable];
  if (text === undefined || text === "") return undefined;
  const requested = parse(text);
  return requested.scenario === scenario ? requested.plan : undefined;
}

function parse(text: string): Requested {
  try {
    return JSON.parse(text) as Requested;
  } catch (cause) {
    throw new HomeostatError(
      "ERR_SCENARIO_PLAN",
      `reading ${planVariable}: expected the JSON that a failure prints, got ${text}`,
      { hint: "copy the whole command of the failure, quotes included", cause },
    );
  }
}
