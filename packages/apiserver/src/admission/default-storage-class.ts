// DefaultStorageClass: a claim that names no class gets the default one, if there is one.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault/admission.go.
import type { Decoded } from "homeostat/api";
import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { isSet } from "../apimachinery/meta/read-fields.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import { defaultClassName } from "./default-class.ts";

const isDefaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const createDefaultStorageClass: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    const claim: Decoded<PersistentVolumeClaim> | undefined = request.object;
    if (!claim || request.operation !== "CREATE" || !isAbout(request, "", "persistentvolumeclaims"))
      return;
    const spec = (claim.spec ??= {});
    const annotation = claim.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
    if (isSet(spec.storageClassName) || annotation !== undefined) return;
    const name = defaultClassName(
      objects.list({ group: "storage.k8s.io", resource: "storageclasses" }),
      isDefaultAnnotations,
    );
    if (name) spec.storageClassName = name;
  },
});
