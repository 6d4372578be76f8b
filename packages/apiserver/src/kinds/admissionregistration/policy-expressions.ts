// The expressions of one policy or webhook, checked in the order in which they are written: a
// variable is known to those after it.
// Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation/validation.go.
import type { JsonObject } from "homeostat/api";
import type { Type } from "@homeostat/cel";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { itemsAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import type { Purpose } from "./compile-policy-expression.ts";
import { loadPolicyCompiler } from "./load-policy-compiler.ts";

/** Checks expressions that share their variables. */
export interface PolicyExpressions {
  /** The breach of an expression that is not empty, shown as `shown` where that differs. */
  check(purpose: Purpose, expression: string, path: string, shown?: string): FieldError[];
  /** The same for a variable, which later expressions may use. */
  declare(name: string, expression: string, path: string): FieldError[];
}

export interface ExpressionRules {
  readonly params: "given" | "none";
  /** Whether expressions can refer to variables. */
  readonly variables: "some" | "none";
  /** Expressions that are stored already. */
  readonly stored: StoredExpressions;
}

/** What was stored, by what it is for. */
export type StoredExpressions = Readonly<
  Partial<Record<Purpose | "match condition", ReadonlySet<string>>>
>;

/** Opens the expressions of one object. */
export function openExpressions({ params, variables, stored }: ExpressionRules): PolicyExpressions {
  const declared = variables === "some" ? new Map<string, Type>() : undefined;
  const compile = (purpose: Purpose, expression: string) =>
    loadPolicyCompiler().compilePolicyExpression(expression, purpose, {
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
        : invalid(path, shown, compiled.fault),
    ];
  };
  return {
    check: (purpose, expression, path, shown = expression) =>
      errorsOf(compile(purpose, expression), path, shown),
    declare(name, expression, path) {
      const compiled = compile("variable", expression);
      declared?.set(
        name,
        loadPolicyCompiler().variableType("type" in compiled ? compiled.type : undefined),
      );
      return errorsOf(compiled, path, expression);
    },
  };
}

/** The checker of match conditions, which know no variables. */
export const openMatchConditions = (
  params: ExpressionRules["params"],
  stored: StoredExpressions,
): PolicyExpressions =>
  openExpressions({
    params,
    variables: "none",
    stored: { condition: stored["match condition"] ?? new Set() },
  });

const textsOf = (items: readonly JsonObject[], field: string): ReadonlySet<string> =>
  new Set(items.map((each) => stringAt(each, field)));

/** The expressions of a stored policy. */
export function storedExpressions(spec: JsonObject): StoredExpressions {
  const [validations, mutations] = [itemsAt(spec, "validations"), itemsAt(spec, "mutations")];
  // Upstream compares JSON patches with the stored apply configurations.
  const applied = textsOf(
    mutations.map((each) => objectAt(each, "applyConfiguration")),
    "expression",
  );
  return {
    "match condition": textsOf(itemsAt(spec, "matchConditions"), "expression"),
    condition: textsOf(validations, "expression"),
    message: textsOf(validations, "messageExpression"),
    annotation: textsOf(itemsAt(spec, "auditAnnotations"), "valueExpression"),
    "apply configuration": applied,
    "JSON patch": applied,
  };
}
