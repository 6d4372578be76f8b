// What volumes and claims share: access modes in short, storage classes by annotation or field,
// protection by a finalizer.
// Upstream: k8s.io/kubernetes/pkg/apis/core/helper/helpers.go.
import type { JsonObject } from "homeostat/api";
import { textMapAt, textsAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

/** The annotation that came before `storageClassName`. */
export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

const short = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** `RWO,ROX`. */
export function accessModesOf(object: JsonObject): string {
  const modes = textsAt(object, "accessModes");
  return short
    .filter(([mode]) => modes.includes(mode))
    .map(([, text]) => text)
    .join(",");
}

/** The storage class of a volume or a claim. */
export function classOf(object: JsonObject): string {
  return (
    textMapAt(metadataOf(object), "annotations")[classAnnotation] ??
    stringAt(objectAt(object, "spec"), "storageClassName")
  );
}

/** Adds a finalizer that is not there yet. */
export function addFinalizer(object: JsonObject, name: string): void {
  const metadata = metadataOf(object);
  const finalizers = textsAt(metadata, "finalizers");
  if (!finalizers.includes(name)) metadata["finalizers"] = [...finalizers, name];
}
