// The price of `==`: by size, but for types of libraries that say otherwise.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/cost.go (estimateEquality, CallCost).
import { sameType, type Type } from "../types/type.ts";
import { CelObject } from "../values/value.ts";
import { type Estimate, fixed } from "./estimate.ts";
import type { Price } from "./price.ts";
import { comparisonPrice, shorterPass } from "./prices.ts";

/** A type whose values are compared in one unit, whatever their size. */
export interface ConstantEquality {
  readonly type: Type;
  /** The estimate, which may be higher than one unit. `size` is that of the right side. */
  readonly estimate: (size: Estimate | undefined) => Estimate;
}

/** Equality that is estimated at one unit, too. */
export const unitEquality = (type: Type): ConstantEquality => ({ type, estimate: () => fixed(1) });

/** The price of `==` in an environment with these types. */
export function equalityPrice(types: readonly ConstantEquality[]): Price {
  const byName = new Map(types.map((each) => [each.type.name, each] as const));
  return {
    actual: (args) =>
      args[0] instanceof CelObject && byName.has(args[0].type.name) ? 1 : shorterPass(args),
    estimate(site) {
      const [left, right] = site.args;
      const own =
        left && right && sameType(left.type, right.type) ? byName.get(left.type.name) : undefined;
      return own ? { cost: own.estimate(right?.size) } : comparisonPrice.estimate!(site);
    },
  };
}
