// The document of aggregated discovery: everything below /api or /apis in one answer.
// Upstream: k8s.io/api/apidiscovery/v2/types.go, k8s.io/apiserver/pkg/endpoints/installer.go,
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go.
import type { GroupVersionKind, JsonObject } from "homeostat/api";
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
      versions: versions.map(
        ({ version, resources, remote }) =>
          remote ?? {
            version,
            resources: resources.map(resourceEntry),
            freshness: "Current",
          },
      ),
    })),
  };
}

function resourceEntry(resource: ServedResource): JsonObject {
  const subresources = Array.from(resource.subresources, ([name, { kind, verbs }]) => ({
    subresource: name,
    responseKind: responseKind(resource, kind),
    verbs: [...verbs],
  }));
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

function responseKind(resource: ServedResource, kind: GroupVersionKind): JsonObject {
  const isOwn = kind.group === resource.group && kind.version === resource.version;
  return isOwn && resource.discovery.responseKind === "relative"
    ? { group: "", version: "", kind: kind.kind }
    : { group: kind.group, version: kind.version, kind: kind.kind };
}
