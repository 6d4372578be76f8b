// Policy rules, and whether one allows an action. Pure.
// Upstream: k8s.io/kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go,
// plugin/pkg/auth/authorizer/rbac/rbac.go (RuleAllows).
import type { Decoded } from "homeostat/api";
import type { PolicyRule } from "homeostat/k8s/rbac/v1";
import type { RequestedAction } from "../../apimachinery/authorizer.ts";

/** A PolicyRule without absent lists. */
export type Rule = { readonly [K in keyof Required<PolicyRule>]: readonly string[] };

/** Reads the rules of a role. */
export function readRules(rules: readonly Decoded<PolicyRule>[] | null | undefined): Rule[] {
  return (rules ?? []).map((rule) => ({
    verbs: rule.verbs ?? [],
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    resourceNames: rule.resourceNames ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
  }));
}

/** Whether a rule allows an action. */
export function ruleAllows(rule: Rule, action: RequestedAction): boolean {
  if (!holds(rule.verbs, action.verb)) return false;
  if (!action.isResource) return rule.nonResourceURLs.some((url) => urlCovers(url, action.path));
  return (
    holds(rule.apiGroups, action.group) &&
    coversResource(rule.resources, action) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(action.name))
  );
}

/** `*` stands for every value. */
export function holds(values: readonly string[], value: string): boolean {
  return values.includes(value) || values.includes("*");
}

/** Whether a URL of a rule, which may end in `*`, covers a path. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));
}

/** `pods/*` is no wildcard, `*` is every resource, and `*` before a slash any parent. */
function coversResource(
  resources: readonly string[],
  { resource, subresource }: RequestedAction,
): boolean {
  if (!subresource) return holds(resources, resource);
  return holds(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}
