// Node and pod affinity.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateAffinity,
// ValidateNodeSelector, validatePodAffinityTerm).
import { dnsLabelFaults, type JsonObject, labelValueFaults } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  required,
} from "../../../../apimachinery/errors/field-error.ts";
import { validateLabelSelector } from "../../../validation/label-selectors.ts";
import {
  itemsAt,
  mutableAt,
  numberAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../../apimachinery/meta/read-fields.ts";
import { dnsSubdomainErrors, qualifiedNameErrors, ruled } from "../../../validation/field-rules.ts";
import { validateLabelKeys } from "./validate-label-keys.ts";

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

/** `affinity`. */
export function validateAffinity(affinity: JsonObject | undefined, path: string): FieldError[] {
  if (!affinity) return [];
  return [
    ...nodeAffinityErrors(objectAt(affinity, "nodeAffinity"), `${path}.nodeAffinity`),
    ...["podAffinity", "podAntiAffinity"].flatMap((name) =>
      podAffinityErrors(objectAt(affinity, name), `${path}.${name}`),
    ),
  ];
}

function nodeAffinityErrors(affinity: JsonObject, path: string): FieldError[] {
  const selector = mutableAt(affinity, requiredTerms);
  return [
    ...(selector ? validateNodeSelector(selector, `${path}.${requiredTerms}`) : []),
    ...itemsAt(affinity, preferredTerms).flatMap((term, i) => {
      const at = `${path}.${preferredTerms}[${i}]`;
      return [
        ...weightErrors(term, at),
        ...termErrors(objectAt(term, "preference"), `${at}.preference`, "any values"),
      ];
    }),
  ];
}

function weightErrors(term: JsonObject, path: string): FieldError[] {
  const weight = numberAt(term, "weight");
  return weight <= 0 || weight > 100
    ? [invalid(`${path}.weight`, weight, "must be in the range 1-100")]
    : [];
}

/** A NodeSelector; of volumes, too. */
export function validateNodeSelector(selector: JsonObject, path: string): FieldError[] {
  const terms = itemsAt(selector, "nodeSelectorTerms");
  if (!terms.length)
    return [required(`${path}.nodeSelectorTerms`, "must have at least one node selector term")];
  return terms.flatMap((term, i) =>
    termErrors(term, `${path}.nodeSelectorTerms[${i}]`, "label values"),
  );
}

/** Preferences may look for values that no label can have. */
type ValueRule = "label values" | "any values";

function termErrors(term: JsonObject, path: string, values: ValueRule): FieldError[] {
  return [
    ...itemsAt(term, "matchExpressions").flatMap((each, i) =>
      requirementErrors(each, `${path}.matchExpressions[${i}]`, values),
    ),
    ...itemsAt(term, "matchFields").flatMap((each, i) =>
      fieldErrors(each, `${path}.matchFields[${i}]`),
    ),
  ];
}

function requirementErrors(requirement: JsonObject, path: string, rule: ValueRule): FieldError[] {
  const values = textsAt(requirement, "values");
  return [
    ...operatorErrors(stringAt(requirement, "operator"), values.length, path),
    ...qualifiedNameErrors(stringAt(requirement, "key"), `${path}.key`),
    ...(rule === "any values"
      ? []
      : values.flatMap((value, i) => ruled(labelValueFaults, value, `${path}.values[${i}]`))),
  ];
}

function operatorErrors(operator: string, values: number, path: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values
        ? []
        : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values
        ? [
            forbidden(
              `${path}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ]
        : [];
    case "Gt":
    case "Lt":
      return values === 1
        ? []
        : [
            required(
              `${path}.values`,
              "must be specified single value when `operator` is 'Lt' or 'Gt'",
            ),
          ];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

function fieldErrors(requirement: JsonObject, path: string): FieldError[] {
  const operator = stringAt(requirement, "operator");
  const key = stringAt(requirement, "key");
  const values = textsAt(requirement, "values");
  const known = operator === "In" || operator === "NotIn";
  return [
    ...(known
      ? values.length === 1
        ? []
        : [
            required(
              `${path}.values`,
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            ),
          ]
      : [invalid(`${path}.operator`, operator, "not a valid selector operator")]),
    ...(key === "metadata.name"
      ? values.flatMap((value, i) => dnsSubdomainErrors(value, `${path}.values[${i}]`))
      : [invalid(`${path}.key`, key, "not a valid field selector key")]),
  ];
}

function podAffinityErrors(affinity: JsonObject, path: string): FieldError[] {
  return [
    ...itemsAt(affinity, requiredTerms).flatMap((term, i) =>
      podTermErrors(term, `${path}.${requiredTerms}[${i}]`),
    ),
    ...itemsAt(affinity, preferredTerms).flatMap((term, i) => [
      ...weightErrors(term, `${path}.${preferredTerms}[${i}]`),
      ...podTermErrors(
        objectAt(term, "podAffinityTerm"),
        `${path}.${preferredTerms}[${i}].podAffinityTerm`,
      ),
    ]),
  ];
}

function podTermErrors(term: JsonObject, path: string): FieldError[] {
  const selector = mutableAt(term, "labelSelector");
  const namespaceSelector = mutableAt(term, "namespaceSelector");
  const topology = stringAt(term, "topologyKey");
  return [
    ...(selector ? validateLabelSelector(selector, `${path}.labelSelector`) : []),
    ...(namespaceSelector
      ? validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`)
      : []),
    ...textsAt(term, "namespaces").flatMap((name) =>
      ruled(dnsLabelFaults, name, `${path}.namespace`),
    ),
    ...validateLabelKeys(
      selector,
      textsAt(term, "matchLabelKeys"),
      textsAt(term, "mismatchLabelKeys"),
      path,
    ),
    ...(topology ? [] : [required(`${path}.topologyKey`, "can not be empty")]),
    ...qualifiedNameErrors(topology, `${path}.topologyKey`),
  ];
}
