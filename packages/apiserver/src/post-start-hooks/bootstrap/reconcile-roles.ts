// Restores bootstrap roles and bindings: adds the rules, subjects, labels and aggregation that a
// stored one lacks, and keeps what users added. Pure.
// Upstream:
// k8s.io/kubernetes/pkg/registry/rbac/reconciliation/{reconcile_role,reconcile_rolebindings}.go.
import { cloneJson, type Decoded, equalJson, type Json } from "homeostat/api";
import type { ClusterRole, PolicyRule, RoleBinding } from "homeostat/k8s/rbac/v1";
import { uncoveredRules } from "../../authorization/rbac/policy-comparator.ts";
import { readRules, type Rule } from "../../authorization/rbac/rule.ts";

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/** A role or a binding, of either scope; the fields of the other are absent. */
export type BootstrapRole = Pick<Decoded<ClusterRole>, "metadata" | "rules" | "aggregationRule"> &
  Pick<Decoded<RoleBinding>, "subjects">;

/** The stored object with what it lacks; undefined when it lacks nothing or opts out. */
export function reconcileRole(
  stored: BootstrapRole,
  wanted: BootstrapRole,
): BootstrapRole | undefined {
  if (stored.metadata?.annotations?.[autoUpdate] === "false") return undefined;
  const next = cloneJson(stored);
  next.metadata ??= {};
  for (const field of ["labels", "annotations"] as const) {
    const before = stored.metadata?.[field] ?? {};
    const missing = Object.entries(wanted.metadata?.[field] ?? {}).filter(
      ([key]) => !Object.hasOwn(before, key),
    );
    if (missing.length) next.metadata[field] = { ...before, ...Object.fromEntries(missing) };
  }
  const storedRules = stored.rules ?? [];
  const rules = uncoveredRules(readRules(storedRules), readRules(wanted.rules));
  if (rules.length) next.rules = [...storedRules, ...rules.map(withoutEmptyLists)];
  const subjects = missingFrom(stored.subjects, wanted.subjects);
  if (subjects.length) next.subjects = [...(stored.subjects ?? []), ...subjects];
  const selectors = stored.aggregationRule?.clusterRoleSelectors;
  const missing = missingFrom(selectors, wanted.aggregationRule?.clusterRoleSelectors);
  if (missing.length)
    next.aggregationRule = {
      ...stored.aggregationRule,
      clusterRoleSelectors: [...(selectors ?? []), ...missing],
    };
  return equalJson(next, stored) ? undefined : next;
}

/** Those of `wanted` that `stored` does not hold. */
const missingFrom = <T extends Json>(
  stored: readonly T[] | null | undefined,
  wanted: readonly T[] | null | undefined,
): readonly T[] =>
  (wanted ?? []).filter((each) => !(stored ?? []).some((other) => equalJson(each, other)));

/** A rule as it is stored. */
function withoutEmptyLists({ verbs, ...lists }: Rule): Decoded<PolicyRule> {
  const given = Object.entries(lists).filter(([, values]) => values.length);
  return {
    verbs: [...verbs],
    ...Object.fromEntries(given.map(([field, values]) => [field, [...values]])),
  };
}
