// Keeps claims and volumes that are in use from going: both carry a finalizer (admission gives it),
// which is taken away from what is to be deleted once no pod uses the claim, or the volume is bound
// no longer.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go and
// pvprotection/pv_protection_controller.go.
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { dynamicKind } from "homeostat/client";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../../component-helpers/controller/controller.ts";
import {
  podKind,
  type Workload,
  type WorkloadKind,
} from "../../../component-helpers/workloads/workload-objects.ts";
import {
  claimNames,
  type PodWithVolumes,
  releasesClaims,
  usesClaim,
} from "../../../component-helpers/storage/claim-use.ts";

/** core/v1 PersistentVolume, as far as this controller looks at it. */
interface Volume extends Workload {
  readonly status?: { readonly phase?: string };
}

const claimKind = dynamicKind({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
}) as WorkloadKind<Workload>;
const volumeKind = dynamicKind({
  apiVersion: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  scope: "Cluster",
}) as WorkloadKind<Volume>;
const podsWithVolumes = podKind as WorkloadKind<PodWithVolumes>;

const claimFinalizer = "kubernetes.io/pvc-protection";
const volumeFinalizer = "kubernetes.io/pv-protection";

/** Starts the protection of claims. */
export const startClaimProtection: ControllerDescriptor["start"] = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the protection of claims");
  const claims = controller.acquire(claimKind);
  const pods = controller.acquire(podsWithVolumes);
  pods.addIndex("claim", (pod) =>
    claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`),
  );
  const wake = (claim: CachedObject<Workload>): void => {
    if (nextFinalizers(claim.read(), claimFinalizer, () => false)) controller.add(claim.key);
  };
  const wakeClaims = (pod: PodWithVolumes): void => {
    for (const name of claimNames(pod)) controller.add(`${pod.metadata.namespace}/${name}`);
  };
  const seen = (pod: CachedObject<PodWithVolumes>): void => {
    if (releasesClaims(pod.read())) wakeClaims(pod.read());
  };
  controller.follow(claims, { added: wake, updated: (_, claim) => wake(claim) });
  controller.follow(pods, {
    added: seen,
    updated(old, pod) {
      if (old.uid !== pod.uid) wakeClaims(old.read());
      seen(pod);
    },
    deleted: (pod) => wakeClaims(pod.read()),
  });
  return controller.start(async (key) => {
    const claim = claims.get(parseObjectKey(key));
    const isUsed = (users: readonly PodWithVolumes[]): boolean =>
      users.some((pod) => usesClaim(pod, claim!));
    if (!claim || !nextFinalizers(claim, claimFinalizer, () => isUsed(pods.byIndex("claim", key))))
      return undefined;
    // A pod may be there that is not in the cache yet, and once the claim has gone it is too late.
    const live =
      claim.metadata.deletionTimestamp === undefined
        ? []
        : (await client.list(podsWithVolumes, { namespace: claim.metadata.namespace })).items;
    const finalizers = nextFinalizers(claim, claimFinalizer, () => isUsed(live));
    if (finalizers) await client.update(claimKind, withFinalizers(claim, finalizers));
    return undefined;
  });
};

/** Starts the protection of volumes. */
export const startVolumeProtection: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the protection of volumes");
  const volumes = controller.acquire(volumeKind);
  const wake = (volume: CachedObject<Volume>): void => {
    if (nextFinalizers(volume.read(), volumeFinalizer, () => false)) controller.add(volume.key);
  };
  controller.follow(volumes, { added: wake, updated: (_, volume) => wake(volume) });
  return controller.start(async (key) => {
    const volume = volumes.get(parseObjectKey(key));
    const finalizers =
      volume && nextFinalizers(volume, volumeFinalizer, () => volume.status?.phase === "Bound");
    if (finalizers) await context.client.update(volumeKind, withFinalizers(volume, finalizers));
    return undefined;
  });
};

/**
 * The finalizers that an object ought to have; undefined when it has them. What stays has ours,
 * what goes loses it unless it is in use.
 */
export function nextFinalizers(
  { metadata }: Workload,
  finalizer: string,
  isUsed: () => boolean,
): readonly string[] | undefined {
  const finalizers = metadata.finalizers ?? [];
  const has = finalizers.includes(finalizer);
  if (metadata.deletionTimestamp === undefined) return has ? undefined : [...finalizers, finalizer];
  return has && !isUsed() ? finalizers.filter((one) => one !== finalizer) : undefined;
}

const withFinalizers = <O extends Workload>(object: O, finalizers: readonly string[]): O => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
});
