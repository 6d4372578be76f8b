// Protects claims in use from deletion. Admission adds a finalizer; it is removed from a deleted
// claim once no pod uses it.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/pvcprotection/pvc_protection_controller.go.
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../../component-helpers/controller/controller.ts";
import type { ApiObject } from "../../../component-helpers/meta/api-object.ts";
import { Pod, PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import {
  claimNames,
  releasesClaims,
  usesClaim,
} from "../../../component-helpers/storage/claim-use.ts";
import { nextFinalizers, withFinalizers } from "./protection-finalizers.ts";

const finalizer = "kubernetes.io/pvc-protection";

/** Starts `persistentvolumeclaim-protection`. */
export const start: Start = async (context) => {
  const { client } = context;
  const controller = new KeyedController(
    context,
    "the persistentvolumeclaim-protection controller",
  );
  const claims = controller.acquire(PersistentVolumeClaim);
  const pods = controller.acquire(Pod, { claim: claimKeys });
  const enqueue = (claim: CachedObject<ApiObject>): void => {
    if (nextFinalizers(claim.read(), finalizer, () => false)) controller.add(claim.key);
  };
  const enqueueClaims = (pod: Pod): void => {
    for (const claim of claimKeys(pod)) controller.add(claim);
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
    if (!claim || !nextFinalizers(claim, finalizer, () => isUsed(pods.byIndex("claim", key))))
      return undefined;
    // A pod may exist that is not in the cache yet, and the deletion of a claim cannot be undone.
    const live =
      claim.metadata.deletionTimestamp === undefined
        ? []
        : (await client.list(Pod, { namespace: claim.metadata.namespace })).items;
    const finalizers = nextFinalizers(claim, finalizer, () => isUsed(live));
    if (finalizers) await client.update(PersistentVolumeClaim, withFinalizers(claim, finalizers));
    return undefined;
  });
};

/** The keys of the claims that a pod names. */
const claimKeys = (pod: Pod): readonly string[] =>
  claimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`);
