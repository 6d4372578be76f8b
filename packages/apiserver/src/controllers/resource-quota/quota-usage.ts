// Chooses the evaluator of each resource that a quota limits and computes the status. Pure.
// Upstream: k8s.io/apiserver/pkg/quota/v1 (resources.go, generic/evaluator.go),
// k8s.io/kubernetes/pkg/controller/resourcequota/resource_quota_controller.go (syncResourceQuota).
import { formatQuantity } from "../../apimachinery/values/quantity.ts";
import { type Decoded, equalJson, type Json } from "homeostat/api";
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
import { addTo, type ResourceSum } from "../../kinds/core/resources/resource-lists.ts";
import {
  type Amounts,
  one,
  type QuotaObject,
  sameAmounts,
  scopesOf,
  zero,
} from "./quota-amounts.ts";
import type {
  ContainerStatus,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
  Service,
} from "homeostat/k8s/core/v1";
import type { ResourceClaim } from "homeostat/k8s/resource/v1";

/** Computes the usage of the objects of one resource. */
export interface Evaluator<T extends QuotaObject = QuotaObject> {
  /** Whether the evaluator handles this resource name of a quota. */
  covers(name: string): boolean;
  usage(object: T, now: number): ResourceSum;
  inScope(scope: ScopedResourceSelectorRequirement, object: T): boolean;
  /** Whether an update changes the usage. */
  changes(old: T, object: T, now: number): boolean;
}

/** The evaluator of a resource. Most resources have an object count only, without scopes. */
export function evaluatorFor(kind: {
  readonly group: string;
  readonly resource: string;
}): Evaluator {
  return (
    evaluators[kind.group ? `${kind.resource}.${kind.group}` : kind.resource] ?? objectCount(kind)
  );
}

const pods: Evaluator<Decoded<Pod>> = {
  covers: isPodResource,
  usage: podUsage,
  inScope: isPodInScope,
  changes: podChanges,
};
const services: Evaluator<Decoded<Service>> = {
  covers: isServiceResource,
  usage: serviceUsage,
  inScope: () => false,
  changes: (old, service) => typeWithNodePorts(old) !== typeWithNodePorts(service),
};
const persistentVolumeClaims: Evaluator<Decoded<PersistentVolumeClaim>> = {
  covers: isClaimResource,
  usage: claimUsage,
  inScope: isClaimInScope,
  changes: () => true,
};
const resourceClaims: Evaluator<Decoded<ResourceClaim>> = {
  covers: isDeviceClaimResource,
  usage: deviceClaimUsage,
  inScope: () => false,
  changes: () => false,
};

const evaluators: Readonly<Record<string, Evaluator>> = {
  pods,
  services,
  persistentvolumeclaims: persistentVolumeClaims,
  "resourceclaims.resource.k8s.io": resourceClaims,
};

function objectCount(kind: { readonly group: string; readonly resource: string }): Evaluator {
  const names = [
    countName(kind),
    ...(kind.group === "" && countAliases.has(kind.resource) ? [kind.resource] : []),
  ];
  const usage: ResourceSum = new Map(names.map((name) => [name, one]));
  return {
    covers: (name) => names.includes(name),
    usage: () => usage,
    inScope: () => false,
    changes: () => false,
  };
}

const typeWithNodePorts = ({ spec }: Decoded<Service>): string =>
  spec?.type === "NodePort" || spec?.type === "LoadBalancer" ? spec.type : "";

function podChanges(old: Decoded<Pod>, pod: Decoded<Pod>, now: number): boolean {
  const resourcesOf = (
    statuses: readonly Decoded<ContainerStatus>[] | null | undefined,
  ): Json | null => statuses?.map(({ resources }) => resources ?? null) ?? null;
  const resources = ({ status }: Decoded<Pod>): Json => [
    resourcesOf(status?.containerStatuses),
    resourcesOf(status?.initContainerStatuses),
  ];
  return (
    !equalJson(resources(old), resources(pod)) ||
    hasDeadline(old) !== hasDeadline(pod) ||
    (isCharged(old, now) && !isCharged(pod, now))
  );
}

/** One tracked resource: its evaluator and its objects in the namespace. */
export interface Tracked {
  readonly evaluator: Evaluator;
  readonly objects: readonly QuotaObject[];
}

/**
 * The status to write; undefined if it is current. Resources without an evaluator keep their usage.
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
  const isCurrent =
    status.hard !== undefined &&
    status.used !== undefined &&
    sameAmounts(hard, status.hard) &&
    sameAmounts(used, status.used);
  return isCurrent ? undefined : { hard, used };
}

/** The usage of the resource names that the quota limits and the evaluator handles. */
function usageOf(quota: ResourceQuota, { evaluator, objects }: Tracked, now: number): ResourceSum {
  const names = Object.keys(quota.spec.hard ?? {}).filter((name) => evaluator.covers(name));
  const sums: ResourceSum = new Map(names.map((name) => [name, zero]));
  const scopes = scopesOf(quota);
  for (const object of objects) {
    if (!scopes.every((scope) => evaluator.inScope(scope, object))) continue;
    for (const [name, amount] of evaluator.usage(object, now))
      if (sums.has(name)) addTo(sums, name, amount);
  }
  return sums;
}
