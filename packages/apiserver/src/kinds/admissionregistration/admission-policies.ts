// Admission policies and their bindings. Stored and checked; expressions are checked for presence, not compiled.
// Upstream: k8s.io/kubernetes/pkg/registry/admissionregistration/{validating,mutating}admissionpolicy{,binding}/strategy.go,
// pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import { dnsSubdomainFaults, isObject, type Json, type JsonObject } from "homeostat/api";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import type { BuiltinKind, Rules } from "../object/builtin-kind.ts";
import { formatSelector } from "../object/label-selectors.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { warnNotEnforced } from "../object/not-enforced.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { hasItems, isSet, itemsAt, mutableAt, setIfNil, textsAt } from "../object/read-fields.ts";
import { keepMetadataForStatus } from "../object/status-metadata.ts";
import { bumpGeneration, keepOld, metadataOf, objectAt, stringAt } from "../object/strategy.ts";
import { validateConditions } from "../object/validate-conditions.ts";
import { failurePolicies, mutableOperationErrors, oneOf, setMatchDefaults, validateMatchConditions, validateMatchResources, validateParamKind, validateParamRef } from "./admission-rules.ts";

const group = "admissionregistration.k8s.io";
const actions = ["Audit", "Deny", "Warn"];
const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

type SpecErrors = (spec: JsonObject) => readonly FieldError[];

/** Rules of a kind whose generation follows its spec and whose every write is checked as a whole. */
function specRules(kind: string, validate: SpecErrors): Rules {
  return {
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    prepareForUpdate: (object, old) => bumpGeneration(object, old, ["spec"]),
    validateCreate: (object, context) => warnNotEnforced(kind, context, validate(objectAt(object, "spec"))),
    validateUpdate: (object, _old, context) => warnNotEnforced(kind, context, [...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain), ...validate(objectAt(object, "spec"))]),
  };
}

export const validatingAdmissionPolicy: BuiltinKind = {
  group,
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  defaults: setPolicyDefaults,
  rules: {
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
  views: {
    status: {
      resetFields: [["f:metadata"], ["f:spec"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        keepMetadataForStatus(object, old);
      },
      validateUpdate: (object) => validateConditions(itemsAt(objectAt(object, "status"), "conditions"), "status.conditions"),
    },
  },
  cells: (object, nowMs) => policyCells(object, "validations", nowMs),
};

export const mutatingAdmissionPolicy: BuiltinKind = {
  group,
  version: "v1",
  kind: "MutatingAdmissionPolicy",
  defaults: setPolicyDefaults,
  rules: specRules("MutatingAdmissionPolicy", validateMutatingPolicy),
  cells: (object, nowMs) => policyCells(object, "mutations", nowMs),
};

export const validatingAdmissionPolicyBinding: BuiltinKind = bindingKind("ValidatingAdmissionPolicyBinding", (spec) => actionErrors(textsAt(spec, "validationActions")));
export const mutatingAdmissionPolicyBinding: BuiltinKind = bindingKind("MutatingAdmissionPolicyBinding", (spec) => mutableOperationErrors(objectAt(spec, "matchResources"), "spec.matchResources"));

function bindingKind(kind: string, more: SpecErrors): BuiltinKind {
  return {
    group,
    version: "v1",
    kind,
    defaults: (object) => setMatchDefaults(mutableAt(objectAt(object, "spec"), "matchResources")),
    rules: specRules(kind, (spec) => [...validateBinding(spec), ...more(spec)]),
    cells: (object, nowMs) => [nameOf(object), stringAt(objectAt(object, "spec"), "policyName"), formatParamRef(objectAt(object, "spec")["paramRef"]), ageOf(object, nowMs)],
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
    ...(name ? dnsSubdomainFaults(name).map((fault) => invalid("spec.policyName", name, fault)) : [required("spec.policyName", "")]),
    ...(isObject(spec["paramRef"]) ? validateParamRef(spec["paramRef"], "spec.paramRef") : []),
    ...(isObject(spec["matchResources"]) ? validateMatchResources(spec["matchResources"], "spec.matchResources") : []),
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
    ? [...errors, invalid(path, [...given], "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)")]
    : errors;
}

/** What both sorts of policy have in front. */
function policyHeadErrors(spec: JsonObject, moreOfMatch: (match: JsonObject) => readonly FieldError[]): FieldError[] {
  const match = spec["matchConstraints"];
  return [
    ...oneOf(spec, "failurePolicy", failurePolicies, "spec"),
    ...(isObject(spec["paramKind"]) ? validateParamKind(spec["paramKind"], "spec.paramKind") : []),
    ...(isObject(match)
      ? [...validateMatchResources(match, "spec.matchConstraints"), ...(hasItems(match["resourceRules"]) ? [] : [required("spec.matchConstraints.resourceRules", "")]), ...moreOfMatch(match)]
      : [required("spec.matchConstraints", "")]),
    ...validateMatchConditions(itemsAt(spec, "matchConditions"), "spec.matchConditions"),
    ...itemsAt(spec, "variables").flatMap((variable, i) => variableErrors(variable, `spec.variables[${i}]`)),
  ];
}

function variableErrors(variable: JsonObject, path: string): FieldError[] {
  const name = stringAt(variable, "name");
  return [
    ...(name.trim() ? (identifier.test(name) ? [] : [invalid(`${path}.name`, name, "must be a valid CEL identifier")]) : [required(`${path}.name`, "name is not specified")]),
    ...(stringAt(variable, "expression").trim() ? [] : [required(`${path}.expression`, "expression is not specified")]),
  ];
}

function validateValidatingPolicy(spec: JsonObject): FieldError[] {
  const head = policyHeadErrors(spec, () => []);
  const [validations, annotations] = [itemsAt(spec, "validations"), itemsAt(spec, "auditAnnotations")];
  const neither = "validations or auditAnnotations must contain at least one item";
  if (!validations.length && !annotations.length) return [...head, required("spec.validations", neither), required("spec.auditAnnotations", neither)];
  return [...head, ...validations.flatMap((validation, i) => validationErrors(validation, `spec.validations[${i}]`)), ...annotationErrors(annotations)];
}

function validationErrors(validation: JsonObject, path: string): FieldError[] {
  const message = stringAt(validation, "message");
  const expression = stringAt(validation, "messageExpression");
  const errors = stringAt(validation, "expression").trim() ? [] : [required(`${path}.expression`, "expression is not specified")];
  if (expression && !expression.trim()) errors.push(invalid(`${path}.messageExpression`, expression, "must be non-empty if specified"));
  if (message && !message.trim()) errors.push(invalid(`${path}.message`, message, "must be non-empty if specified"));
  else if (/[\r\n]/.test(message.trim())) errors.push(invalid(`${path}.message`, message, "must not contain line breaks"));
  return [...errors, ...oneOf(validation, "reason", reasons, path)];
}

function annotationErrors(annotations: readonly JsonObject[]): FieldError[] {
  const keys = new Set<string>();
  return annotations.flatMap((annotation, i) => {
    const path = `spec.auditAnnotations[${i}]`;
    const key = stringAt(annotation, "key");
    const errors = key ? [] : [required(`${path}.key`, "")];
    if (!stringAt(annotation, "valueExpression").trim()) errors.push(required(`${path}.valueExpression`, "valueExpression is not specified"));
    if (keys.has(key)) errors.push(duplicate(`${path}.key`, key));
    keys.add(key);
    return errors;
  });
}

const patchTypes = ["ApplyConfiguration", "JSONPatch"];

function validateMutatingPolicy(spec: JsonObject): FieldError[] {
  const mutations = itemsAt(spec, "mutations");
  return [
    ...policyHeadErrors(spec, (match) => mutableOperationErrors(match, "spec.matchConstraints")),
    ...(mutations.length ? mutations.flatMap((mutation, i) => mutationErrors(mutation, `spec.mutations[${i}]`)) : [required("spec.mutations", "mutations must contain at least one item")]),
    ...(stringAt(spec, "reinvocationPolicy") ? oneOf(spec, "reinvocationPolicy", ["IfNeeded", "Never"], "spec") : [required("spec.reinvocationPolicy", "")]),
  ];
}

function mutationErrors(mutation: JsonObject, path: string): FieldError[] {
  const type = stringAt(mutation, "patchType");
  if (!type) return [required(`${path}.patchType`, "")];
  if (!patchTypes.includes(type)) return [notSupported(`${path}.patchType`, type, patchTypes)];
  const [own, other] = type === "JSONPatch" ? ["jsonPatch", "applyConfiguration"] : ["applyConfiguration", "jsonPatch"];
  return [
    ...(isSet(mutation[own!]) ? [] : [required(`${path}.${own}`, `must be specified when patchType is ${type}`)]),
    ...(isSet(mutation[other!]) ? [invalid(`${path}.${other}`, `{${other}}`, `must not be specified when patchType is ${type}`)] : []),
  ];
}

function policyCells(object: JsonObject, list: string, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const kind = spec["paramKind"];
  return [nameOf(object), itemsAt(spec, list).length, isObject(kind) ? `${stringAt(kind, "apiVersion")}/${stringAt(kind, "kind")}` : "<unset>", ageOf(object, nowMs)];
}

function formatParamRef(reference: Json | undefined): string {
  if (!isObject(reference)) return "<unset>";
  const name = stringAt(reference, "name");
  if (name) return `${stringAt(reference, "namespace") || "*"}/${name}`;
  return isObject(reference["selector"]) ? formatSelector(reference["selector"]) : "<unset>";
}
