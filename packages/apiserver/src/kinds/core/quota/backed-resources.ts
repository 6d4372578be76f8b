// What a ResourceClaim uses of extended resources that a DeviceClass backs: quotas limit them under
// the names that pods request, whether the devices are claimed or requested. Pure.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core/resource_claims.go
// (addExtendedResourceQuota, getVerifiedPodUsage, MatchingResources),
// k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache.
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import type { OwnerReference } from "homeostat/k8s/meta/v1";
import type { DeviceClass, ResourceClaim } from "homeostat/k8s/resource/v1";
import type { ResourceSum } from "../resources/resource-lists.ts";
import { deviceClassOf, deviceClaimUsage, isDeviceClaimResource } from "./device-claim-usage.ts";
import { podUsage } from "./pod-usage.ts";

/** What the usage of a claim depends on beside the claim. */
export interface ClaimSurroundings {
  classes(): readonly Decoded<DeviceClass>[];
  pod(namespace: string, name: string): Decoded<Pod> | undefined;
  claims(namespace: string): readonly Decoded<ResourceClaim>[];
}

type Claim = Decoded<ResourceClaim>;

const implicit = "requests.deviceclass.resource.kubernetes.io/";
const requests = "requests.";
const madeForPod = "resource.kubernetes.io/extended-resource-claim";

/** Whether quotas limit claims by the name. */
export const isClaimedResource = (name: string, { classes }: ClaimSurroundings): boolean =>
  isDeviceClaimResource(name) || (mayBeBacked(name) && isBackedResource(name, classes()));

/** Names of extended resources have a domain. */
export const mayBeBacked = (name: string): boolean =>
  name.startsWith(requests) && name.includes("/");

/** Whether one of the classes backs what quotas limit under the name. */
export function isBackedResource(name: string, classes: readonly Decoded<DeviceClass>[]): boolean {
  return classes.some(
    ({ metadata, spec }) =>
      name === `${implicit}${metadata?.name}` ||
      (spec?.extendedResourceName && name === `${requests}${spec.extendedResourceName}`),
  );
}

/** The usage of a claim, without what its pod is charged for. */
export function claimedUsage(claim: Claim, now: number, around: ClaimSurroundings): ResourceSum {
  const used = deviceClaimUsage(claim);
  const charged = chargedToPod(claim, now, around);
  for (const [name, amount] of backedAmounts(used, around)) {
    const nano = amount.nano - (charged?.get(name)?.nano ?? 0n);
    if (nano > 0n) used.set(name, { ...amount, nano });
  }
  return used;
}

/** The devices of each class under the names of its extended resources. */
function backedAmounts(used: ResourceSum, { classes }: ClaimSurroundings): ResourceSum {
  const amounts: ResourceSum = new Map();
  for (const [name, amount] of used) {
    const className = deviceClassOf(name);
    if (!className) continue;
    amounts.set(`${implicit}${className}`, amount);
    const extended = classes().find(({ metadata }) => metadata?.name === className)?.spec
      ?.extendedResourceName;
    if (extended) amounts.set(`${requests}${extended}`, amount);
  }
  return amounts;
}

/** The usage of the pod that the scheduler has made the claim for. */
function chargedToPod(
  claim: Claim,
  now: number,
  around: ClaimSurroundings,
): ResourceSum | undefined {
  const { name } = claim.metadata ?? {};
  const namespace = claim.metadata?.namespace ?? "";
  const owner = podOf(claim);
  const pod = owner && around.pod(namespace, owner.name ?? "");
  if (!pod || pod.metadata?.uid !== owner.uid) return undefined;
  const stated = pod.status?.extendedResourceClaimStatus;
  const isItsOwn = stated
    ? stated.resourceClaimName === name
    : !around.claims(namespace).some((other) => isEarlier(other, claim, owner));
  return isItsOwn ? podUsage(pod, now) : undefined;
}

function podOf({ metadata }: Claim): Decoded<OwnerReference> | undefined {
  if (metadata?.annotations?.[madeForPod] !== "true") return undefined;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined;
}

/** Whether another claim was made for the pod before. */
function isEarlier(other: Claim, claim: Claim, owner: Decoded<OwnerReference>): boolean {
  if (podOf(other)?.uid !== owner.uid) return false;
  const [theirs, own] = [other, claim].map(({ metadata }) => [
    Date.parse(String(metadata?.creationTimestamp ?? "")) || 0,
    metadata?.name ?? "",
  ]) as [[number, string], [number, string]];
  return theirs[0] === own[0] ? theirs[1] < own[1] : theirs[0] < own[0];
}
