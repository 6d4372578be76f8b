// The rules of an aggregated cluster role: those of the roles that its selectors select. Pure.
// Upstream:
// k8s.io/kubernetes/pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
import { compareBytewise, matchesLabels } from "homeostat/api";
import type { ClusterRole, PolicyRule } from "homeostat/k8s/rbac/v1";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { toSelector } from "../../component-helpers/meta/label-selector.ts";

/**
 * The rules in the order of the selectors, then of the names of the roles, each rule once. A role
 * does not select itself.
 */
export function aggregatedRules(
  { metadata, aggregationRule }: ClusterRole,
  roles: readonly ClusterRole[],
): readonly PolicyRule[] {
  const others = roles
    .filter((role) => role.metadata.name !== metadata.name)
    .toSorted((a, b) => compareBytewise(a.metadata.name, b.metadata.name));
  const rules: PolicyRule[] = [];
  for (const selector of aggregationRule?.clusterRoleSelectors ?? []) {
    const requirements = toSelector(selector);
    const selected = others.filter((role) =>
      matchesLabels(requirements, role.metadata.labels ?? {}),
    );
    for (const rule of selected.flatMap((role) => role.rules ?? []))
      if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
  }
  return rules;
}
