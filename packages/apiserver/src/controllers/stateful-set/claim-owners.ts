// The owners of a claim under the retention policy of its StatefulSet: none, the set, or a pod that
// is scaled down. The garbage collector deletes the claim with its owner. Owners that others have
// set are left alone. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go
// (isClaimOwnerUpToDate and its neighbours).
import { type OwnerReference, toControllerReference } from "homeostat/api";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { Pod, type PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { StatefulSet } from "homeostat/k8s/apps/v1";
import { isInRange, ordinalOf } from "./ordinals.ts";

/** A pod with a name, and a uid if it exists. */
export type ClaimingPod = Pick<Pod, "metadata">;

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** True when the owners of a claim are correct. */
export function areOwnersRight(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: ClaimingPod,
): boolean {
  const [bySet, byPod] = ownersOf(set, pod);
  const owned = { set: isOwnedBy(claim, bySet), pod: isOwnedBy(claim, byPod) };
  if (isStale(claim, bySet) || isStale(claim, byPod)) return true;
  if (hasOtherController(claim, set, pod)) return !owned.set && !owned.pod;
  if (
    referencesOf(claim).some(
      ({ uid, controller }) =>
        (uid === bySet.metadata.uid || uid === byPod.metadata.uid) && controller !== true,
    )
  )
    return false;
  const wanted = wantedOwners(set, pod);
  return owned.set === wanted.set && owned.pod === wanted.pod;
}

/** The owners that a claim should have. */
export function rightOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: ClaimingPod,
): readonly OwnerReference[] {
  const [bySet, byPod] = ownersOf(set, pod);
  const others = referencesOf(claim).filter(
    (reference) => !isNamesake(reference, bySet) && !isNamesake(reference, byPod),
  );
  if (hasOtherController(claim, set, pod)) return others;
  const wanted = wantedOwners(set, pod);
  return [
    ...others,
    ...(wanted.set ? [toControllerReference(bySet)] : []),
    ...(wanted.pod ? [toControllerReference(byPod)] : []),
  ];
}

/** True when a policy applies to the claim and something else controls it. */
export function hasOtherController(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: ClaimingPod,
): boolean {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (!whenScaled && !whenDeleted) return false;
  const owners = ownersOf(set, pod);
  return referencesOf(claim).some((reference) => {
    const namesake = owners.find((owner) => isNamesake(reference, owner));
    return namesake ? reference.uid !== namesake.metadata.uid : reference.controller === true;
  });
}

/**
 * True when a claim still belongs to a former pod of this name: no new pod is created while it
 * exists.
 */
export function blocksPod(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: ClaimingPod,
): boolean {
  return policyOf(set).whenScaled && isStale(claim, ownersOf(set, pod)[1]);
}

/** When claims are deleted: true for Delete. */
function policyOf({ spec: { persistentVolumeClaimRetentionPolicy: policy } }: StatefulSet): {
  readonly whenScaled: boolean;
  readonly whenDeleted: boolean;
} {
  return {
    whenScaled: policy?.whenScaled === "Delete",
    whenDeleted: policy?.whenDeleted === "Delete",
  };
}

function wantedOwners(
  set: StatefulSet,
  pod: ClaimingPod,
): { readonly set: boolean; readonly pod: boolean } {
  const { whenScaled, whenDeleted } = policyOf(set);
  const scaledAway = whenScaled && !isInRange(set, ordinalOf(pod).ordinal);
  return { set: whenDeleted && !scaledAway, pod: scaledAway };
}

const ownersOf = (set: StatefulSet, pod: ClaimingPod): readonly [Owner, Owner] => [
  ownerAs(StatefulSet, set),
  ownerAs(Pod, pod),
];
const ownerAs = (
  { apiVersion, kind }: Pick<ApiObject, "apiVersion" | "kind">,
  { metadata }: ClaimingPod,
): Owner => ({ apiVersion, kind, metadata });
const referencesOf = ({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] =>
  metadata.ownerReferences ?? [];
const isOwnedBy = (claim: PersistentVolumeClaim, { metadata }: Owner): boolean =>
  referencesOf(claim).some(({ uid }) => uid === metadata.uid);
const isNamesake = (reference: OwnerReference, { apiVersion, kind, metadata }: Owner): boolean =>
  reference.apiVersion === apiVersion &&
  reference.kind === kind &&
  reference.name === metadata.name;

/** True when the first reference to such an owner has another uid. */
function isStale(claim: PersistentVolumeClaim, owner: Owner): boolean {
  const first = referencesOf(claim).find((reference) => isNamesake(reference, owner));
  return first !== undefined && first.uid !== owner.metadata.uid;
}
