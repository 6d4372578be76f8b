// References to objects, as events have them.
// Upstream: k8s.io/client-go/tools/reference/ref.go (GetReference).
import type { Metadata } from "../api/kind.ts";
import type { ObjectReference } from "../k8s/core/v1/models.ts";

/** The reference to an object of a kind, at the revision that was read. */
export function objectReference(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  { metadata }: { readonly metadata: Metadata },
): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, uid, resourceVersion, ...(namespace ? { namespace } : {}) };
}
