// Protects claims and volumes in use from deletion. Admission adds a finalizer; it is removed from
// a deleted claim once no pod uses it, and from a deleted volume once it is unbound.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go and
// pvprotection/pv_protection_controller.go.
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../../component-helpers/controller/controller.ts";
import type { ApiObject } from "../../../component-helpers/meta/api-object.ts";
import { Pod, PersistentVolume, PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import {
  claimNames,
  releasesClaims,
  usesClaim,
} from "../../../component-helpers/storage/claim-use.ts";

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";

/** Starts `persistentvolumeclaim-protection`. */
export const startPersistentVolumeClaimProtectionController: ControllerDescriptor["start"] = async (
  context,
) => {
  const { client } = context;
  const controller = new KeyedController(
    context,
    "the persistentvolumeclaim-protection controller",
  );
  const claims = controller.acquire(PersistentVolumeClaim);
  const pods = controller.acquire(Pod);
  pods.addIndex("claim", (pod) =>
    claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`),
  );
  const enqueue = (claim: CachedObject<ApiObject>): void => {
    if (nextFinalizers(claim.read(), claimFinalizer, () => false)) controller.add(claim.key);
  };
  const enqueueClaims = (pod: Pod): void => {
    for (const name of claimNames(pod)) controller.add(`${pod.metadata.namespace}/${name}`);
  };
  const seen = (pod: CachedObject<Pod>): void => {
    if (releasesClaims(pod.read())) enqueueClaims(pod.read());
  };
  controller.follow(claims, { added: enqueue, updated: (_, claim) => enqueue(claim) });
  controller.follow(pods, {
    added: seen,
    updated(old, pod) {
      if (old.uid !== pod.uid) enqueueClaims(old.read());
      seen(pod);
    },
    deleted: (pod) => enqueueClaims(pod.read()),
  });
  return controller.start(async (key) => {
    const claim = claims.get(parseObjectKey(key));
    const isUsed = (users: readonly Pod[]): boolean => users.some((pod) => usesClaim(pod, claim!));
    if (!claim || !nextFinalizers(claim, claimFinalizer, () => isUsed(pods.byIndex("claim", key))))
      return undefined;
    // A pod may exist that is not in the cache yet, and the deletion of a claim cannot be undone.
    const live =
      claim.metadata.deletionTimestamp === undefined
        ? []
        : (await client.list(Pod, { namespace: claim.metadata.namespace })).items;
    const finalizers = nextFinalizers(claim, claimFinalizer, () => isUsed(live));
    if (finalizers) await client.update(PersistentVolumeClaim, withFinalizers(claim, finalizers));
    return undefined;
  });
};

/** Starts `persistentvolume-protection`. */
export const startPersistentVolumeProtectionController: ControllerDescriptor["start"] = async (
  context,
) => {
  const controller = new KeyedController(context, "the persistentvolume-protection controller");
  const volumes = controller.acquire(PersistentVolume);
  const enqueue = (volume: CachedObject<PersistentVolume>): void => {
    if (nextFinalizers(volume.read(), volumeFinalizer, () => false)) controller.add(volume.key);
  };
  controller.follow(volumes, { added: enqueue, updated: (_, volume) => enqueue(volume) });
  return controller.start(async (key) => {
    const volume = volumes.get(parseObjectKey(key));
    const finalizers =
      volume && nextFinalizers(volume, volumeFinalizer, () => volume.status.phase === "Bound");
    if (finalizers)
      await context.client.update(PersistentVolume, withFinalizers(volume, finalizers));
    return undefined;
  });
};

/**
 * The finalizers that an object should have; undefined if it has them. Deletion removes ours unless
 * the object is in use.
 */
export function nextFinalizers(
  { metadata }: ApiObject,
  finalizer: string,
  isUsed: () => boolean,
): readonly string[] | undefined {
  const finalizers = metadata.finalizers ?? [];
  const has = finalizers.includes(finalizer);
  if (metadata.deletionTimestamp === undefined) return has ? undefined : [...finalizers, finalizer];
  return has && !isUsed() ? finalizers.filter((one) => one !== finalizer) : undefined;
}

const withFinalizers = <O extends ApiObject>(object: O, finalizers: readonly string[]): O => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
});
