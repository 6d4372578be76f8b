// Validates an audit policy. Pure.
// Upstream: k8s.io/apiserver/pkg/apis/audit/validation/validation.go.
import { dnsSubdomainFaults } from "homeostat/api";
import { auditLevels } from "../apimachinery/audit.ts";
import * as fieldError from "../apimachinery/errors/field-error.ts";
import type { FieldError } from "../apimachinery/errors/field-error.ts";
import { auditStages } from "./audit-event.ts";
import type { AuditedResources, AuditPolicy, AuditPolicyRule } from "./audit-policy.ts";

/** Every fault of a decoded policy. */
export const validateAuditPolicy = ({ omitStages, rules }: AuditPolicy): readonly FieldError[] => [
  ...stageErrors(omitStages ?? [], "omitStages"),
  ...rules.flatMap((rule, i) => ruleErrors(rule, `rules[${i}]`)),
];

function ruleErrors(rule: AuditPolicyRule, path: string): readonly FieldError[] {
  const { nonResourceURLs = [], resources = [], namespaces = [], omitStages = [] } = rule;
  const mixes = nonResourceURLs.length > 0 && resources.length + namespaces.length > 0;
  const mixed = "rules cannot apply to both regular resources and non-resource URLs";
  return [
    ...levelErrors(rule.level, `${path}.level`),
    ...nonResourceURLs.flatMap((url, i) => urlErrors(url, `${path}.nonResourceURLs[${i}]`)),
    ...resources.flatMap((each) => resourceErrors(each, `${path}.resources`)),
    ...stageErrors(omitStages, `${path}.omitStages`),
    ...(mixes ? [fieldError.invalid(`${path}.nonResourceURLs`, [...nonResourceURLs], mixed)] : []),
  ];
}

function levelErrors(level: string, path: string): readonly FieldError[] {
  if (!level) return [fieldError.required(path, "")];
  const levels: readonly string[] = auditLevels;
  return levels.includes(level) ? [] : [fieldError.notSupported(path, level, [...levels])];
}

function urlErrors(url: string, path: string): readonly FieldError[] {
  if (url === "*") return [];
  const wildcard = "non-resource URL wildcards '*' must be the final character of the rule";
  return [
    ...(url.startsWith("/")
      ? []
      : [fieldError.invalid(path, url, "non-resource URL rules must begin with a '/' character")]),
    ...(url.slice(0, -1).includes("*") ? [fieldError.invalid(path, url, wildcard)] : []),
  ];
}

/** Upstream's paths have no index here. */
function resourceErrors(
  { group = "", resources = [], resourceNames = [] }: AuditedResources,
  path: string,
): readonly FieldError[] {
  const faults = group && group !== "*" ? dnsSubdomainFaults(group) : [];
  const unnamed = "using resourceNames requires at least one resource";
  return [
    ...(faults.length ? [fieldError.invalid(`${path}.group`, group, faults.join(","))] : []),
    ...(resourceNames.length && !resources.length
      ? [fieldError.invalid(`${path}.resourceNames`, [...resourceNames], unnamed)]
      : []),
  ];
}

function stageErrors(stages: readonly string[], path: string): readonly FieldError[] {
  const known: readonly string[] = auditStages;
  const detail = `allowed stages are ${known.join(",")}`;
  return stages.flatMap((stage, i) =>
    known.includes(stage) ? [] : [fieldError.invalid(`${path}[${i}]`, stage, detail)],
  );
}
