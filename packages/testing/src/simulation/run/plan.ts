// A plan decides everything that differs between runs of one scenario: with the same plan, the same
// things happen. Plain data, so that it can be kept.
import type { Deed } from "../faults/deed.ts";

/** How one run differs from others. */
export interface Plan {
  /** Of random numbers, and of the order where that is random. */
  readonly seed: number;
  /** What happens next among what can: what has waited longest, or any. */
  readonly order: "oldest" | "random";
  readonly deeds: readonly Deed[];
}

/** Nothing goes wrong. */
export const cleanPlan = (seed: number): Plan => ({ seed, order: "oldest", deeds: [] });
