// The command that repeats a run.
import { relative } from "node:path";
import process from "node:process";
import type { Plan } from "../run/plan.ts";

/** The environment variable by which a user asks for one plan. */
export const planVariable = "HOMEOSTAT_PLAN";

/** What the command needs to know of the process. */
export type Invocation = Pick<NodeJS.Process, "argv" | "execArgv" | "cwd">;

/** Runs the plan alone. */
export function commandOf(scenario: string, plan: Plan, of: Invocation = process): string {
  const [, file = "FILE"] = of.argv;
  const node = ["node", ...loadingFlags(of.execArgv), relative(of.cwd(), file)].join(" ");
  const requested = JSON.stringify({ scenario, plan }).replaceAll("'", String.raw`'\''`);
  return `${planVariable}='${requested}' ${node}`;
}

/** They decide which modules a program loads. */
const loading: ReadonlyMap<string, string> = new Map([
  ["-C", "--conditions"],
  ["-r", "--require"],
  ...["--conditions", "--require", "--import", "--env-file"].map((name) => [name, name] as const),
]);

/** Each once, as `--name=value`. `node --test` also passes all others, with their defaults. */
function loadingFlags(execArgv: readonly string[]): ReadonlySet<string> {
  const flags = execArgv.flatMap((arg, i) => {
    const [, given = arg, value = execArgv[i + 1]] = /^(-[^=]*)=(.*)$/.exec(arg) ?? [];
    const name = loading.get(given);
    return name === undefined ? [] : [`${name}=${value}`];
  });
  return new Set(flags);
}
