// Validation of node and pod affinity.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateAffinity,
// ValidateNodeSelector, validatePodAffinityTerm).
import { type Decoded, dnsLabelFaults, labelValueFaults } from "homeostat/api";
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import {
  selectorOperatorErrors,
  validateLabelSelector,
} from "../../../validation/label-selectors.ts";
import { dnsSubdomainErrors, qualifiedNameErrors, ruled } from "../../../validation/field-rules.ts";
import { validateLabelKeys } from "./validate-label-keys.ts";

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

/** `affinity`. */
export function validateAffinity(
  affinity: Decoded<Affinity> | null | undefined,
  path: string,
): FieldError[] {
  if (!affinity) return [];
  return [
    ...nodeAffinityErrors(affinity.nodeAffinity ?? {}, `${path}.nodeAffinity`),
    ...(["podAffinity", "podAntiAffinity"] as const).flatMap((name) =>
      podAffinityErrors(affinity[name] ?? {}, `${path}.${name}`),
    ),
  ];
}

function nodeAffinityErrors(affinity: Decoded<NodeAffinity>, path: string): FieldError[] {
  const selector = affinity[requiredTerms];
  return [
    ...(selector ? validateNodeSelector(selector, `${path}.${requiredTerms}`) : []),
    ...eachItem(affinity[preferredTerms], `${path}.${preferredTerms}`, (term, at) => [
      ...weightErrors(term.weight ?? 0, at),
      ...termErrors(term.preference ?? {}, `${at}.preference`, "any values"),
    ]),
  ];
}

function weightErrors(weight: number, path: string): FieldError[] {
  return errorIf(weight <= 0 || weight > 100, () =>
    fieldError.invalid(`${path}.weight`, weight, "must be in the range 1-100"),
  );
}

/** Validates a NodeSelector, of a pod or of a volume. */
export function validateNodeSelector(selector: Decoded<NodeSelector>, path: string): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  if (!terms.length)
    return [
      fieldError.required(`${path}.nodeSelectorTerms`, "must have at least one node selector term"),
    ];
  return eachItem(terms, `${path}.nodeSelectorTerms`, (term, at) =>
    termErrors(term, at, "label values"),
  );
}

/** Upstream allows preferences to name values that no label can have. */
type ValueRule = "label values" | "any values";

function termErrors(
  term: Decoded<NodeSelectorTerm>,
  path: string,
  values: ValueRule,
): FieldError[] {
  return [
    ...eachItem(term.matchExpressions, `${path}.matchExpressions`, (each, at) =>
      requirementErrors(each, at, values),
    ),
    ...eachItem(term.matchFields, `${path}.matchFields`, fieldErrors),
  ];
}

function requirementErrors(
  requirement: Decoded<NodeSelectorRequirement>,
  path: string,
  rule: ValueRule,
): FieldError[] {
  const values = requirement.values ?? [];
  return [
    ...operatorErrors(requirement.operator ?? "", values.length, path),
    ...qualifiedNameErrors(requirement.key ?? "", `${path}.key`),
    ...(rule === "any values"
      ? []
      : eachItem(values, `${path}.values`, (value, at) => ruled(labelValueFaults, value, at))),
  ];
}

function operatorErrors(operator: string, values: number, path: string): FieldError[] {
  if (operator !== "Gt" && operator !== "Lt") return selectorOperatorErrors(operator, values, path);
  const message = "must be specified single value when `operator` is 'Lt' or 'Gt'";
  return errorIf(values !== 1, () => fieldError.required(`${path}.values`, message));
}

function fieldErrors(requirement: Decoded<NodeSelectorRequirement>, path: string): FieldError[] {
  const operator = requirement.operator ?? "";
  const key = requirement.key ?? "";
  const values = requirement.values ?? [];
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn")
    errors.push(fieldError.invalid(`${path}.operator`, operator, "not a valid selector operator"));
  else if (values.length !== 1)
    errors.push(
      fieldError.required(
        `${path}.values`,
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      ),
    );
  return [
    ...errors,
    ...(key === "metadata.name"
      ? eachItem(values, `${path}.values`, dnsSubdomainErrors)
      : [fieldError.invalid(`${path}.key`, key, "not a valid field selector key")]),
  ];
}

function podAffinityErrors(affinity: Decoded<PodAffinity>, path: string): FieldError[] {
  return [
    ...eachItem(affinity[requiredTerms], `${path}.${requiredTerms}`, podTermErrors),
    ...eachItem(affinity[preferredTerms], `${path}.${preferredTerms}`, (term, at) => [
      ...weightErrors(term.weight ?? 0, at),
      ...podTermErrors(term.podAffinityTerm ?? {}, `${at}.podAffinityTerm`),
    ]),
  ];
}

function podTermErrors(term: Decoded<PodAffinityTerm>, path: string): FieldError[] {
  const { labelSelector: selector, namespaceSelector } = term;
  const topology = term.topologyKey ?? "";
  return [
    ...(selector ? validateLabelSelector(selector, `${path}.labelSelector`) : []),
    ...(namespaceSelector
      ? validateLabelSelector(namespaceSelector, `${path}.namespaceSelector`)
      : []),
    ...(term.namespaces ?? []).flatMap((name) => ruled(dnsLabelFaults, name, `${path}.namespace`)),
    ...validateLabelKeys(selector, term.matchLabelKeys ?? [], term.mismatchLabelKeys ?? [], path),
    ...errorIf(!topology, () => fieldError.required(`${path}.topologyKey`, "can not be empty")),
    ...qualifiedNameErrors(topology, `${path}.topologyKey`),
  ];
}
