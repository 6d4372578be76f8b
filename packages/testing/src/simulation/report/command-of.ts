// The command that repeats a run.
import { relative } from "node:path";
import process from "node:process";
import type { Plan } from "../run/plan.ts";

/** The environment variable by which a user asks for one plan. */
export const planVariable = "HOMEOSTAT_PLAN";

/** Runs the plan alone. */
export function commandOf(scenario: string, plan: Plan): string {
  const [, file = "FILE"] = process.argv;
  const node = ["node", ...process.execArgv.filter(isNeeded), relative(process.cwd(), file)].join(
    " ",
  );
  return `${planVariable}='${JSON.stringify({ scenario, plan })}' ${node}`;
}

/** How modules are found and loaded; a test runner adds many other flags. */
const isNeeded = (flag: string): boolean =>
  /^(?:--conditions|-C|--require|-r|--loader|--experimental-loader|--import)=(?!file:)/.test(flag);
