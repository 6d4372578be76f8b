// Validation and defaults that webhooks and policies share: which requests they match, and with
// which parameters.
// Upstream:
// k8s.io/kubernetes/pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import {
  type Decoded,
  dns1035LabelFaults,
  dnsSubdomainFaults,
  labelKeyFaults,
  pathSegmentFaults,
} from "homeostat/api";
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  RuleWithOperations,
} from "homeostat/k8s/admissionregistration/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { requiredValid } from "../validation/field-rules.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import type { PolicyExpressions } from "./policy-expressions.ts";
import { wildcardErrors } from "../validation/wildcard-errors.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const mutableOperations = ["*", "CONNECT", "CREATE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];
export const failurePolicies = ["Fail", "Ignore"];
export const matchPolicies = ["Equivalent", "Exact"];
const maxConditions = 64;

/** A field that is set, but not to one of `values`. */
export function enumErrors<T extends object>(
  object: T,
  field: keyof NoInfer<T> & string,
  values: readonly string[],
  path: string,
): FieldError[] {
  const value = object[field];
  return typeof value === "string" && !values.includes(value)
    ? [fieldError.notSupported(`${path}.${field}`, value, values)]
    : [];
}

/** Sets the scope of each rule. */
export function setRuleDefaults(rules: readonly Decoded<RuleWithOperations>[]): void {
  for (const rule of rules) rule.scope ??= "*";
}

/** Operations, and the resources that they are on. */
export function validateRule(rule: Decoded<RuleWithOperations>, path: string): FieldError[] {
  const verbs = rule.operations ?? [];
  const groups = rule.apiGroups ?? [];
  const versions = rule.apiVersions ?? [];
  return [
    ...errorIf(!verbs.length, () => fieldError.required(`${path}.operations`, "")),
    ...wildcardErrors(verbs, `${path}.operations`, "operations"),
    ...eachItem(verbs, `${path}.operations`, (verb, at) =>
      errorIf(!operations.includes(verb), () => fieldError.notSupported(at, verb, operations)),
    ),
    ...errorIf(!groups.length, () => fieldError.required(`${path}.apiGroups`, "")),
    ...wildcardErrors(groups, `${path}.apiGroups`, "API groups"),
    ...errorIf(!versions.length, () => fieldError.required(`${path}.apiVersions`, "")),
    ...wildcardErrors(versions, `${path}.apiVersions`, "API versions"),
    ...eachItem(versions, `${path}.apiVersions`, (version, at) =>
      errorIf(!version, () => fieldError.required(at, "")),
    ),
    ...resourceErrors(rule.resources ?? [], `${path}.resources`),
    ...enumErrors(rule, "scope", scopes, path),
  ];
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  if (!resources.length) return [fieldError.required(path, "")];
  const errors: FieldError[] = [];
  const allOf = new Set<string>();
  const everywhere = new Set<string>();
  let hasPlain = false;
  resources.forEach((text, i) => {
    const slash = text.indexOf("/");
    if (!text) errors.push(fieldError.required(`${path}[${i}]`, ""));
    else if (slash < 0) hasPlain = text !== "*";
    if (!text || slash < 0) return;
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    const covering = [
      ...(allOf.has(resource) ? [`${resource}/*`] : []),
      ...(everywhere.has(sub) ? [`*/${sub}`] : []),
    ];
    for (const wildcard of covering) {
      const message = `if '${wildcard}' is present, must not specify ${text}`;
      errors.push(fieldError.invalid(`${path}[${i}]`, text, message));
    }
    if (sub === "*") allOf.add(resource);
    if (resource === "*") everywhere.add(sub);
  });
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(
      fieldError.invalid(
        path,
        [...resources],
        "if '*/*' is present, must not specify other resources",
      ),
    );
  if (resources.includes("*") && hasPlain)
    errors.push(
      fieldError.invalid(
        path,
        [...resources],
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  return errors;
}

/** Sets the defaults of matchConstraints or matchResources. */
export function setMatchDefaults(match: Decoded<MatchResources>): void {
  match.matchPolicy ??= "Equivalent";
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  setRuleDefaults(match.resourceRules ?? []);
  setRuleDefaults(match.excludeResourceRules ?? []);
}

/** Every violation in matchConstraints or matchResources. */
export function validateMatchResources(match: Decoded<MatchResources>, path: string): FieldError[] {
  return [
    ...enumErrors(match, "matchPolicy", matchPolicies, path),
    ...(["namespaceSelector", "objectSelector"] as const).flatMap((field) =>
      validateLabelSelector(match[field] ?? {}, `${path}.${field}`),
    ),
    ...(["resourceRules", "excludeResourceRules"] as const).flatMap((list) =>
      eachItem(match[list], `${path}.${list}`, namedRuleErrors),
    ),
  ];
}

function namedRuleErrors(rule: Decoded<NamedRuleWithOperations>, path: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  const nameErrors = eachItem(names, `${path}.resourceNames`, (name, at, i) => [
    ...pathSegmentFaults(name).map((fault) => fieldError.invalid(at, name, fault)),
    ...errorIf(names.indexOf(name) < i, () => fieldError.duplicate(at, name)),
  ]);
  return [...nameErrors, ...validateRule(rule, path)];
}

/** Mutating policies match writes only. */
export function mutableOperationErrors(match: Decoded<MatchResources>, path: string): FieldError[] {
  return (match.resourceRules ?? []).flatMap((rule) =>
    (rule.operations ?? [])
      .filter((verb) => !mutableOperations.includes(verb))
      .map((verb) =>
        fieldError.notSupported(`${path}.resourceRules.operations`, verb, mutableOperations),
      ),
  );
}

/** Names and expressions of match conditions. */
export function validateMatchConditions(
  conditions: readonly Decoded<MatchCondition>[],
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const names = new Set<string>();
  const many = errorIf(conditions.length > maxConditions, () =>
    fieldError.tooMany(path, conditions.length, maxConditions),
  );
  const each = eachItem(conditions, path, (condition, at) => {
    const name = condition.name ?? "";
    const expression = (condition.expression ?? "").trim();
    const errors = expression
      ? expressions.check("condition", expression, `${at}.expression`)
      : [fieldError.required(`${at}.expression`, "")];
    errors.push(
      ...(name
        ? labelKeyFaults(name).map((fault) => fieldError.invalid(`${at}.name`, name, fault))
        : [fieldError.required(`${at}.name`, "")]),
    );
    if (name && names.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name));
    names.add(name);
    return errors;
  });
  return [...many, ...each];
}

/** The kind of a policy's parameters. */
export function validateParamKind(kind: Decoded<ParamKind>, path: string): FieldError[] {
  const apiVersion = kind.apiVersion ?? "";
  const name = kind.kind ?? "";
  return [
    ...requiredValid(apiVersionErrors, apiVersion, `${path}.apiVersion`),
    ...requiredValid(kindErrors, name, `${path}.kind`),
  ];
}

function kindErrors(kind: string, path: string): FieldError[] {
  const faults = dns1035LabelFaults(kind.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${faults.join(",")}`;
  return errorIf(faults.length, () => fieldError.invalid(path, kind, detail));
}

function apiVersionErrors(apiVersion: string, path: string): FieldError[] {
  const parts = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (parts.length > 2)
    return [fieldError.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1)!;
  const group = parts.length === 2 ? parts[0]! : "";
  const groupFaults = group ? dnsSubdomainFaults(group) : [];
  const errors = errorIf(groupFaults.length, () =>
    fieldError.invalid(path, group, groupFaults.join(",")),
  );
  if (!version)
    return [...errors, fieldError.invalid(path, apiVersion, "version must be specified")];
  const versionFaults = dns1035LabelFaults(version);
  return versionFaults.length
    ? [...errors, fieldError.invalid(path, version, versionFaults.join(","))]
    : errors;
}

const notFoundActions = ["Deny", "Allow"];

/** The parameters of a binding. */
export function validateParamRef(reference: Decoded<ParamRef>, path: string): FieldError[] {
  const name = reference.name ?? "";
  const { selector } = reference;
  const both = "name and selector are mutually exclusive";
  const errors = pathSegmentFaults(name).map((fault) =>
    fieldError.invalid(`${path}.name`, name, fault),
  );
  if (name && selector) errors.push(fieldError.forbidden(`${path}.name`, both));
  if (selector) errors.push(...validateLabelSelector(selector, `${path}.selector`));
  if (name && selector) errors.push(fieldError.forbidden(`${path}.selector`, both));
  if (!name && !isSet(selector))
    errors.push(fieldError.required(path, "one of name or selector must be specified"));
  return [
    ...errors,
    ...(reference.parameterNotFoundAction
      ? enumErrors(reference, "parameterNotFoundAction", notFoundActions, path)
      : [fieldError.required(`${path}.parameterNotFoundAction`, "")]),
  ];
}
