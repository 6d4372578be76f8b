// StorageObjectInUseProtection: adds the finalizers that keep volumes, claims and volume attributes
// classes while they are in use.
// Upstream:
// k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go.
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";

const finalizers = [
  ["", "persistentvolumes", "kubernetes.io/pv-protection"],
  ["", "persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"],
] as const;

export const createStorageObjectInUseProtection: CreatePlugin = () => ({
  mutate(request) {
    if (!request.object || request.operation !== "CREATE") return;
    const finalizer = finalizers.find(([group, resource]) =>
      isAbout(request, group, resource),
    )?.[2];
    if (!finalizer) return;
    const metadata = metadataOf(request.object);
    const given = metadata.finalizers ?? [];
    if (!given.includes(finalizer)) metadata.finalizers = [...given, finalizer];
  },
});
