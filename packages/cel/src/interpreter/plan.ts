// Plans, and the scope in which they are made.
// Upstream: github.com/google/cel-go v0.26 interpreter/planner.go.
import type { Expr } from "../ast/ast.ts";
import type { Environment } from "../environment/environment.ts";
import type { Frame } from "./frame.ts";
import { CelError } from "../values/cel-error.ts";
import type { CelValue } from "../values/value.ts";

/** Computes a node's value. Throws a CelError. */
export type Evaluate = (frame: Frame) => CelValue;

/** The value, or the CelError that its evaluation ends in. */
export function attempt(evaluate: Evaluate, frame: Frame): CelValue | CelError {
  try {
    return evaluate(frame);
  } catch (error) {
    if (error instanceof CelError) return error;
    throw error;
  }
}

/** A planned node. */
export interface Plan {
  readonly evaluate: Evaluate;
  /** The value of a constant node, which costs nothing. */
  readonly constant?: CelValue;
  /**
   * A path from a variable or a conditional: upstream counts its first step once, and not at all
   * inside another path.
   */
  readonly path?: "variable" | "conditional";
}

/** Loop variables in scope while planning, by name, with their slots. */
export interface Scope {
  readonly slots: ReadonlyMap<string, number>;
  /** Slots that the whole program needs. */
  readonly counter: { count: number };
  readonly environment: Environment;
  /** Plans a node below this one. */
  readonly plan: (node: Expr, scope: Scope) => Plan;
  /** Collects the names of the variables that the program reads. */
  readonly references: Set<string>;
}

export const constantPlan = (value: CelValue): Plan => ({ evaluate: () => value, constant: value });
