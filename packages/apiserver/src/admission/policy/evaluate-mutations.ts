// Evaluates the mutations of a policy, one after the other.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/{compilation.go,patch}.
import { CelList } from "@homeostat/cel";
import type { Decoded, JsonObject } from "homeostat/api";
import type { MutatingAdmissionPolicySpec, Mutation } from "homeostat/k8s/admissionregistration/v1";
import { createExpressionCompiler, type ExpressionCompiler } from "../cel/compile-expressions.ts";
import type { CompiledExpression } from "../cel/compiled-expression.ts";
import { evaluateExpressions, policyBudget } from "../cel/evaluate-expressions.ts";
import type { ExpressionInput } from "../cel/expression-variables.ts";
import { type ConditionMatcher, createConditionMatcher } from "../cel/match-conditions.ts";
import { JsonPatchValue, ObjectValue } from "../../kinds/admissionregistration/mutation-values.ts";
import { mergeConfiguration, type MutationTarget, patchObject } from "./apply-mutation.ts";
import { applyConfigurationOf, MutationError, operationOf } from "./mutation-json.ts";

/**
 * Returns the mutated object. Throws a MutationError, or an ApiStatusError that ends the request.
 */
export type Mutator = (
  target: MutationTarget,
  live: JsonObject,
  input: ExpressionInput,
) => JsonObject;

/** A compiled policy. */
export interface MutationEvaluator {
  readonly matcher: ConditionMatcher | undefined;
  readonly mutators: readonly Mutator[];
  readonly reinvocation: "IfNeeded" | "Never";
}

/** Compiles a stored policy. */
export function compileMutatingPolicy(policy: JsonObject): MutationEvaluator {
  const spec = (policy.spec ?? {}) as Decoded<MutatingAdmissionPolicySpec>;
  const compiler = createExpressionCompiler({
    params: spec.paramKind ? "given" : "none",
    variables: spec.variables ?? [],
  });
  const { matchConditions, failurePolicy, reinvocationPolicy } = spec;
  return {
    matcher: matchConditions?.length
      ? createConditionMatcher(matchConditions, failurePolicy ?? "Fail", compiler)
      : undefined,
    mutators: (spec.mutations ?? []).map((mutation) => createMutator(mutation, compiler)),
    reinvocation: reinvocationPolicy === "IfNeeded" ? "IfNeeded" : "Never",
  };
}

function createMutator(mutation: Decoded<Mutation>, compiler: ExpressionCompiler): Mutator {
  if (mutation.patchType === "JSONPatch") {
    const expression = mutation.jsonPatch?.expression ?? "";
    const compiled = compiler.compile(expression, "JSON patch");
    return (target, live, input) => {
      const value = evaluate(compiled, compiler, input);
      if (!(value instanceof CelList))
        throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
      const operations = Array.from(value, (each) => {
        if (each instanceof JsonPatchValue) return operationOf(each);
        throw new MutationError(
          "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch",
        );
      });
      return patchObject(target, live, operations);
    };
  }
  const expression = mutation.applyConfiguration?.expression ?? "";
  const compiled = compiler.compile(expression, "apply configuration");
  return (target, live, input) => {
    const value = evaluate(compiled, compiler, input);
    if (!(value instanceof ObjectValue))
      throw new MutationError(
        `unsupported return type from ApplyConfiguration expression: ${String(value)}`,
      );
    return mergeConfiguration(target, live, applyConfigurationOf(value));
  };
}

function evaluate(
  compiled: CompiledExpression,
  { variables }: ExpressionCompiler,
  input: ExpressionInput,
) {
  if ("fault" in compiled) throw new MutationError(compiled.fault);
  const run = evaluateExpressions([compiled], input, variables, policyBudget);
  if ("fault" in run) throw new MutationError(run.fault);
  const [result] = run.results;
  if ("error" in result!) throw new MutationError(result.error);
  return result!.value;
}
