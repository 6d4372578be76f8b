// What a reader needs of runs that have failed: the smallest plan in words, what is wrong, and what
// happened.
import { HomeostatError } from "homeostat";
import { type Deed, describeDeed } from "../faults/deed.ts";
import type { Violation } from "../oracles/violation.ts";
import type { Outcome } from "../run/outcome.ts";
import { timeline } from "./timeline.ts";

/** A run, and what is wrong with it. */
export interface RunFailure {
  readonly outcome: Outcome;
  readonly violations: readonly Violation[];
}

const shownViolations = 8;
const shownPlans = 12;

export function reportFailures(
  name: string,
  clean: Outcome,
  failures: readonly RunFailure[],
  runs: number,
): HomeostatError {
  const [first, ...others] = failures;
  const { outcome, violations } = first!;
  const lines = [
    `${name}: ${failures.length} of ${runs} runs fail`,
    `  when I ${planOf(outcome.deed, clean)}:`,
    ...some(
      violations.map(({ oracle, what }) => `    ${oracle}: ${what}`),
      shownViolations,
      "    ",
    ),
    "  what happened:",
    ...timeline(outcome).map((line) => `    ${line}`),
    ...(others.length > 0 ? ["  it also fails when I"] : []),
    ...some(
      others.map(
        ({ outcome: { deed }, violations: [why] }) => `    ${planOf(deed, clean)}: ${why?.oracle}`,
      ),
      shownPlans,
      "    ",
    ),
  ];
  return new HomeostatError("ERR_SCENARIO_FAILED", lines.join("\n"), {
    hint: "a reconcile must reach its end from every state that the server can be in, with an empty memory and with an old view",
    cause: outcome.error,
  });
}

function planOf(deed: Deed | undefined, clean: Outcome): string {
  if (deed === undefined) return "do nothing to the operator";
  const moment = clean.moments.find(({ at, number }) => at === deed.at && number === deed.number);
  return describeDeed(deed, `${deed.at} ${deed.number} (${moment?.what ?? "unknown"})`);
}

function some(lines: readonly string[], most: number, indent: string): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `${indent}… and ${lines.length - most} more`];
}
