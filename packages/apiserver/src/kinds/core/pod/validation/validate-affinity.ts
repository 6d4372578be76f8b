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
import { errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
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
    ...(affinity[preferredTerms] ?? []).flatMap((term, i) => {
      const at = `${path}.${preferredTerms}[${i}]`;
      return [
        ...weightErrors(term.weight ?? 0, at),
        ...termErrors(term.preference ?? {}, `${at}.preference`, "any values"),
      ];
    }),
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
  return terms.flatMap((term, i) =>
    termErrors(term, `${path}.nodeSelectorTerms[${i}]`, "label values"),
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
    ...(term.matchExpressions ?? []).flatMap((each, i) =>
      requirementErrors(each, `${path}.matchExpressions[${i}]`, values),
    ),
    ...(term.matchFields ?? []).flatMap((each, i) =>
      fieldErrors(each, `${path}.matchFields[${i}]`),
    ),
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
      : values.flatMap((value, i) => ruled(labelValueFaults, value, `${path}.values[${i}]`))),
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
      ? values.flatMap((value, i) => dnsSubdomainErrors(value, `${path}.values[${i}]`))
      : [fieldError.invalid(`${path}.key`, key, "not a valid field selector key")]),
  ];
}

function podAffinityErrors(affinity: Decoded<PodAffinity>, path: string): FieldError[] {
  return [
    ...(affinity[requiredTerms] ?? []).flatMap((term, i) =>
      podTermErrors(term, `${path}.${requiredTerms}[${i}]`),
    ),
    ...(affinity[preferredTerms] ?? []).flatMap((term, i) => [
      ...weightErrors(term.weight ?? 0, `${path}.${preferredTerms}[${i}]`),
      ...podTermErrors(
        term.podAffinityTerm ?? {},
        `${path}.${preferredTerms}[${i}].podAffinityTerm`,
      ),
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
