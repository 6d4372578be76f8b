// The state of one evaluation: variables, loop variables and the cost so far.
// Upstream: github.com/google/cel-go v0.26 interpreter/activation.go, interpreter/runtimecost.go.
import { type CelError, CostLimitError } from "../values/cel-error.ts";
import type { CelValue } from "../values/value.ts";

/**
 * Values of an environment's variables by name; undefined means that the variable has no value this
 * time.
 */
export type Variables = Readonly<Record<string, CelValue | undefined>>;

/** The state of one evaluation. */
export class Frame {
  readonly variables: Variables;
  /**
   * Loop variables and accumulators by slot; an accumulator may hold the error of its last step.
   */
  readonly locals: (CelValue | CelError)[];
  cost = 0;
  readonly limit: number;

  constructor(variables: Variables, slots: number, limit: number) {
    this.variables = variables;
    this.locals = new Array<CelValue | CelError>(slots).fill(null);
    this.limit = limit;
  }

  /** Adds cost units. Throws a CostLimitError past the limit. */
  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitError();
  }

  /** Throws a CostLimitError unless so many cost units can still be spent. Spends none. */
  reserve(cost: number): void {
    if (this.cost + cost > this.limit) throw new CostLimitError();
  }
}
