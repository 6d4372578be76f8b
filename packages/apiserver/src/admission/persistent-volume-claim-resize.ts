// PersistentVolumeClaimResize: a claim grows only once it is bound, and only where its class says
// so.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize/admission.go.
import type { JsonObject } from "homeostat/api";
import { nanoOf } from "../kinds/core/resources/resource-lists.ts";
import { textMapAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

export const createPersistentVolumeClaimResize: CreatePlugin = ({ objects }) => ({
  validate(request) {
    const { object, old } = request;
    if (
      !object ||
      !old ||
      request.operation !== "UPDATE" ||
      !isAbout(request, "", "persistentvolumeclaims") ||
      sizeOf(object) <= sizeOf(old)
    )
      return;
    if (stringAt(objectAt(old, "status"), "phase") !== "Bound")
      throw refuse(request, "Only bound persistent volume claims can be expanded");
    if (!mayGrow(object, old, objects))
      throw refuse(
        request,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
  },
});

const sizeOf = (claim: JsonObject): bigint =>
  nanoOf(objectAt(objectAt(objectAt(claim, "spec"), "resources"), "requests")["storage"]);

/** The older annotation counts before the field. */
const classOf = (claim: JsonObject): string =>
  textMapAt(metadataOf(claim), "annotations")["volume.beta.kubernetes.io/storage-class"] ??
  stringAt(objectAt(claim, "spec"), "storageClassName");

function mayGrow(claim: JsonObject, old: JsonObject, objects: StoredObjects): boolean {
  const name = classOf(claim);
  return (
    name !== "" &&
    name === classOf(old) &&
    objects.find({ group: "storage.k8s.io", resource: "storageclasses" }, name)?.[
      "allowVolumeExpansion"
    ] === true
  );
}
