// What every container of a pod must state where a quota limits cpu or memory. Pure.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core/pods.go (Constraints),
// k8s.io/component-helpers/resource/helpers.go (IsPodLevelResourcesSet).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { Container, Pod } from "homeostat/k8s/core/v1";
import { isPodLevelResource } from "../../kinds/core/resources/resource-names.ts";

type Bound = "requests" | "limits";

/** Where a container states what a quota on the name counts. */
const statedAt: Readonly<Record<string, readonly [Bound, string]>> = {
  cpu: ["requests", "cpu"],
  memory: ["requests", "memory"],
  "requests.cpu": ["requests", "cpu"],
  "requests.memory": ["requests", "memory"],
  "limits.cpu": ["limits", "cpu"],
  "limits.memory": ["limits", "memory"],
};

/** `must specify limits.cpu for: a,b; memory for: b`; undefined if nothing is missing. */
export function missingRequirements(
  limited: readonly string[],
  { spec }: Decoded<Pod>,
): string | undefined {
  const whole = [spec?.resources?.requests ?? {}, spec?.resources?.limits ?? {}];
  if (whole.some((list) => Object.keys(list).some(isPodLevelResource))) return undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const missing = limited
    .filter((name) => name in statedAt)
    .toSorted(compareBytewise)
    .flatMap((name) => {
      const names = containers.filter((each) => !states(each, name)).map((each) => each.name ?? "");
      const sorted = [...new Set(names)].toSorted(compareBytewise);
      return sorted.length ? [`${name} for: ${sorted.join(",")}`] : [];
    });
  return missing.length ? `must specify ${missing.join("; ")}` : undefined;
}

function states({ resources }: Decoded<Container>, name: string): boolean {
  const [bound, resource] = statedAt[name]!;
  return resources?.[bound]?.[resource] !== undefined;
}
