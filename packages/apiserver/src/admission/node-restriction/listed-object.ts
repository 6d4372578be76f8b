// Looks up objects for NodeRestriction as upstream's listers do: their errors name the kind.
// Upstream: k8s.io/client-go/listers (NewNotFound of the lister's resource).
import type { JsonObject } from "homeostat/api";
import { notFoundError } from "../../apimachinery/errors/api-errors.ts";
import type { StoredKind, StoredObjects } from "../../registry/revisions/stored-objects.ts";

/** Throws 404 with the name of `kind`, e.g. `pod "web" not found`. */
export function listedObject(
  objects: StoredObjects,
  { group, resource, kind }: StoredKind & { readonly kind: string },
  name: string,
  namespace = "",
): JsonObject {
  const found = objects.find({ group, resource }, name, namespace);
  if (found) return found;
  throw notFoundError({ group, resource: kind }, name);
}

const core = (resource: string, kind: string) => ({ group: "", resource, kind }) as const;

export const listed = {
  pods: core("pods", "pod"),
  nodes: core("nodes", "node"),
  claims: core("persistentvolumeclaims", "persistentvolumeclaim"),
  volumes: core("persistentvolumes", "persistentvolume"),
  drivers: { group: "storage.k8s.io", resource: "csidrivers", kind: "csidriver" },
} as const;
