// The document of aggregated discovery: everything below /api or /apis in one answer.
// Upstream: k8s.io/api/apidiscovery/v2/types.go, k8s.io/apiserver/pkg/endpoints/installer.go
// (built-ins leave the group and version of their own kinds empty),
// customresource_discovery_controller.go (definitions fill them in).
import { compareBytewise, type GroupVersionKind, type JsonObject } from "homeostat/api";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { names } from "./legacy-documents.ts";
import type { ServedGroup } from "./served-groups.ts";

/** An APIGroupDiscoveryList of these groups. */
export function apiGroupDiscoveryList(groups: readonly ServedGroup[]): JsonObject {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name ? { name } : {},
      versions: versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(resourceEntry),
        freshness: "Current",
      })),
    })),
  };
}

function resourceEntry(resource: ServedResource): JsonObject {
  const subresources = subresourceNames(resource).map((name) => {
    const { kind, verbs } = resource.subresources.get(name)!;
    return { subresource: name, responseKind: responseKind(resource, kind), verbs: [...verbs] };
  });
  return {
    resource: resource.resource,
    responseKind: responseKind(resource, resource),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...names(resource),
    ...(subresources.length ? { subresources } : {}),
  };
}

function subresourceNames(resource: ServedResource): readonly string[] {
  if (resource.custom) return ["status", "scale"].filter((name) => resource.subresources.has(name));
  return [...resource.subresources.keys()].toSorted(compareBytewise);
}

function responseKind(resource: ServedResource, kind: GroupVersionKind): JsonObject {
  const own =
    !resource.custom && kind.group === resource.group && kind.version === resource.version;
  return { group: own ? "" : kind.group, version: own ? "" : kind.version, kind: kind.kind };
}
