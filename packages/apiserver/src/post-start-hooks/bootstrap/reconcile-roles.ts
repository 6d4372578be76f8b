// Restores bootstrap roles and bindings: adds the rules, subjects, labels and aggregation that a
// stored one lacks, and keeps what users added. Pure.
// Upstream:
// k8s.io/kubernetes/pkg/registry/rbac/reconciliation/{reconcile_role,reconcile_rolebindings}.go,
// pkg/registry/rbac/validation/policy_comparator.go (Covers).
import { cloneJson, type Decoded, equalJson, type Json } from "homeostat/api";
import type { ClusterRole, PolicyRule, RoleBinding } from "homeostat/k8s/rbac/v1";

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
  const rules = (wanted.rules ?? [])
    .flatMap(breakDown)
    .filter((rule) => !covers(storedRules, rule));
  if (rules.length) next.rules = [...storedRules, ...rules];
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

/** A rule as rules of one verb on one resource or URL each. */
function breakDown(rule: Decoded<PolicyRule>): readonly Decoded<PolicyRule>[] {
  const verbs = rule.verbs ?? [];
  const names = rule.resourceNames ?? [];
  const onResources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      verbs.flatMap((verb): Decoded<PolicyRule>[] => {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return names.length ? names.map((name) => ({ ...one, resourceNames: [name] })) : [one];
      }),
    ),
  );
  const onUrls = (rule.nonResourceURLs ?? []).flatMap((url) =>
    verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...onResources, ...onUrls];
}

/** Whether one of the rules allows all of `one`, which {@link breakDown} has returned. */
function covers(rules: readonly Decoded<PolicyRule>[], one: Decoded<PolicyRule>): boolean {
  return rules.some((rule) => {
    if (!includesAll(rule.verbs, one.verbs)) return false;
    const [url] = one.nonResourceURLs ?? [];
    if (url !== undefined) return (rule.nonResourceURLs ?? []).some((each) => matches(each, url));
    const coversNames =
      !rule.resourceNames?.length ||
      (one.resourceNames?.length && includesAll(rule.resourceNames, one.resourceNames));
    return (
      includesAll(rule.apiGroups, one.apiGroups) &&
      hasResource(rule, one.resources![0]!) &&
      Boolean(coversNames)
    );
  });
}

/** Whether a list holds every wanted text; `*` holds all. */
function includesAll(
  list: readonly string[] | null | undefined,
  wanted: readonly string[] | null | undefined,
): boolean {
  const texts = list ?? [];
  return texts.includes("*") || (wanted ?? []).every((each) => texts.includes(each));
}

/** Whether a URL rule, which may end in `*`, allows a URL. */
const matches = (rule: string, url: string): boolean =>
  rule === url || (rule.endsWith("*") && url.startsWith(rule.slice(0, -1)));

/** `*` is every resource, and `*` before a slash a subresource of every one. */
function hasResource({ resources }: Decoded<PolicyRule>, wanted: string): boolean {
  const slash = wanted.indexOf("/");
  return (resources ?? []).some(
    (each) => each === "*" || each === wanted || (slash >= 0 && each === `*${wanted.slice(slash)}`),
  );
}
