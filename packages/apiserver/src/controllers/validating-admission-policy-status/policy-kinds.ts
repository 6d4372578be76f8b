// The kinds that a policy's expressions are checked against: those that its rules name without
// wildcards, ten for each rule at most.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating/typechecking.go (typesToCheck).
import { compareBytewise, type Decoded, type GroupVersionKind } from "homeostat/api";
import type {
  NamedRuleWithOperations,
  ValidatingAdmissionPolicySpec,
} from "homeostat/k8s/admissionregistration/v1";

/** A resource in discovery. */
export interface KnownResource extends GroupVersionKind {
  readonly resource: string;
}

const maxKinds = 10;

/** By group, version and kind. */
export function kindsToCheck(
  spec: Decoded<ValidatingAdmissionPolicySpec>,
  known: readonly KnownResource[],
): readonly GroupVersionKind[] {
  const found = new Map<string, GroupVersionKind>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    const matches = kindsOfRule(rule, known).slice(0, maxKinds);
    for (const kind of matches) found.set(`${kind.group}/${kind.version}/${kind.kind}`, kind);
    if (matches.length === maxKinds) break;
  }
  return [...found.values()].sort(
    (a, b) =>
      compareBytewise(a.group, b.group) ||
      compareBytewise(a.version, b.version) ||
      compareBytewise(a.kind, b.kind),
  );
}

function kindsOfRule(
  { apiGroups, apiVersions, resources }: Decoded<NamedRuleWithOperations>,
  known: readonly KnownResource[],
): readonly GroupVersionKind[] {
  const groups = withoutWildcards(apiGroups);
  const versions = withoutWildcards(apiVersions);
  const names = (resources ?? []).filter((name) => !/[*/]/.test(name)).sort(compareBytewise);
  return groups.flatMap((group) =>
    versions.flatMap((version) =>
      names.flatMap((name) =>
        // Upstream's mapper takes the legacy group for any group.
        known.filter(
          (each) =>
            (group === "" || each.group === group) &&
            each.version === version &&
            each.resource === name,
        ),
      ),
    ),
  );
}

/** None if one of them is a wildcard. */
function withoutWildcards(names: readonly string[] | null | undefined): readonly string[] {
  const all = names ?? [];
  return all.some((name) => name.includes("*")) ? [] : all.toSorted(compareBytewise);
}
