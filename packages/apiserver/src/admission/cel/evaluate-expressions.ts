// Evaluates expressions in their order within a common budget.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/cel/{activation,condition}.go,
// pkg/apis/cel/config.go.
import type { CelValue } from "@homeostat/cel";
import type { CompiledExpression, CompositedVariables } from "./compiled-expression.ts";
import {
  createRunVariables,
  type ExpressionInput,
  type RunVariables,
} from "./expression-variables.ts";

/** Cost units of the expressions of one policy and binding. */
export const policyBudget = 10_000_000;
/** Cost units of the match conditions of one webhook, or of one policy and binding. */
export const matchConditionsBudget = 2_500_000;

const overBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** The value of an expression, or why it has none. */
export type ExpressionResult = { readonly value: CelValue } | { readonly error: string };

/** The results in the order of the expressions, or the fault that ended the run. */
export type ExpressionRun =
  | {
      readonly results: readonly (ExpressionResult | undefined)[];
      readonly remaining: number;
    }
  | { readonly fault: string };

/** Evaluates each; absent expressions have no result. */
export function evaluateExpressions(
  expressions: readonly (CompiledExpression | undefined)[],
  input: ExpressionInput,
  composited: CompositedVariables,
  budget: number,
): ExpressionRun {
  const run = createRunVariables(input, composited);
  const results: (ExpressionResult | undefined)[] = [];
  let remaining = budget;
  for (const expression of expressions) {
    const { result, cost } = expression ? evaluate(expression, run) : nothing;
    remaining -= cost;
    if (remaining < 0) return { fault: overBudget };
    results.push(result);
  }
  return { results, remaining };
}

interface Evaluated {
  readonly result: ExpressionResult | undefined;
  readonly cost: number;
}

const nothing: Evaluated = { result: undefined, cost: 0 };

/** Composited variables have limits of their own, and count for the expression that read them. */
function evaluate(compiled: CompiledExpression, run: RunVariables): Evaluated {
  const { expression } = compiled;
  if ("fault" in compiled)
    return { result: { error: `compilation error: ${compiled.fault}` }, cost: 0 };
  const evaluated = compiled.program.evaluate(run.variables);
  const cost = evaluated.cost + run.takeCost();
  if ("value" in evaluated) return { result: { value: evaluated.value }, cost };
  const error = `expression '${expression}' resulted in error: ${evaluated.error.message}`;
  return { result: { error }, cost };
}
