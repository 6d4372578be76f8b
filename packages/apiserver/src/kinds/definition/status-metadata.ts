// The status endpoint of kinds that protect metadata: a write through it changes status alone.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/meta.go (ResetObjectMetaForStatus).
import { keepOld, type SpecStatusObject } from "./default-strategy.ts";
import type { StrategyOverrides } from "./kind-definition.ts";
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

/** The strategy of such a status subresource. */
export const statusOnlyStrategy: StrategyOverrides<SpecStatusObject> = {
  resetFields: [["f:metadata"], ["f:spec"]],
  prepareForUpdate(object, old) {
    keepOld(object, old, "spec");
    keepMetadataForStatus(object, old);
  },
};

/** Resets metadata to the old one, except resourceVersion and managedFields. */
export function keepMetadataForStatus(object: DecodedObject, old: DecodedObject): void {
  for (const field of fields) keepOld(metadataOf(object), metadataOf(old), field);
}
