// Compares lists of rules: what a list does not cover of another. Pure.
// Upstream: k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go,
// k8s.io/kubernetes/pkg/registry/rbac/validation/policy_compact.go,
// pkg/apis/rbac/v1/evaluation_helpers.go (CompactString).
import { compareBytewise } from "homeostat/api";
import { quoteGoList } from "../../apimachinery/errors/field-error.ts";
import { holds, type Rule, urlCovers } from "./rule.ts";

const nothing: Rule = {
  verbs: [],
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [],
};

/** What `wanted` allows and `owned` does not, as rules of one verb on one resource or URL each. */
export function uncoveredRules(owned: readonly Rule[], wanted: readonly Rule[]): readonly Rule[] {
  return wanted.flatMap(breakDown).filter((one) => !owned.some((rule) => covers(rule, one)));
}

function breakDown({ nonResourceURLs, ...rule }: Rule): readonly Rule[] {
  const { verbs, resourceNames } = rule;
  const onResources = rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      verbs.flatMap((verb) => {
        const one = { ...nothing, verbs: [verb], apiGroups: [group], resources: [resource] };
        return resourceNames.length
          ? resourceNames.map((name) => ({ ...one, resourceNames: [name] }))
          : [one];
      }),
    ),
  );
  const onUrls = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ ...nothing, verbs: [verb], nonResourceURLs: [url] })),
  );
  return [...onResources, ...onUrls];
}

/** Whether a rule allows all of `one`, which {@link breakDown} has returned. */
function covers(rule: Rule, one: Rule): boolean {
  const holdsAll = (values: readonly string[], wanted: readonly string[]): boolean =>
    wanted.every((each) => holds(values, each));
  return (
    holdsAll(rule.verbs, one.verbs) &&
    holdsAll(rule.apiGroups, one.apiGroups) &&
    one.resources.every((resource) => coversResource(rule.resources, resource)) &&
    one.nonResourceURLs.every((path) => rule.nonResourceURLs.some((url) => urlCovers(url, path))) &&
    coversNames(rule, one)
  );
}

function coversNames({ resourceNames }: Rule, one: Rule): boolean {
  if (resourceNames.length === 0) return true;
  return (
    one.resourceNames.length > 0 && one.resourceNames.every((name) => resourceNames.includes(name))
  );
}

/** `*` is every resource, and `*` before a slash a subresource of every one. */
function coversResource(resources: readonly string[], wanted: string): boolean {
  if (holds(resources, wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash >= 0 && resources.includes(`*${wanted.slice(slash)}`);
}

/**
 * Rules of {@link uncoveredRules} as refusals list them, those that differ in verbs together, e.g.
 * `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`.
 */
export function describeRules(rules: readonly Rule[]): readonly string[] {
  const compact = new Map<string, Rule>();
  const others: Rule[] = [];
  for (const rule of rules) {
    if (rule.nonResourceURLs.length) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const known = compact.get(key);
    compact.set(key, known ? { ...known, verbs: [...known.verbs, ...rule.verbs] } : rule);
  }
  const texts = [...others, ...compact.values()].map(describeRule);
  return [...new Set(texts)].sort(compareBytewise);
}

function describeRule(rule: Rule): string {
  const parts = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ] as const;
  const texts = parts.flatMap(([name, values]) =>
    values.length ? [`${name}:${quoteGoList(values)}`] : [],
  );
  return `{${texts.join(", ")}}`;
}
