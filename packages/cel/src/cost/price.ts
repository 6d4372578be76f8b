// What calls cost: the actual price, once the arguments are known, and the estimate from sizes
// alone. Functions and overloads carry a Price where they are declared; the planner charges
// the one, the checker's cost estimator sums up the other. A call without a price costs one unit.
// Upstream: github.com/google/cel-go v0.26 interpreter/runtimecost.go, checker/cost.go;
// k8s.io/apiserver v0.36 pkg/cel/library/cost.go.
import type { Type } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";
import { type Estimate, fixed, unknownSize } from "./estimate.ts";

/** A pass over a string, per character. */
export const traversal = 0.1;
/** A pattern, per character. */
export const patternFactor = 0.25;
/** Making a list. */
export const listCost = 10;
/** Making a map. */
export const mapCost = 30;
/** Making an object. */
export const structCost = 40;

/**
 * The cost of one call, charged before it runs. The receiver is the first argument. The arguments
 * may be of any type: calls that find no overload are charged too.
 */
export type CallCost = (args: readonly CelValue[]) => number;

/**
 * Sizes by path from a variable, e.g. `["self", "items", "@items", "name"]`; undefined where the
 * size is unknown.
 */
export type SizeOracle = (path: readonly string[]) => Estimate | undefined;

/** A node as estimators see it. */
export interface CostNode {
  readonly type: Type;
  /** Undefined for what is no path from a variable. */
  readonly path: readonly string[] | undefined;
  /** The value of a literal; undefined for all other nodes. */
  readonly literal: CelValue | undefined;
  readonly size: Estimate | undefined;
}

/** One call, as it is estimated for one of its overloads. */
export interface CallSite {
  /** The receiver of a member call. */
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly sizeByPath: SizeOracle;
}

/** The cost of a call without its arguments, and the size of its result where that is known. */
export interface CallEstimate {
  readonly cost: Estimate;
  readonly resultSize?: Estimate;
}

/** Estimates one call; undefined stands for one unit. */
export type Estimator = (site: CallSite) => CallEstimate | undefined;

/** What a function or an overload costs. */
export interface Price {
  /** A number where every call costs the same; one unit when absent. */
  readonly actual?: number | CallCost;
  /**
   * The cost of one pass over the result, where that can be far larger than the arguments. It is
   * not charged, but without room for it below the limit the call does not run: the result would
   * exhaust memory before any step that reads it is charged.
   */
  readonly resultPass?: CallCost;
  /** One unit when absent. */
  readonly estimate?: Estimator;
}

/** The same for every call. */
export const fixedPrice = (units: number): Price => ({
  actual: units,
  estimate: () => ({ cost: fixed(units) }),
});

/** The size of a node; where the node has none, the oracle's. */
export const sizeOf = (node: CostNode | undefined, { sizeByPath }: CallSite): Estimate =>
  node?.size ?? (node?.path && sizeByPath(node.path)) ?? unknownSize;

/** The items of a list, whose size only the oracle can know. */
export function itemsOf(list: CostNode): CostNode | undefined {
  const type = list.type.params[0];
  return (
    type && {
      type,
      path: list.path && [...list.path, "@items"],
      literal: undefined,
      size: undefined,
    }
  );
}
