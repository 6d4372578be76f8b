// Metadata that a write through a status endpoint cannot change, for kinds that protect it.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/meta.go (ResetObjectMetaForStatus).
import { keepOld } from "./default-strategy.ts";
import { type DecodedObject, metadataOf } from "../../apimachinery/meta/read-meta.ts";

const fields = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const;

/** Resets metadata to the old one, except resourceVersion and managedFields. */
export function keepMetadataForStatus(object: DecodedObject, old: DecodedObject): void {
  for (const field of fields) keepOld(metadataOf(object), metadataOf(old), field);
}
