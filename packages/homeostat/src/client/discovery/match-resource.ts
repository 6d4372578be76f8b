// Names of resources as people type them. Pure.
// Upstream: k8s.io/client-go/restmapper/shortcut.go, k8s.io/apimachinery ParseResourceArg.
import type { DiscoveredKind } from "./kind-resolver.ts";

/**
 * The kinds of that name, one of each group, in the server's order. Plural names take precedence
 * over singular names, and these over short names. `name` may be `orders.v1.example.com`.
 */
export function matchResource(
  kinds: readonly DiscoveredKind[],
  name: string,
): readonly DiscoveredKind[] {
  const lower = name.toLowerCase();
  const [resource = "", ...rest] = lower.split(".");
  const suffix = rest.join(".");
  const within = kinds.filter((kind) => !suffix || isOf(kind, suffix));
  const tiers: readonly ((kind: DiscoveredKind) => boolean)[] = [
    (kind) => kind.resource === resource,
    (kind) => kind.singular === resource || kind.kind.toLowerCase() === resource,
    (kind) => kind.shortNames.includes(resource),
  ];
  for (const tier of tiers) {
    const found = within.filter(tier);
    if (found.length > 0) return oneOfEachGroup(found);
  }
  return [];
}

/** `group`, `version.group`, or the version of the core group. */
function isOf({ group, version }: DiscoveredKind, suffix: string): boolean {
  if (group === "") return suffix === version;
  return suffix === group || suffix === `${version}.${group}`;
}

function oneOfEachGroup(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const byGroup = new Map<string, DiscoveredKind>();
  for (const kind of kinds) if (!byGroup.has(kind.group)) byGroup.set(kind.group, kind);
  return [...byGroup.values()];
}
