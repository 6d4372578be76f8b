// The finalizers that protect objects in use from deletion. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/protectionutil/utils.go.
import type { ApiObject } from "../../../component-helpers/meta/api-object.ts";

/**
 * The finalizers that an object should have; undefined if it has them. Deletion removes ours unless
 * the object is in use.
 */
export function nextFinalizers(
  { metadata }: ApiObject,
  finalizer: string,
  isUsed: () => boolean,
): readonly string[] | undefined {
  const finalizers = metadata.finalizers ?? [];
  const has = finalizers.includes(finalizer);
  if (metadata.deletionTimestamp === undefined) return has ? undefined : [...finalizers, finalizer];
  return has && !isUsed() ? finalizers.filter((one) => one !== finalizer) : undefined;
}

/** The object with other finalizers. */
export const withFinalizers = <O extends ApiObject>(
  object: O,
  finalizers: readonly string[],
): O => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
});
