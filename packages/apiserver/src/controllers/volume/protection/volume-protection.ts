// Protects bound volumes from deletion. Admission adds a finalizer; it is removed from a deleted
// volume once it is unbound.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/pvprotection/pv_protection_controller.go.
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { PersistentVolume } from "homeostat/k8s/core/v1";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../../component-helpers/controller/controller.ts";
import { nextFinalizers, withFinalizers } from "./protection-finalizers.ts";

const finalizer = "kubernetes.io/pv-protection";

/** Starts `persistentvolume-protection`. */
export const start: Start = async (context) => {
  const controller = new KeyedController(context, "the persistentvolume-protection controller");
  const volumes = controller.acquire(PersistentVolume);
  const enqueue = (volume: CachedObject<PersistentVolume>): void => {
    if (nextFinalizers(volume.read(), finalizer, () => false)) controller.add(volume.key);
  };
  controller.follow(volumes, { added: enqueue, updated: (_, volume) => enqueue(volume) });
  return controller.start(async (key) => {
    const volume = volumes.get(parseObjectKey(key));
    const finalizers =
      volume && nextFinalizers(volume, finalizer, () => volume.status.phase === "Bound");
    if (finalizers)
      await context.client.update(PersistentVolume, withFinalizers(volume, finalizers));
    return undefined;
  });
};
