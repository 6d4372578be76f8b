// Plans at random: another order, and some deeds at moments that a clean run has shown.
import { planSweep } from "../faults/plan-sweep.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Plan } from "../run/plan.ts";
import { createChance } from "../time/chance.ts";

/** How to explore. */
export interface ExploreOptions {
  /** Default 100. */
  readonly runs?: number;
  /** Of the first run; each further run has the next. Default 1. */
  readonly seed?: number;
  /** The most deeds of a run. Default 3. */
  readonly deeds?: number;
}

/** The plan of a seed. */
export function planAtRandom(seed: number, clean: Outcome, most: number): Plan {
  const chance = createChance(seed);
  const possible = planSweep(clean.moments, clean);
  const count = Math.floor(chance() * (most + 1));
  const deeds = Array.from(
    { length: possible.length === 0 ? 0 : count },
    () => possible[Math.floor(chance() * possible.length)]!,
  );
  return { seed, order: "random", deeds };
}
