// Admission policies and their bindings. Stored and checked.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{validating,mutating}admissionpolicy{,binding}/strategy.go,
// pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import {
  dnsSubdomainFaults,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  labelKeyFaults,
} from "homeostat/api";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition, StrategyOverrides } from "../definition/kind-definition.ts";
import { formatSelector } from "../validation/label-selectors.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { notEnforcedWarnings } from "../definition/not-enforced.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  setIfNil,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { keepMetadataForStatus } from "../definition/status-metadata.ts";
import { bumpGeneration, keepOld } from "../definition/default-strategy.ts";
import { validateConditions } from "../validation/validate-conditions.ts";
import {
  failurePolicies,
  mutableOperationErrors,
  oneOf,
  setMatchDefaults,
  validateMatchConditions,
  validateMatchResources,
  validateParamKind,
  validateParamRef,
} from "./admission-rules.ts";
import {
  openExpressions,
  openMatchConditions,
  type PolicyExpressions,
  storedExpressions,
} from "./policy-expressions.ts";

const group = "admissionregistration.k8s.io";
const actions = ["Audit", "Deny", "Warn"];
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const identifier =
  /^(?!(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$)[_a-zA-Z][_a-zA-Z0-9]*$/;
const maxAnnotations = 20;
const maxAnnotationBytes = 5 * 1024;

/** `old` is the stored spec; expressions in it may stay as they are. */
type SpecErrors = (
  spec: JsonObject,
  old: JsonObject | undefined,
  name: string,
) => readonly FieldError[];

/**
 * Rules of a kind whose generation follows its spec and whose every write is checked as a whole.
 */
function specRules(kind: string, validate: SpecErrors): StrategyOverrides {
  return {
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    prepareForUpdate: (object, old) => bumpGeneration(object, old, ["spec"]),
    validateCreate: (object) => validate(objectAt(object, "spec"), undefined, nameOf(object)),
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
      ...validate(objectAt(object, "spec"), objectAt(old, "spec"), nameOf(object)),
    ],
    warningsOnCreate: (_object, context) => notEnforcedWarnings(kind, context),
    warningsOnUpdate: (_object, _old, context) => notEnforcedWarnings(kind, context),
  };
}

export const validatingAdmissionPolicy: KindDefinition = {
  group,
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  defaults: setPolicyDefaults,
  strategy: {
    ...specRules("ValidatingAdmissionPolicy", validateValidatingPolicy),
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object["status"] = {};
      metadataOf(object)["generation"] = 1;
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      bumpGeneration(object, old, ["spec"]);
    },
  },
  subresources: {
    status: {
      resetFields: [["f:metadata"], ["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        keepMetadataForStatus(object, old);
      },
      validateUpdate: (object) =>
        validateConditions(itemsAt(objectAt(object, "status"), "conditions"), "status.conditions"),
    },
  },
  cells: (object, nowMs) => policyCells(object, "validations", nowMs),
};

export const mutatingAdmissionPolicy: KindDefinition = {
  group,
  version: "v1",
  kind: "MutatingAdmissionPolicy",
  defaults: setPolicyDefaults,
  strategy: specRules("MutatingAdmissionPolicy", validateMutatingPolicy),
  cells: (object, nowMs) => policyCells(object, "mutations", nowMs),
};

export const validatingAdmissionPolicyBinding: KindDefinition = bindingKind(
  "ValidatingAdmissionPolicyBinding",
  (spec) => actionErrors(textsAt(spec, "validationActions")),
);
export const mutatingAdmissionPolicyBinding: KindDefinition = bindingKind(
  "MutatingAdmissionPolicyBinding",
  (spec) => mutableOperationErrors(objectAt(spec, "matchResources"), "spec.matchResources"),
);

function bindingKind(
  kind: string,
  more: (spec: JsonObject) => readonly FieldError[],
): KindDefinition {
  return {
    group,
    version: "v1",
    kind,
    defaults: (object) => setMatchDefaults(mutableAt(objectAt(object, "spec"), "matchResources")),
    strategy: specRules(kind, (spec) => [...validateBinding(spec), ...more(spec)]),
    cells: (object, nowMs) => [
      nameOf(object),
      stringAt(objectAt(object, "spec"), "policyName"),
      formatParamRef(objectAt(object, "spec")["paramRef"]),
      ageOf(object, nowMs),
    ],
  };
}

function setPolicyDefaults(object: JsonObject): void {
  const spec = mutableAt(object, "spec");
  if (!spec) return;
  setIfNil(spec, "failurePolicy", "Fail");
  setMatchDefaults(mutableAt(spec, "matchConstraints"));
}

function validateBinding(spec: JsonObject): FieldError[] {
  const name = stringAt(spec, "policyName");
  return [
    ...(name
      ? dnsSubdomainFaults(name).map((fault) => invalid("spec.policyName", name, fault))
      : [required("spec.policyName", "")]),
    ...(isObject(spec["paramRef"]) ? validateParamRef(spec["paramRef"], "spec.paramRef") : []),
    ...(isObject(spec["matchResources"])
      ? validateMatchResources(spec["matchResources"], "spec.matchResources")
      : []),
  ];
}

function actionErrors(given: readonly string[]): FieldError[] {
  const path = "spec.validationActions";
  if (!given.length) return [required(path, "at least one validation action is required")];
  const errors = given.flatMap((action, i) => [
    ...(actions.includes(action) ? [] : [notSupported(`${path}[${i}]`, action, actions)]),
    ...(given.indexOf(action) < i ? [duplicate(`${path}[${i}]`, action)] : []),
  ]);
  const twice = given.includes("Deny") && given.includes("Warn");
  return twice
    ? [
        ...errors,
        invalid(
          path,
          [...given],
          "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
        ),
      ]
    : errors;
}

/** The expressions of a policy; without variables there is nothing that they could share. */
function expressionsOf(
  spec: JsonObject,
  old: JsonObject | undefined,
  variables: "some" | "none",
): PolicyExpressions {
  return openExpressions({
    params: paramsOf(spec),
    variables,
    stored: old ? storedExpressions(old) : {},
  });
}

const paramsOf = (spec: JsonObject): "given" | "none" =>
  isObject(spec["paramKind"]) ? "given" : "none";

/** What both sorts of policy have in front. */
function policyHeadErrors(
  spec: JsonObject,
  old: JsonObject | undefined,
  expressions: PolicyExpressions,
  moreOfMatch: (match: JsonObject) => readonly FieldError[],
): FieldError[] {
  const match = spec["matchConstraints"];
  const isSame =
    old !== undefined &&
    ["paramKind", "matchConditions"].every((field) =>
      equalJson(spec[field] ?? null, old[field] ?? null),
    );
  return [
    ...oneOf(spec, "failurePolicy", failurePolicies, "spec"),
    ...(isObject(spec["paramKind"]) ? validateParamKind(spec["paramKind"], "spec.paramKind") : []),
    ...(isObject(match)
      ? [
          ...validateMatchResources(match, "spec.matchConstraints"),
          ...(hasItems(match["resourceRules"])
            ? []
            : [required("spec.matchConstraints.resourceRules", "")]),
          ...moreOfMatch(match),
        ]
      : [required("spec.matchConstraints", "")]),
    ...(isSame
      ? []
      : validateMatchConditions(
          itemsAt(spec, "matchConditions"),
          "spec.matchConditions",
          openMatchConditions(paramsOf(spec), old ? storedExpressions(old) : {}),
        )),
    ...itemsAt(spec, "variables").flatMap((variable, i) =>
      variableErrors(variable, `spec.variables[${i}]`, expressions),
    ),
  ];
}

function variableErrors(
  variable: JsonObject,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const name = stringAt(variable, "name");
  const expression = stringAt(variable, "expression");
  return [
    ...(name.trim()
      ? identifier.test(name)
        ? []
        : [invalid(`${path}.name`, name, "must be a valid CEL identifier")]
      : [required(`${path}.name`, "name is not specified")]),
    ...(expression.trim()
      ? expressions.declare(name, expression, `${path}.expression`)
      : [required(`${path}.expression`, "expression is not specified")]),
  ];
}

function validateValidatingPolicy(
  spec: JsonObject,
  old: JsonObject | undefined,
  name: string,
): FieldError[] {
  const expressions = expressionsOf(spec, old, hasItems(spec["variables"]) ? "some" : "none");
  const head = policyHeadErrors(spec, old, expressions, () => []);
  const [validations, annotations] = [
    itemsAt(spec, "validations"),
    itemsAt(spec, "auditAnnotations"),
  ];
  const neither = "validations or auditAnnotations must contain at least one item";
  if (!validations.length && !annotations.length)
    return [
      ...head,
      required("spec.validations", neither),
      required("spec.auditAnnotations", neither),
    ];
  return [
    ...head,
    ...validations.flatMap((validation, i) =>
      validationErrors(validation, `spec.validations[${i}]`, expressions),
    ),
    ...annotationErrors(annotations, name, expressions),
  ];
}

function validationErrors(
  validation: JsonObject,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const [expression, message, messageExpression] = [
    "expression",
    "message",
    "messageExpression",
  ].map((field) => stringAt(validation, field)) as [string, string, string];
  const errors = expression.trim()
    ? expressions.check("condition", expression, `${path}.expression`)
    : [required(`${path}.expression`, "expression is not specified")];
  if (messageExpression.trim())
    errors.push(...expressions.check("message", messageExpression, `${path}.messageExpression`));
  else if (messageExpression)
    errors.push(
      invalid(`${path}.messageExpression`, messageExpression, "must be non-empty if specified"),
    );
  if (message && !message.trim())
    errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (/[\r\n]/.test(message.trim()))
    errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  return [...errors, ...oneOf(validation, "reason", reasons, path)];
}

function annotationErrors(
  annotations: readonly JsonObject[],
  policy: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const keys = new Set<string>();
  const all = "spec.auditAnnotations";
  const printed = annotations.map((each) => ({
    Key: stringAt(each, "key"),
    ValueExpression: stringAt(each, "valueExpression"),
  }));
  const many =
    annotations.length > maxAnnotations
      ? [invalid(all, printed, `must not have more than ${maxAnnotations} auditAnnotations`)]
      : [];
  const each = annotations.flatMap((annotation, i) => {
    const path = `${all}[${i}]`;
    const key = stringAt(annotation, "key");
    const errors = policy
      ? labelKeyFaults(`${policy}/${key}`).map((fault) =>
          invalid(`${path}.key`, `${policy}/${key}`, fault),
        )
      : [invalid(`${path}.key`, key, "requires metadata.name be non-empty")];
    errors.push(
      ...valueErrors(
        stringAt(annotation, "valueExpression"),
        `${path}.valueExpression`,
        expressions,
      ),
    );
    if (keys.has(key)) errors.push(duplicate(`${path}.key`, key));
    keys.add(key);
    return errors;
  });
  return [...many, ...each];
}

function valueErrors(
  expression: string,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const trimmed = expression.trim();
  if (!trimmed) return [required(path, "valueExpression is not specified")];
  if (Buffer.byteLength(trimmed) > maxAnnotationBytes)
    return [required(path, `must not exceed ${maxAnnotationBytes} bytes in length`)];
  return expressions.check("annotation", trimmed, path, expression);
}

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

function validateMutatingPolicy(spec: JsonObject, old: JsonObject | undefined): FieldError[] {
  const mutations = itemsAt(spec, "mutations");
  const expressions = expressionsOf(spec, old, "some");
  return [
    ...policyHeadErrors(spec, old, expressions, (match) =>
      mutableOperationErrors(match, "spec.matchConstraints"),
    ),
    ...(mutations.length
      ? mutations.flatMap((mutation, i) =>
          mutationErrors(mutation, `spec.mutations[${i}]`, expressions),
        )
      : [required("spec.mutations", "mutations must contain at least one item")]),
    ...(stringAt(spec, "reinvocationPolicy")
      ? oneOf(spec, "reinvocationPolicy", ["IfNeeded", "Never"], "spec")
      : [required("spec.reinvocationPolicy", "")]),
  ];
}

function mutationErrors(
  mutation: JsonObject,
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const type = stringAt(mutation, "patchType");
  if (!type) return [required(`${path}.patchType`, "")];
  if (!patchTypes.includes(type)) return [notSupported(`${path}.patchType`, type, patchTypes)];
  const isPatch = type === "JSONPatch";
  const [own, other] = isPatch
    ? (["jsonPatch", "applyConfiguration"] as const)
    : (["applyConfiguration", "jsonPatch"] as const);
  const expression = stringAt(objectAt(mutation, own), "expression").trim();
  const at = `${path}.${own}.expression`;
  return [
    ...(isSet(mutation[own])
      ? expression
        ? expressions.check(isPatch ? "JSON patch" : "apply configuration", expression, at)
        : [required(at, "")]
      : [required(`${path}.${own}`, `must be specified when patchType is ${type}`)]),
    ...(isSet(mutation[other])
      ? [
          invalid(
            `${path}.${other}`,
            `{${other}}`,
            `must not be specified when patchType is ${type}`,
          ),
        ]
      : []),
  ];
}

function policyCells(object: JsonObject, list: string, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const kind = spec["paramKind"];
  return [
    nameOf(object),
    itemsAt(spec, list).length,
    isObject(kind) ? `${stringAt(kind, "apiVersion")}/${stringAt(kind, "kind")}` : "<unset>",
    ageOf(object, nowMs),
  ];
}

function formatParamRef(reference: Json | undefined): string {
  if (!isObject(reference)) return "<unset>";
  const name = stringAt(reference, "name");
  if (name) return `${stringAt(reference, "namespace") || "*"}/${name}`;
  return isObject(reference["selector"]) ? formatSelector(reference["selector"]) : "<unset>";
}
