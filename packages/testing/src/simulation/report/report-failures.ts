// What a reader needs of runs that have failed: the smallest plan in words, what is wrong, and what
// happened.
import { HomeostatError } from "homeostat";
import { type Deed, describeDeed } from "../faults/deed.ts";
import type { Violation } from "../oracles/violation.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Plan } from "../run/plan.ts";
import { commandOf } from "./command-of.ts";
import { timeline } from "./timeline.ts";

/** A run, and what is wrong with it. */
export interface RunFailure {
  readonly outcome: Outcome;
  readonly violations: readonly Violation[];
}

const shownViolations = 8;
const shownPlans = 12;

/** Runs that have failed, the first of which is shown. */
export interface Failures {
  readonly name: string;
  /** By which moments are named. */
  readonly clean: Outcome;
  readonly failures: readonly RunFailure[];
  /** How many there were in all. */
  readonly runs: number;
}

export function reportFailures({ name, clean, failures, runs }: Failures): HomeostatError {
  const [first, ...others] = failures;
  const { outcome, violations } = first!;
  const lines = [
    `${name}: ${failures.length} of ${runs} runs fail`,
    `  when I ${planOf(outcome.plan, clean)}:`,
    ...some(
      violations.map(({ oracle, what }) => `    ${oracle}: ${what}`),
      shownViolations,
      "    ",
    ),
    "  what happened:",
    ...timeline(outcome).map((line) => `    ${line}`),
    `  repeat it: ${commandOf(name, outcome.plan)}`,
    ...(others.length > 0 ? ["  it also fails when I"] : []),
    ...some(
      others.map(
        ({ outcome: { plan }, violations: [why] }) => `    ${planOf(plan, clean)}: ${why?.oracle}`,
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

function planOf({ seed, order, deeds }: Plan, clean: Outcome): string {
  const what = deeds.map((deed) => describe(deed, clean)).join(", and ") || "do nothing to it";
  return order === "oldest" ? what : `let things happen in the order of seed ${seed}, and ${what}`;
}

function describe(deed: Deed, clean: Outcome): string {
  const moment = clean.moments.find(({ at, number }) => at === deed.at && number === deed.number);
  return describeDeed(deed, `${deed.at} ${deed.number} (${moment?.what ?? "later"})`);
}

function some(lines: readonly string[], most: number, indent: string): readonly string[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), `${indent}… and ${lines.length - most} more`];
}
