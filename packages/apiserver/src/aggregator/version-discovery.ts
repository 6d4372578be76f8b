// What an extension server says about a version, as aggregated discovery shows it. Pure.
// Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go.
import { isObject, type JsonObject } from "homeostat/api";
import type { RemoteApiService } from "./remote-api-service.ts";

/** The version in an APIGroupDiscoveryList; undefined if the list lacks it. */
export function versionIn(
  list: JsonObject | undefined,
  { group, version }: RemoteApiService,
): JsonObject | undefined {
  if (list?.kind !== "APIGroupDiscoveryList" || !Array.isArray(list.items)) return undefined;
  const found = (list.items as JsonObject[]).find(
    ({ metadata }) => (isObject(metadata) ? (metadata.name ?? "") : "") === group,
  );
  const versions = Array.isArray(found?.versions) ? (found.versions as JsonObject[]) : [];
  return versions.find((each) => each.version === version);
}

/** An APIResourceList as one version of aggregated discovery. */
export function toVersionDiscovery(version: string, list: JsonObject): JsonObject {
  const all = Array.isArray(list.resources) ? (list.resources as JsonObject[]) : [];
  const entryOf = (resource: JsonObject): JsonObject => ({
    responseKind: {
      group: resource.group ?? "",
      version: resource.version ?? "",
      kind: resource.kind ?? "",
    },
    verbs: resource.verbs ?? [],
  });
  const resources = all
    .filter(({ name }) => !String(name).includes("/"))
    .map((resource): JsonObject => {
      const prefix = `${String(resource.name)}/`;
      const subresources = all
        .filter(({ name }) => String(name).startsWith(prefix))
        .map((each) => ({
          subresource: String(each.name).slice(prefix.length),
          ...entryOf(each),
        }));
      const { responseKind, verbs } = entryOf(resource);
      return {
        resource: resource.name ?? "",
        responseKind: responseKind!,
        scope: resource.namespaced ? "Namespaced" : "Cluster",
        singularResource: resource.singularName ?? "",
        verbs: verbs!,
        ...(resource.shortNames ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories ? { categories: resource.categories } : {}),
        ...(subresources.length ? { subresources } : {}),
      };
    });
  return { version, resources };
}
