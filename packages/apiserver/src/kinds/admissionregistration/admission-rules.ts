// Rules that webhooks and policies share: what requests they match, and which parameters they take.
// Upstream:
// k8s.io/kubernetes/pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}.
import {
  dns1035LabelFaults,
  dnsSubdomainFaults,
  isObject,
  type JsonObject,
  labelKeyFaults,
  pathSegmentFaults,
} from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../apimachinery/errors/field-error.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import {
  isSet,
  itemsAt,
  setIfNil,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import type { PolicyExpressions } from "./policy-expressions.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const mutableOperations = ["*", "CONNECT", "CREATE", "UPDATE"];
const scopes = ["*", "Cluster", "Namespaced"];
export const failurePolicies = ["Fail", "Ignore"];
export const matchPolicies = ["Equivalent", "Exact"];
const maxConditions = 64;

/** A set field with a value that is not among those known. */
export function oneOf(
  object: JsonObject,
  field: string,
  values: readonly string[],
  path: string,
): FieldError[] {
  const value = object[field];
  return typeof value === "string" && !values.includes(value)
    ? [notSupported(`${path}.${field}`, value, values)]
    : [];
}

/** `if '*' is present, must not specify other …`. */
const wildcardErrors = (texts: readonly string[], path: string, what: string): FieldError[] =>
  texts.length > 1 && texts.includes("*")
    ? [invalid(path, [...texts], `if '*' is present, must not specify other ${what}`)]
    : [];

/** Sets the scope of rules. */
export function setRuleDefaults(rules: readonly JsonObject[]): void {
  for (const rule of rules) setIfNil(rule, "scope", "*");
}

/** Operations with the resources that they are about. */
export function validateRule(rule: JsonObject, path: string): FieldError[] {
  const verbs = textsAt(rule, "operations");
  const groups = textsAt(rule, "apiGroups");
  const versions = textsAt(rule, "apiVersions");
  return [
    ...(verbs.length ? [] : [required(`${path}.operations`, "")]),
    ...wildcardErrors(verbs, `${path}.operations`, "operations"),
    ...verbs.flatMap((verb, i) =>
      operations.includes(verb) ? [] : [notSupported(`${path}.operations[${i}]`, verb, operations)],
    ),
    ...(groups.length ? [] : [required(`${path}.apiGroups`, "")]),
    ...wildcardErrors(groups, `${path}.apiGroups`, "API groups"),
    ...(versions.length ? [] : [required(`${path}.apiVersions`, "")]),
    ...wildcardErrors(versions, `${path}.apiVersions`, "API versions"),
    ...versions.flatMap((version, i) =>
      version ? [] : [required(`${path}.apiVersions[${i}]`, "")],
    ),
    ...resourceErrors(textsAt(rule, "resources"), `${path}.resources`),
    ...oneOf(rule, "scope", scopes, path),
  ];
}

function resourceErrors(resources: readonly string[], path: string): FieldError[] {
  if (!resources.length) return [required(path, "")];
  const errors: FieldError[] = [];
  const allOf = new Set<string>();
  const everywhere = new Set<string>();
  let hasPlain = false;
  resources.forEach((text, i) => {
    const slash = text.indexOf("/");
    if (!text) errors.push(required(`${path}[${i}]`, ""));
    else if (slash < 0) hasPlain = text !== "*";
    if (!text || slash < 0) return;
    const [resource, sub] = [text.slice(0, slash), text.slice(slash + 1)];
    if (allOf.has(resource))
      errors.push(
        invalid(`${path}[${i}]`, text, `if '${resource}/*' is present, must not specify ${text}`),
      );
    if (everywhere.has(sub))
      errors.push(
        invalid(`${path}[${i}]`, text, `if '*/${sub}' is present, must not specify ${text}`),
      );
    if (sub === "*") allOf.add(resource);
    if (resource === "*") everywhere.add(sub);
  });
  if (resources.length > 1 && resources.includes("*/*"))
    errors.push(
      invalid(path, [...resources], "if '*/*' is present, must not specify other resources"),
    );
  if (resources.includes("*") && hasPlain)
    errors.push(
      invalid(
        path,
        [...resources],
        "if '*' is present, must not specify other resources without subresources",
      ),
    );
  return errors;
}

/** Sets what matching resources leave open. */
export function setMatchDefaults(match: JsonObject | undefined): void {
  if (!match) return;
  setIfNil(match, "matchPolicy", "Equivalent");
  setIfNil(match, "namespaceSelector", {});
  setIfNil(match, "objectSelector", {});
  for (const list of ["resourceRules", "excludeResourceRules"])
    setRuleDefaults(itemsAt(match, list));
}

/** Every breach in matchConstraints or matchResources. */
export function validateMatchResources(match: JsonObject, path: string): FieldError[] {
  return [
    ...oneOf(match, "matchPolicy", matchPolicies, path),
    ...["namespaceSelector", "objectSelector"].flatMap((field) =>
      validateLabelSelector(objectAt(match, field), `${path}.${field}`),
    ),
    ...["resourceRules", "excludeResourceRules"].flatMap((list) =>
      itemsAt(match, list).flatMap((rule, i) => namedRuleErrors(rule, `${path}.${list}[${i}]`)),
    ),
  ];
}

function namedRuleErrors(rule: JsonObject, path: string): FieldError[] {
  const names = textsAt(rule, "resourceNames");
  const nameErrors = names.flatMap((name, i) => {
    const at = `${path}.resourceNames[${i}]`;
    return [
      ...pathSegmentFaults(name).map((fault) => invalid(at, name, fault)),
      ...(names.indexOf(name) < i ? [duplicate(at, name)] : []),
    ];
  });
  return [...nameErrors, ...validateRule(rule, path)];
}

/** Mutation is for what is written. */
export function mutableOperationErrors(match: JsonObject, path: string): FieldError[] {
  return itemsAt(match, "resourceRules").flatMap((rule) =>
    textsAt(rule, "operations")
      .filter((verb) => !mutableOperations.includes(verb))
      .map((verb) => notSupported(`${path}.resourceRules.operations`, verb, mutableOperations)),
  );
}

/** Names and expressions of match conditions. */
export function validateMatchConditions(
  conditions: readonly JsonObject[],
  path: string,
  expressions: PolicyExpressions,
): FieldError[] {
  const names = new Set<string>();
  const many =
    conditions.length > maxConditions ? [tooMany(path, conditions.length, maxConditions)] : [];
  const each = conditions.flatMap((condition, i) => {
    const name = stringAt(condition, "name");
    const expression = stringAt(condition, "expression").trim();
    const errors = expression
      ? expressions.check("condition", expression, `${path}[${i}].expression`)
      : [required(`${path}[${i}].expression`, "")];
    errors.push(
      ...(name
        ? labelKeyFaults(name).map((fault) => invalid(`${path}[${i}].name`, name, fault))
        : [required(`${path}[${i}].name`, "")]),
    );
    if (name && names.has(name)) errors.push(duplicate(`${path}[${i}].name`, name));
    names.add(name);
    return errors;
  });
  return [...many, ...each];
}

/** The kind of a policy's parameters. */
export function validateParamKind(kind: JsonObject, path: string): FieldError[] {
  const apiVersion = stringAt(kind, "apiVersion");
  const name = stringAt(kind, "kind");
  const kindFaults = dns1035LabelFaults(name.toLowerCase());
  const kindErrors = name
    ? kindFaults.length
      ? [
          invalid(
            `${path}.kind`,
            name,
            `may have mixed case, but should otherwise match: ${kindFaults.join(",")}`,
          ),
        ]
      : []
    : [required(`${path}.kind`, "")];
  return [
    ...(apiVersion
      ? apiVersionErrors(apiVersion, `${path}.apiVersion`)
      : [required(`${path}.apiVersion`, "")]),
    ...kindErrors,
  ];
}

function apiVersionErrors(apiVersion: string, path: string): FieldError[] {
  const parts = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (parts.length > 2)
    return [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1)!;
  const group = parts.length === 2 ? parts[0]! : "";
  const groupFaults = group ? dnsSubdomainFaults(group) : [];
  const versionFaults = version ? dns1035LabelFaults(version) : [];
  return [
    ...(groupFaults.length ? [invalid(path, group, groupFaults.join(","))] : []),
    ...(version
      ? versionFaults.length
        ? [invalid(path, version, versionFaults.join(","))]
        : []
      : [invalid(path, apiVersion, "version must be specified")]),
  ];
}

const notFoundActions = ["Deny", "Allow"];

/** Which parameters a binding takes. */
export function validateParamRef(reference: JsonObject, path: string): FieldError[] {
  const name = stringAt(reference, "name");
  const { selector } = reference;
  const both = "name and selector are mutually exclusive";
  const errors = pathSegmentFaults(name).map((fault) => invalid(`${path}.name`, name, fault));
  if (name && isObject(selector)) errors.push(forbidden(`${path}.name`, both));
  if (isObject(selector)) errors.push(...validateLabelSelector(selector, `${path}.selector`));
  if (name && isObject(selector)) errors.push(forbidden(`${path}.selector`, both));
  if (!name && !isSet(selector))
    errors.push(required(path, "one of name or selector must be specified"));
  return [
    ...errors,
    ...(stringAt(reference, "parameterNotFoundAction")
      ? oneOf(reference, "parameterNotFoundAction", notFoundActions, path)
      : [required(`${path}.parameterNotFoundAction`, "")]),
  ];
}
