// Match conditions of webhooks and policies: a request passes if all are true. One that is false
// settles it, whatever the others are; without a false one, errors count as the failure policy
// says.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions/matcher.go,
// k8s.io/apimachinery/pkg/util/errors/errors.go (Aggregate).
import type { Decoded } from "homeostat/api";
import type { MatchCondition } from "homeostat/k8s/admissionregistration/v1";
import { aggregate } from "../../apimachinery/errors/aggregate.ts";
import { createExpressionCompiler, type ExpressionCompiler } from "./compile-expressions.ts";
import { evaluateExpressions, matchConditionsBudget } from "./evaluate-expressions.ts";
import type { ExpressionInput } from "./expression-variables.ts";

/** The outcome for one request; `error` refuses it. */
export type MatchOutcome =
  | { readonly matches: true }
  /** `failed` is the name of the condition that is false; absent where errors are ignored. */
  | { readonly matches: false; readonly failed?: string }
  | { readonly error: string };

/** Evaluates the conditions of one webhook or policy. The namespace is not visible to them. */
export type ConditionMatcher = (
  input: Omit<ExpressionInput, "resource" | "namespace">,
) => MatchOutcome;

/** The matcher of a webhook's conditions, which have neither parameters nor variables. */
export const createWebhookConditions = (
  conditions: readonly Decoded<MatchCondition>[],
  failurePolicy: string,
): ConditionMatcher =>
  createConditionMatcher(conditions, failurePolicy, createExpressionCompiler({ params: "none" }));

/** The matcher of `conditions`, of which there is at least one. */
export function createConditionMatcher(
  conditions: readonly Decoded<MatchCondition>[],
  failurePolicy: string,
  compiler: ExpressionCompiler,
): ConditionMatcher {
  const compiled = conditions.map(({ expression }) =>
    compiler.compile(expression ?? "", "condition"),
  );
  const failed = (error: string): MatchOutcome =>
    failurePolicy === "Ignore" ? { matches: false } : { error };
  return (given) => {
    const { resource } = given.versioned.request;
    const input = { ...given, resource, namespace: undefined };
    const run = evaluateExpressions(compiled, input, compiler.variables, matchConditionsBudget);
    if ("fault" in run) return failed(run.fault);
    const no = run.results.findIndex((result) => result && "value" in result && !result.value);
    if (no >= 0) return { matches: false, failed: conditions[no]!.name ?? "" };
    const errors = run.results.flatMap((result) =>
      result && "error" in result ? [result.error] : [],
    );
    return errors.length ? failed(aggregate(errors)) : { matches: true };
  };
}
