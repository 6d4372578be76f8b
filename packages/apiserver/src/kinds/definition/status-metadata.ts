// What a write through a status endpoint may not touch in metadata, for kinds that protect it.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/meta.go (ResetObjectMetaForStatus).
import type { JsonObject } from "homeostat/api";
import { keepOld } from "./default-strategy.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";

const fields = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const;

/** Puts metadata back to what it was, resourceVersion and managers apart. */
export function keepMetadataForStatus(object: JsonObject, old: JsonObject): void {
  for (const field of fields) keepOld(metadataOf(object), metadataOf(old), field);
}
