// The versions of a resource: resources with the same storage are equivalent. Those of a custom
// resource are all that its definition lists.
// Upstream: k8s.io/apimachinery/pkg/runtime/mapper.go, k8s.io/apiserver/pkg/server/config.go
// (EquivalentResourceRegistry), k8s.io/apiextensions-apiserver/pkg/apiserver/
// customresource_handler.go (getOrCreateServingInfoFor).
import type { GroupVersionKind } from "homeostat/api";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";

/** The other versions of the same objects that have the subresource ("": the resource). */
export function equivalentResources(
  catalog: ResourceCatalog,
  resource: ServedResource,
  subresource: string,
): readonly ServedResource[] {
  const all = resource.definedVersions?.() ?? catalog.all();
  return all.filter(
    (each) =>
      each.storageKey === resource.storageKey &&
      each !== resource &&
      !isSameVersion(each, resource) &&
      (subresource === "" || each.subresources.has(subresource)),
  );
}

const isSameVersion = (a: ServedResource, b: ServedResource): boolean =>
  a.group === b.group && a.version === b.version && a.resource === b.resource;

/** The kind of the objects that the resource or its subresource takes. */
export function kindOf(resource: ServedResource, subresource: string): GroupVersionKind {
  const { group, version, kind } = resource.subresources.get(subresource)?.kind ?? resource;
  return { group, version, kind };
}
