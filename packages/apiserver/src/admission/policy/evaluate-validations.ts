// Evaluates a validating policy on one request with one parameter.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/{plugin,validator}.go,
// pkg/apis/cel/config.go.
import type { Decoded, JsonObject } from "homeostat/api";
import type {
  AuditAnnotation,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "homeostat/k8s/admissionregistration/v1";
import type { CompiledExpression } from "../cel/compiled-expression.ts";
import { createExpressionCompiler, type ExpressionCompiler } from "../cel/compile-expressions.ts";
import {
  evaluateExpressions,
  type ExpressionResult,
  type ExpressionRun,
  policyBudget,
} from "../cel/evaluate-expressions.ts";
import type { ExpressionInput } from "../cel/expression-variables.ts";
import { type ConditionMatcher, createConditionMatcher } from "../cel/match-conditions.ts";

/** A validation that does not admit the request. */
export interface Denial {
  readonly message: string;
  /** Absent for errors. */
  readonly reason?: string;
  /** The place of the validation; 0 for a policy that could not be evaluated. */
  readonly index: number;
}

/** The outcome of one evaluation; denials apply as the binding's actions say. */
export interface ValidationOutcome {
  readonly denials: readonly Denial[];
  /** Errors of audit annotations, which deny the request whatever the actions are. */
  readonly annotationErrors: readonly string[];
  readonly annotations: readonly PublishedAnnotation[];
}

/** An annotation of the audit event. */
export interface PublishedAnnotation {
  readonly key: string;
  readonly value: string;
}

/** Evaluates a policy. */
export type ValidationEvaluator = (input: ExpressionInput) => ValidationOutcome;

const maxMessageBytes = 5 * 1024;
const admitted: ValidationOutcome = { denials: [], annotationErrors: [], annotations: [] };

interface CompiledPolicy {
  readonly failurePolicy: string;
  readonly matcher: ConditionMatcher | undefined;
  readonly validations: readonly Decoded<Validation>[];
  readonly annotations: readonly Decoded<AuditAnnotation>[];
  readonly conditions: readonly CompiledExpression[];
  readonly messages: readonly (CompiledExpression | undefined)[];
  readonly values: readonly CompiledExpression[];
  readonly compiler: ExpressionCompiler;
}

/** Compiles a stored policy. */
export function compileValidatingPolicy(policy: JsonObject): ValidationEvaluator {
  const compiled = compile((policy.spec ?? {}) as Decoded<ValidatingAdmissionPolicySpec>);
  return (input) => evaluate(compiled, input);
}

function compile(spec: Decoded<ValidatingAdmissionPolicySpec>): CompiledPolicy {
  const failurePolicy = spec.failurePolicy ?? "Fail";
  const compiler = createExpressionCompiler({
    params: spec.paramKind ? "given" : "none",
    variables: spec.variables ?? [],
  });
  const { matchConditions } = spec;
  const validations = spec.validations ?? [];
  const auditAnnotations = spec.auditAnnotations ?? [];
  return {
    failurePolicy,
    compiler,
    validations,
    annotations: auditAnnotations,
    matcher: matchConditions?.length
      ? createConditionMatcher(matchConditions, failurePolicy, compiler)
      : undefined,
    conditions: validations.map(({ expression }) =>
      compiler.compile(expression ?? "", "condition"),
    ),
    messages: validations.map(({ messageExpression }) =>
      messageExpression ? compiler.compile(messageExpression, "message") : undefined,
    ),
    values: auditAnnotations.map(({ valueExpression }) =>
      compiler.compile(valueExpression ?? "", "annotation"),
    ),
  };
}

function evaluate(policy: CompiledPolicy, input: ExpressionInput): ValidationOutcome {
  const { failurePolicy, matcher, compiler } = policy;
  const failed = (message: string): ValidationOutcome =>
    failurePolicy === "Ignore" ? admitted : { ...admitted, denials: [{ message, index: 0 }] };
  const match = matcher?.(input) ?? { matches: true };
  if ("error" in match) return failed(match.error);
  if (!match.matches) return admitted;
  const run = evaluateExpressions(policy.conditions, input, compiler.variables, policyBudget);
  if ("fault" in run) return failed(run.fault);
  const { access: _, ...withoutAccess } = input;
  const messages = evaluateExpressions(
    policy.messages,
    withoutAccess,
    compiler.variables,
    run.remaining,
  );
  const denials = policy.validations.flatMap(
    (validation, i) => denialOf(validation, run.results[i]!, messages, i) ?? [],
  );
  const values = evaluateExpressions(
    policy.values,
    withoutAccess,
    compiler.variables,
    policyBudget,
  );
  if ("fault" in values) return failed(values.fault);
  const isIgnored = failurePolicy === "Ignore";
  return {
    denials: isIgnored ? denials.filter(({ reason }) => reason !== undefined) : denials,
    annotationErrors: isIgnored
      ? []
      : values.results.flatMap((result) => (result && "error" in result ? [result.error] : [])),
    annotations: policy.annotations.flatMap(
      ({ key }, i) => publishedAs(key ?? "", values.results[i]) ?? [],
    ),
  };
}

/** Null and blank values are not published. */
function publishedAs(
  key: string,
  result: ExpressionResult | undefined,
): PublishedAnnotation | undefined {
  const value = result && "value" in result ? result.value : undefined;
  const text = typeof value === "string" ? value.trim() : "";
  return text ? { key, value: text } : undefined;
}

/** Without a budget for messages nothing is admitted: not even what is valid. */
function denialOf(
  validation: Decoded<Validation>,
  result: ExpressionResult,
  messages: ExpressionRun,
  index: number,
): Denial | undefined {
  if ("error" in result) return { message: result.error, index };
  if ("fault" in messages) return { message: `failed messageExpression: ${messages.fault}`, index };
  if (result.value === true) return undefined;
  const { message, expression, reason } = validation;
  return {
    index,
    reason: reason ?? "Invalid",
    message:
      messageOf(messages.results[index]) ||
      message?.trim() ||
      `failed expression: ${(expression ?? "").trim()}`,
  };
}

/** "" for a message that failed, is too long or has several lines. */
function messageOf(result: ExpressionResult | undefined): string {
  const value = result && "value" in result ? result.value : undefined;
  const message = typeof value === "string" ? value.trim() : "";
  return Buffer.byteLength(message) > maxMessageBytes || message.includes("\n") ? "" : message;
}
