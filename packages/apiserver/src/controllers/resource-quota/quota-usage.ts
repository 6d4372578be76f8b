// Chooses the measure of each resource that a quota limits and computes the status. Pure.
// Upstream: k8s.io/apiserver/pkg/quota/v1 (resources.go, generic/evaluator.go),
// k8s.io/kubernetes/pkg/controller/resourcequota/resource_quota_controller.go (syncResourceQuota).
import { formatQuantity } from "../../apimachinery/values/quantity.ts";
import { equalJson, type Json } from "homeostat/api";
import { deviceClaimUsage, isDeviceClaimResource } from "./device-claim-usage.ts";
import {
  claimUsage,
  countAliases,
  countName,
  isClaimInScope,
  isClaimResource,
  isServiceResource,
  serviceUsage,
} from "./object-usage.ts";
import { hasDeadline, isCharged, isPodInScope, isPodResource, podUsage } from "./pod-usage.ts";
import {
  addTo,
  type Amounts,
  type Counted,
  one,
  sameAmounts,
  scopesOf,
  type Sums,
  zero,
} from "./quota-amounts.ts";
import type { ResourceQuota, ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";

/** How objects of one resource are measured. */
export interface Measure {
  /** Whether the measure handles this name of a quota. */
  covers(name: string): boolean;
  usage(object: Counted, now: number): Sums;
  inScope(scope: ScopedResourceSelectorRequirement, object: Counted): boolean;
  /** Whether an update changes the usage. */
  changes(old: Counted, object: Counted, now: number): boolean;
}

/** The measure of a resource. Most are only counted, without scopes. */
export function measureOf(kind: { readonly group: string; readonly resource: string }): Measure {
  return special[kind.group ? `${kind.resource}.${kind.group}` : kind.resource] ?? count(kind);
}

const special: Readonly<Record<string, Measure>> = {
  pods: { covers: isPodResource, usage: podUsage, inScope: isPodInScope, changes: podChanges },
  services: {
    covers: isServiceResource,
    usage: serviceUsage,
    inScope: () => false,
    changes: (old, service) => balancing(old) !== balancing(service),
  },
  persistentvolumeclaims: {
    covers: isClaimResource,
    usage: claimUsage,
    inScope: isClaimInScope,
    changes: () => true,
  },
  "resourceclaims.resource.k8s.io": {
    covers: isDeviceClaimResource,
    usage: deviceClaimUsage,
    inScope: () => false,
    changes: () => false,
  },
};

function count(kind: { readonly group: string; readonly resource: string }): Measure {
  const names = [
    countName(kind),
    ...(kind.group === "" && countAliases.has(kind.resource) ? [kind.resource] : []),
  ];
  const usage: Sums = new Map(names.map((name) => [name, one]));
  return {
    covers: (name) => names.includes(name),
    usage: () => usage,
    inScope: () => false,
    changes: () => false,
  };
}

const balancing = ({ spec = {} }: Counted): string =>
  spec["type"] === "NodePort" || spec["type"] === "LoadBalancer" ? spec["type"] : "";

function podChanges(old: Counted, pod: Counted, now: number): boolean {
  const resources = ({ status = {} }: Counted): Json =>
    [status["containerStatuses"], status["initContainerStatuses"]].map((statuses) =>
      Array.isArray(statuses)
        ? statuses.map((one) => (one as { resources?: Json }).resources ?? null)
        : null,
    );
  return (
    !equalJson(resources(old), resources(pod)) ||
    hasDeadline(old) !== hasDeadline(pod) ||
    (isCharged(old, now) && !isCharged(pod, now))
  );
}

/** One tracked resource: its measure and all of its objects in the namespace. */
export interface Tracked {
  readonly measure: Measure;
  readonly objects: readonly Counted[];
}

/**
 * The status to write; undefined if it is current. Resources without a measure keep their usage.
 */
export function nextQuotaStatus(
  quota: ResourceQuota,
  tracked: readonly Tracked[],
  now: number,
): { readonly hard: Amounts; readonly used: Amounts } | undefined {
  const { hard = {} } = quota.spec;
  const names = Object.keys(hard);
  const measured = Object.fromEntries(
    tracked
      .flatMap((one) => [...usageOf(quota, one, now)])
      .map(([name, amount]) => [name, formatQuantity(amount)]),
  );
  const all: Amounts = { ...quota.status.used, ...measured };
  const used = Object.fromEntries(
    names.filter((name) => all[name] !== undefined).map((name) => [name, all[name]!]),
  );
  const { status } = quota;
  const stands =
    status.hard !== undefined &&
    status.used !== undefined &&
    sameAmounts(hard, status.hard) &&
    sameAmounts(used, status.used);
  return stands ? undefined : { hard, used };
}

/** The usage of the names that the quota limits and the measure handles. */
function usageOf(quota: ResourceQuota, { measure, objects }: Tracked, now: number): Sums {
  const names = Object.keys(quota.spec.hard ?? {}).filter((name) => measure.covers(name));
  const sums: Sums = new Map(names.map((name) => [name, zero]));
  const scopes = scopesOf(quota);
  for (const object of objects) {
    if (!scopes.every((scope) => measure.inScope(scope, object))) continue;
    for (const [name, amount] of measure.usage(object, now))
      if (sums.has(name)) addTo(sums, name, amount);
  }
  return sums;
}
