// References to objects, as events have them.
// Upstream: k8s.io/client-go/tools/reference/ref.go (GetReference).
import type { Metadata } from "../api/kind.ts";
import type { ObjectReference } from "../k8s/core/v1/models.ts";
import { checkArgument } from "../util/call-options.ts";

/** The reference to an object of a kind, at the revision that was read. */
export function objectReference(
  of: { readonly apiVersion: string; readonly kind: string },
  object: { readonly metadata: Metadata },
): ObjectReference {
  checkArgument("objectReference(…)", ["the kind", of?.kind], "a string");
  checkArgument("objectReference(…)", ["the object's metadata", object?.metadata], "an object");
  const { apiVersion, kind } = of;
  const { metadata } = object;
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, uid, resourceVersion, ...(namespace ? { namespace } : {}) };
}
