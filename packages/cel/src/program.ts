// Compiles expressions: parse, check, plan.
// Upstream: github.com/google/cel-go v0.26 cel/env.go (Compile), cel/program.go.
import type { Expr } from "./ast/ast.ts";
import { checkExpression } from "./checker/checker.ts";
import type { Environment } from "./environment/environment.ts";
import { Frame, type Variables } from "./interpreter/frame.ts";
import { parseExpression } from "./parser/parser.ts";
import type { Scope } from "./interpreter/plan.ts";
import { planNode } from "./interpreter/planner.ts";
import { formatIssues } from "./ast/source.ts";
import type { Type } from "./types/type.ts";
import { CelError, CostLimitError } from "./values/cel-error.ts";
import type { CelValue } from "./values/value.ts";

/** Cost units of one evaluation, at most, on a Kubernetes API server. */
export const perCallLimit = 1_000_000;

/** The result of an evaluation. */
export type Evaluation = { readonly cost: number } & (
  | { readonly value: CelValue }
  | { readonly error: CelError | CostLimitError }
);

/** A compiled expression. */
export interface Program {
  readonly type: Type;
  /**
   * The checked tree, for estimates. Callers must not change it.
   */
  readonly root: Expr;
  /** Names of the variables that the expression reads. */
  readonly references: ReadonlySet<string>;
  evaluate(variables: Variables, limit?: number): Evaluation;
}

/**
 * A program, or its error: `issues` is upstream's text for compile errors, `failure` the text of an
 * error that only planning finds.
 */
export type Compilation =
  | { readonly program: Program }
  | { readonly issues: string }
  | { readonly failure: string; readonly type: Type; readonly references: ReadonlySet<string> };

/**
 * Compiles an expression. A tree too deep for the stack is reported as an issue.
 */
export function compileExpression(text: string, environment: Environment): Compilation {
  try {
    return compile(text, environment);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      issues: "ERROR: <input>:-1:0: expression recursion limit exceeded: the stack of this server",
    };
  }
}

function compile(text: string, environment: Environment): Compilation {
  const { source, expr, issues } = parseExpression(text, environment.macros);
  if (issues.length > 0) return { issues: formatIssues(source, issues) };
  const found = checkExpression(expr, environment);
  if (found.length > 0) return { issues: formatIssues(source, found) };
  const references = new Set<string>();
  const scope: Scope = {
    slots: new Map(),
    counter: { count: 0 },
    environment,
    plan: planNode,
    references,
  };
  try {
    const { evaluate } = planNode(expr, scope);
    const slots = scope.counter.count;
    const run = (variables: Variables, limit: number = perCallLimit): Evaluation => {
      const frame = new Frame(variables, slots, limit);
      try {
        const value = evaluate(frame);
        return { value, cost: frame.cost };
      } catch (error) {
        return { error: evaluationError(error), cost: frame.cost };
      }
    };
    return { program: { type: expr.type!, root: expr, references, evaluate: run } };
  } catch (error) {
    if (error instanceof CelError) return { failure: error.message, type: expr.type!, references };
    throw error;
  }
}

/**
 * What an evaluation reports. A value too large for the engine, or a stack too deep, is upstream's
 * recovered panic (cel/program.go, Eval): nothing in the expression absorbs it. Bugs are thrown.
 */
function evaluationError(error: unknown): CelError | CostLimitError {
  if (error instanceof CelError || error instanceof CostLimitError) return error;
  if (error instanceof RangeError) return new CelError(`internal error: ${error.message}`);
  throw error;
}
