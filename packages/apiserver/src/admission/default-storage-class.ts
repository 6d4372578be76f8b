// DefaultStorageClass: a claim that names no class gets the default one, if there is one.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault/admission.go.
import { isSet, textMapAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import { defaultClassName } from "./default-class.ts";
import { specOf } from "./spec-of.ts";

const marks = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

export const createDefaultStorageClass: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    const { object } = request;
    if (
      !object ||
      request.operation !== "CREATE" ||
      !isAbout(request, "", "persistentvolumeclaims")
    )
      return;
    const spec = specOf(object);
    if (
      isSet(spec["storageClassName"]) ||
      Object.hasOwn(
        textMapAt(metadataOf(object), "annotations"),
        "volume.beta.kubernetes.io/storage-class",
      )
    )
      return;
    const name = defaultClassName(
      objects.list({ group: "storage.k8s.io", resource: "storageclasses" }),
      marks,
    );
    if (name) spec["storageClassName"] = name;
  },
});
