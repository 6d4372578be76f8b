// Checks the expressions of a validating policy against the schemas of the kinds that it names. A
// finding is a warning in the policy's status: evaluation has no types.
// Upstream: k8s.io/apiserver v0.36 pkg/admission/plugin/policy/validating/typechecking.go.
import {
  authorizerType,
  compileExpression,
  dynType,
  type Environment,
  kubernetesEnvironment,
  storedMinor,
  structType,
  type Type,
  withVariables,
} from "@homeostat/cel";
import type { Decoded, GroupVersionKind } from "homeostat/api";
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from "homeostat/k8s/admissionregistration/v1";
import { declareStructs } from "../../schema/cel/compile-rule.ts";
import type { DeclType } from "../../schema/cel/decl-type.ts";
import { admissionStruct, variableType } from "./compile-policy-expression.ts";

/** A kind with the declaration of its schema. */
export interface CheckedKind {
  readonly kind: GroupVersionKind;
  /** Absent for a schema that expressions cannot access: then anything goes. */
  readonly declared: DeclType | undefined;
}

/** What a policy is checked against. */
export interface CheckedKinds {
  readonly objects: readonly CheckedKind[];
  /** Of `params`; absent where the policy has none, or their schema is unknown. */
  readonly params: DeclType | undefined;
}

/** The warnings, in the order of the validations. */
export function typeCheckPolicy(
  spec: Decoded<ValidatingAdmissionPolicySpec>,
  kinds: CheckedKinds,
): readonly Required<Decoded<ExpressionWarning>>[] {
  const environments = kinds.objects.map((object) => ({
    object,
    environment: environmentOf(spec, object, kinds.params),
  }));
  const check = (fieldRef: string, expression: string) => {
    const messages = environments.flatMap(({ object, environment }) => {
      const compiled = compileExpression(expression, environment);
      return "issues" in compiled ? [`${formatKind(object.kind)}: ${compiled.issues}\n`] : [];
    });
    return messages.length ? [{ fieldRef, warning: messages.join("\n") }] : [];
  };
  return (spec.validations ?? []).flatMap(({ expression, messageExpression }, i) => [
    ...check(`spec.validations[${i}].expression`, expression ?? ""),
    ...(messageExpression
      ? check(`spec.validations[${i}].messageExpression`, messageExpression)
      : []),
  ]);
}

const formatKind = ({ group, version, kind }: GroupVersionKind): string =>
  `${group}/${version}, Kind=${kind}`;

const variablesName = "kubernetes.variables";

function environmentOf(
  spec: Decoded<ValidatingAdmissionPolicySpec>,
  object: CheckedKind,
  params: DeclType | undefined,
): Environment {
  const { struct, declare } = declareStructs();
  const typeOf = (declared: DeclType | undefined, name: string): Type =>
    declared ? declare(declared, name) : dynType;
  const type = typeOf(object.declared, object.kind.kind);
  const variables = new Map<string, Type>();
  const environment = withVariables(
    kubernetesEnvironment(storedMinor),
    new Map([
      ["namespaceObject", structType("kubernetes.Namespace")],
      ["request", structType("kubernetes.AdmissionRequest")],
      ["object", type],
      ["oldObject", type],
      ...(spec.paramKind ? ([["params", typeOf(params, "params")]] as const) : []),
      ["authorizer", authorizerType],
      ["variables", structType(variablesName)],
    ]),
    (name) =>
      name === variablesName
        ? { name, field: (field) => variables.get(field) }
        : (struct(name) ?? admissionStruct(name)),
  );
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = compileExpression(expression ?? "", environment);
    const found = "program" in compiled ? compiled.program.type : undefined;
    variables.set(name ?? "", variableType(found));
  }
  return environment;
}
