// PersistentVolumeClaimResize: a claim may grow only once it is bound, and only if its class allows
// expansion.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
import type { Decoded } from "homeostat/api";
import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import type { StorageClass } from "homeostat/k8s/storage/v1";
import { classOf } from "../kinds/core/persistent-volume/persistent-storage.ts";
import { nanoOf } from "../kinds/core/resources/resource-lists.ts";
import { type CreatePlugin, refuse, updateOf } from "./admission-plugin.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

export const createPersistentVolumeClaimResize: CreatePlugin = ({ objects }) => ({
  validate(request) {
    const update = updateOf<Decoded<PersistentVolumeClaim>>(request, "persistentvolumeclaims");
    if (!update || sizeOf(update.object) <= sizeOf(update.old)) return;
    const { object, old } = update;
    if (old.status?.phase !== "Bound")
      throw refuse(request, "Only bound persistent volume claims can be expanded");
    if (!mayGrow(object, old, objects))
      throw refuse(
        request,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
  },
});

const sizeOf = ({ spec }: Decoded<PersistentVolumeClaim>): bigint =>
  nanoOf(spec?.resources?.requests?.["storage"]);

function mayGrow(
  claim: Decoded<PersistentVolumeClaim>,
  old: Decoded<PersistentVolumeClaim>,
  objects: StoredObjects,
): boolean {
  const name = classOf(claim);
  if (!name || name !== classOf(old)) return false;
  const storageClass: Decoded<StorageClass> | undefined = objects.find(
    { group: "storage.k8s.io", resource: "storageclasses" },
    name,
  );
  return storageClass?.allowVolumeExpansion === true;
}
