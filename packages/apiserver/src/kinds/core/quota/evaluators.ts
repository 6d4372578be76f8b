// Chooses the evaluator of a resource: which names of a quota it counts, and what an object uses.
// Pure.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core, k8s.io/apiserver/pkg/quota/v1/generic
// (evaluator.go).
import { type Decoded, equalJson, type Json } from "homeostat/api";
import type {
  ContainerStatus,
  PersistentVolumeClaim,
  Pod,
  ScopedResourceSelectorRequirement,
  Service,
} from "homeostat/k8s/core/v1";
import type { ResourceClaim } from "homeostat/k8s/resource/v1";
import { formatGroupResource } from "../../../apimachinery/errors/api-errors.ts";
import type { ResourceSum } from "../resources/resource-lists.ts";
import { type ClaimSurroundings, claimedUsage, isClaimedResource } from "./backed-resources.ts";
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
import { one, type QuotaObject } from "./quota-amounts.ts";

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
export function evaluatorFor(
  kind: { readonly group: string; readonly resource: string },
  around: ClaimSurroundings,
): Evaluator {
  const name = formatGroupResource(kind);
  if (name === "resourceclaims.resource.k8s.io") return resourceClaims(around);
  return evaluators[name] ?? objectCount(kind);
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
const resourceClaims = (around: ClaimSurroundings): Evaluator<Decoded<ResourceClaim>> => ({
  covers: (name) => isClaimedResource(name, around),
  usage: (claim, now) => claimedUsage(claim, now, around),
  inScope: () => false,
  changes: () => false,
});

const evaluators: Readonly<Record<string, Evaluator>> = {
  pods,
  services,
  persistentvolumeclaims: persistentVolumeClaims,
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
