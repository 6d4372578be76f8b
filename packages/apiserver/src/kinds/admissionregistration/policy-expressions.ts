// Compiles the expressions of one policy or webhook in their order: later expressions can use the
// variables declared by earlier ones.
// Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation/validation.go.
import { loadLate } from "../../apimachinery/load-late.ts";
import type { Decoded } from "homeostat/api";
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicySpec,
} from "homeostat/k8s/admissionregistration/v1";
import type { Type } from "@homeostat/cel";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { Purpose } from "./compile-policy-expression.ts";

/** Compiles expressions that share variables. */
export interface PolicyExpressions {
  /** The error of a non-empty expression; its value prints as `shown`. */
  check(purpose: Purpose, expression: string, path: string, shown?: string): FieldError[];
  /** The same for a variable, which later expressions can use. */
  declare(name: string, expression: string, path: string): FieldError[];
}

export interface ExpressionOptions {
  readonly params: "given" | "none";
  /** Whether expressions can refer to variables. */
  readonly variables: "some" | "none";
  /** Expressions of the stored object, which may use newer functions. */
  readonly stored: StoredExpressions;
}

/** Stored expressions by purpose. */
export type StoredExpressions = Readonly<
  Partial<Record<Purpose | "match condition", ReadonlySet<string>>>
>;

/** The compiler of one object's expressions. */
export function openExpressions({
  params,
  variables,
  stored,
}: ExpressionOptions): PolicyExpressions {
  const declared = variables === "some" ? new Map<string, Type>() : undefined;
  const compile = (purpose: Purpose, expression: string) =>
    expressionCompiler().compilePolicyExpression(expression, purpose, {
      params,
      variables: declared,
      age: stored[purpose === "variable" ? "condition" : purpose]?.has(expression)
        ? "stored"
        : "new",
    });
  const errorsOf = (
    compiled: ReturnType<typeof compile>,
    path: string,
    shown: string,
  ): FieldError[] => {
    if ("type" in compiled) return [];
    return [
      compiled.internal
        ? { type: "InternalError", field: path, body: `Internal error: ${compiled.fault}` }
        : fieldError.invalid(path, shown, compiled.fault),
    ];
  };
  return {
    check: (purpose, expression, path, shown = expression) =>
      errorsOf(compile(purpose, expression), path, shown),
    declare(name, expression, path) {
      const compiled = compile("variable", expression);
      declared?.set(
        name,
        expressionCompiler().variableType("type" in compiled ? compiled.type : undefined),
      );
      return errorsOf(compiled, path, expression);
    },
  };
}

/** The compiler of match conditions, which have no variables. */
export const openMatchConditions = (
  params: ExpressionOptions["params"],
  stored: StoredExpressions,
): PolicyExpressions =>
  openExpressions({
    params,
    variables: "none",
    stored: { condition: stored["match condition"] ?? new Set() },
  });

type PolicySpec = Decoded<ValidatingAdmissionPolicySpec> & Decoded<MutatingAdmissionPolicySpec>;

/** The expressions of a stored policy. */
export function storedExpressions({
  auditAnnotations,
  matchConditions,
  mutations,
  validations,
}: PolicySpec): StoredExpressions {
  const setOf = (texts: readonly (string | null | undefined)[] | undefined): ReadonlySet<string> =>
    new Set((texts ?? []).map((text) => text ?? ""));
  // Upstream compares JSON patches with the stored apply configurations.
  const applied = setOf(mutations?.map((each) => each.applyConfiguration?.expression));
  return {
    "match condition": setOf(matchConditions?.map((each) => each.expression)),
    condition: setOf(validations?.map((each) => each.expression)),
    message: setOf(validations?.map((each) => each.messageExpression)),
    annotation: setOf(auditAnnotations?.map((each) => each.valueExpression)),
    "apply configuration": applied,
    "JSON patch": applied,
  };
}

/** Loaded with the first policy or match condition: most servers never see one. */
const expressionCompiler = (): typeof import("./compile-policy-expression.ts") =>
  loadLate(
    import.meta.url,
    "./compile-policy-expression",
  ) as typeof import("./compile-policy-expression.ts");
