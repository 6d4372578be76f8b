// The smallest plan that still fails: without each deed, and in the usual order, if that is enough.
import type { Plan } from "../run/plan.ts";
import type { Trial, Verdict } from "./trial.ts";

/** Returns `failing`, or a smaller plan's verdict that fails as well. */
export async function shrink(trial: Trial, failing: Verdict): Promise<Verdict> {
  for (const plan of smallerPlans(failing.outcome.plan)) {
    const verdict = await trial.judge(plan);
    if (verdict.violations.length > 0) return shrink(trial, verdict);
  }
  return failing;
}

/** The smallest steps first, of which each leads to a plan that is smaller. */
function smallerPlans(plan: Plan): readonly Plan[] {
  const without = plan.deeds.map((deed) => ({
    ...plan,
    deeds: plan.deeds.filter((other) => other !== deed),
  }));
  return plan.order === "random" ? [{ ...plan, order: "oldest" }, ...without] : without;
}
