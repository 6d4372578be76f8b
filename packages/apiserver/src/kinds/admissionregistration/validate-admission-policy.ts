// Validates admission policies. Expressions that the stored policy has may stay as they are.
// Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation/validation.go.
import { type Decoded, equalJson, labelKeyFaults } from "homeostat/api";
import type {
  AuditAnnotation,
  MatchResources,
  MutatingAdmissionPolicySpec,
  Mutation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from "homeostat/k8s/admissionregistration/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { nameOf } from "../printers/cells.ts";
import {
  enumErrors,
  failurePolicies,
  mutableOperationErrors,
  validateMatchConditions,
  validateMatchResources,
  validateParamKind,
} from "./admission-rules.ts";
import {
  openExpressions,
  openMatchConditions,
  type PolicyExpressions,
  storedExpressions,
} from "./policy-expressions.ts";
import { createUniqueRule } from "../validation/field-rules.ts";

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const identifier =
  /^(?!(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$)[_a-zA-Z][_a-zA-Z0-9]*$/;
const maxAnnotations = 20;
const maxAnnotationBytes = 5 * 1024;

type PolicySpec = Decoded<ValidatingAdmissionPolicySpec> | Decoded<MutatingAdmissionPolicySpec>;

/** The compiler of a policy's expressions, which share its variables if it may have any. */
function expressionsOf(
  spec: PolicySpec,
  old: PolicySpec | undefined,
  variables: "some" | "none",
): PolicyExpressions {
  return openExpressions({
    params: paramsOf(spec),
    variables,
    stored: old ? storedExpressions(old) : {},
  });
}

const paramsOf = (spec: PolicySpec): "given" | "none" => (spec.paramKind ? "given" : "none");

/** Errors in the part that both kinds of policy have, which come first. */
function commonErrors(
  spec: PolicySpec,
  old: PolicySpec | undefined,
  expressions: PolicyExpressions,
  validateMatch: (match: Decoded<MatchResources>) => readonly FieldError[],
): FieldError[] {
  const match = spec.matchConstraints;
  const isSame =
    old !== undefined &&
    (["paramKind", "matchConditions"] as const).every((field) =>
      equalJson(spec[field] ?? null, old[field] ?? null),
    );
  return [
    ...enumErrors(spec, "failurePolicy", failurePolicies, "spec"),
    ...(spec.paramKind ? validateParamKind(spec.paramKind, "spec.paramKind") : []),
    ...(match
      ? [
          ...validateMatchResources(match, "spec.matchConstraints"),
          ...errorIf(!match.resourceRules?.length, () =>
            fieldError.required("spec.matchConstraints.resourceRules", ""),
          ),
          ...validateMatch(match),
        ]
      : [fieldError.required("spec.matchConstraints", "")]),
    ...(isSame
      ? []
      : validateMatchConditions(
          spec.matchConditions ?? [],
          "spec.matchConditions",
          openMatchConditions(paramsOf(spec), old ? storedExpressions(old) : {}),
        )),
    ...eachItem(spec.variables, "spec.variables", (variable, at) =>
      variableErrors(variable, at, expressions),
    ),
  ];
}

function variableErrors(
  variable: Decoded<Variable>,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const { name, expression } = variable;
  return [
    ...variableNameErrors(name ?? "", `${path}.name`),
    ...(expression?.trim()
      ? expressions.declare(name ?? "", expression, `${path}.expression`)
      : [fieldError.required(`${path}.expression`, "expression is not specified")]),
  ];
}

function variableNameErrors(name: string, path: string): FieldError[] {
  if (!name.trim()) return [fieldError.required(path, "name is not specified")];
  return errorIf(!identifier.test(name), () =>
    fieldError.invalid(path, name, "must be a valid CEL identifier"),
  );
}

/** Every violation; `old` is the stored spec. */
export function validateValidatingPolicy(
  object: Decoded<ValidatingAdmissionPolicy>,
  old: Decoded<ValidatingAdmissionPolicySpec> | undefined,
): FieldError[] {
  const spec = object.spec ?? {};
  const expressions = expressionsOf(spec, old, spec.variables?.length ? "some" : "none");
  const head = commonErrors(spec, old, expressions, () => []);
  const validations = spec.validations ?? [];
  const annotations = spec.auditAnnotations ?? [];
  const neither = "validations or auditAnnotations must contain at least one item";
  if (!validations.length && !annotations.length)
    return [
      ...head,
      fieldError.required("spec.validations", neither),
      fieldError.required("spec.auditAnnotations", neither),
    ];
  return [
    ...head,
    ...eachItem(validations, "spec.validations", (validation, at) =>
      validationErrors(validation, at, expressions),
    ),
    ...annotationErrors(annotations, nameOf(object), expressions),
  ];
}

function validationErrors(
  validation: Decoded<Validation>,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const { expression, message, messageExpression } = validation;
  const errors = expression?.trim()
    ? expressions.check("condition", expression, `${path}.expression`)
    : [fieldError.required(`${path}.expression`, "expression is not specified")];
  if (messageExpression?.trim())
    errors.push(...expressions.check("message", messageExpression, `${path}.messageExpression`));
  else if (messageExpression)
    errors.push(
      fieldError.invalid(
        `${path}.messageExpression`,
        messageExpression,
        "must be non-empty if specified",
      ),
    );
  if (message && !message.trim())
    errors.push(fieldError.invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (/[\r\n]/.test(message?.trim() ?? ""))
    errors.push(
      fieldError.invalid(`${path}.message`, message ?? "", "must not contain line breaks"),
    );
  return [...errors, ...enumErrors(validation, "reason", reasons, path)];
}

function annotationErrors(
  annotations: readonly Decoded<AuditAnnotation>[],
  policy: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const unique = createUniqueRule();
  const all = "spec.auditAnnotations";
  const printed = annotations.map((each) => ({
    Key: each.key ?? "",
    ValueExpression: each.valueExpression ?? "",
  }));
  const many = errorIf(annotations.length > maxAnnotations, () =>
    fieldError.invalid(all, printed, `must not have more than ${maxAnnotations} auditAnnotations`),
  );
  const each = eachItem(annotations, all, (annotation, path) => {
    const key = annotation.key ?? "";
    const errors = policy
      ? labelKeyFaults(`${policy}/${key}`).map((fault) =>
          fieldError.invalid(`${path}.key`, `${policy}/${key}`, fault),
        )
      : [fieldError.invalid(`${path}.key`, key, "requires metadata.name be non-empty")];
    errors.push(
      ...valueErrors(annotation.valueExpression ?? "", `${path}.valueExpression`, expressions),
    );
    return [...errors, ...unique(key, `${path}.key`)];
  });
  return [...many, ...each];
}

function valueErrors(
  expression: string,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const trimmed = expression.trim();
  if (!trimmed) return [fieldError.required(path, "valueExpression is not specified")];
  if (Buffer.byteLength(trimmed) > maxAnnotationBytes)
    return [fieldError.required(path, `must not exceed ${maxAnnotationBytes} bytes in length`)];
  return expressions.check("annotation", trimmed, path, expression);
}

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

/** Every violation; `old` is the stored spec. */
export function validateMutatingPolicy(
  spec: Decoded<MutatingAdmissionPolicySpec>,
  old: Decoded<MutatingAdmissionPolicySpec> | undefined,
): FieldError[] {
  const mutations = spec.mutations ?? [];
  const expressions = expressionsOf(spec, old, "some");
  return [
    ...commonErrors(spec, old, expressions, (match) =>
      mutableOperationErrors(match, "spec.matchConstraints"),
    ),
    ...(mutations.length
      ? eachItem(mutations, "spec.mutations", (mutation, at) =>
          mutationErrors(mutation, at, expressions),
        )
      : [fieldError.required("spec.mutations", "mutations must contain at least one item")]),
    ...(spec.reinvocationPolicy
      ? enumErrors(spec, "reinvocationPolicy", ["IfNeeded", "Never"], "spec")
      : [fieldError.required("spec.reinvocationPolicy", "")]),
  ];
}

function mutationErrors(
  mutation: Decoded<Mutation>,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const type = mutation.patchType ?? "";
  if (!type) return [fieldError.required(`${path}.patchType`, "")];
  if (!patchTypes.includes(type))
    return [fieldError.notSupported(`${path}.patchType`, type, patchTypes)];
  const isPatch = type === "JSONPatch";
  const [own, other] = isPatch
    ? (["jsonPatch", "applyConfiguration"] as const)
    : (["applyConfiguration", "jsonPatch"] as const);
  const purpose = isPatch ? "JSON patch" : "apply configuration";
  const expression = mutation[own]?.expression?.trim() ?? "";
  const at = `${path}.${own}.expression`;
  const ownErrors = expression
    ? expressions.check(purpose, expression, at)
    : [fieldError.required(at, "")];
  return [
    ...(mutation[own]
      ? ownErrors
      : [fieldError.required(`${path}.${own}`, `must be specified when patchType is ${type}`)]),
    ...errorIf(mutation[other], () =>
      fieldError.invalid(
        `${path}.${other}`,
        `{${other}}`,
        `must not be specified when patchType is ${type}`,
      ),
    ),
  ];
}
