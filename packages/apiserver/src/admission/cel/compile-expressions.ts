// Compiles the expressions of a stored policy or webhook for evaluation. A fault stays with its
// expression until it is evaluated: it counts as a failure of that expression.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/cel/{compile,composition,condition}.go.
import type { Type } from "@homeostat/cel";
import type { Decoded } from "homeostat/api";
import type { Variable } from "homeostat/k8s/admissionregistration/v1";
import {
  compilePolicyExpression,
  type Purpose,
  variableType,
} from "../../kinds/admissionregistration/compile-policy-expression.ts";
import type { CompiledExpression, CompositedVariables } from "./compiled-expression.ts";

/** Compiles expressions that share variables. */
export interface ExpressionCompiler {
  /** Empty without variables. */
  readonly variables: CompositedVariables;
  compile(expression: string, purpose: Purpose): CompiledExpression;
}

/** What a policy or webhook declares. */
export interface CompilerOptions {
  readonly params: "given" | "none";
  /** Absent where expressions have no `variables`. */
  readonly variables?: readonly Decoded<Variable>[];
}

/** The compiler of one policy or webhook. Its variables may use those before them. */
export function createExpressionCompiler({
  params,
  variables,
}: CompilerOptions): ExpressionCompiler {
  const types = variables && new Map<string, Type>();
  const compile = (expression: string, purpose: Purpose): CompiledExpression => {
    const scope = { params, age: "stored", variables: types } as const;
    const compiled = compilePolicyExpression(expression, purpose, scope);
    return "fault" in compiled
      ? { expression, fault: compiled.fault }
      : { expression, program: compiled.program };
  };
  const composited = new Map<string, CompiledExpression>();
  for (const { name, expression } of variables ?? []) {
    const compiled = compile(expression ?? "", "variable");
    const type = variableType("program" in compiled ? compiled.program.type : undefined);
    types!.set(name ?? "", type);
    composited.set(name ?? "", compiled);
  }
  return { variables: composited, compile };
}
