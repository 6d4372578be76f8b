// The documents of unaggregated discovery, with their members in upstream's order.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/types.go,
// k8s.io/apiserver/pkg/endpoints/discovery.
import { compareBytewise, formatApiVersion, type Json, type JsonObject } from "homeostat/api";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../apimachinery/rest/subresource.ts";
import type { ServedGroup, ServedVersion } from "./served-groups.ts";

/** `/api` */
export function apiVersions(serverAddress: string): JsonObject {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis` */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups.filter((group) => group.name).map(groupFields),
  };
}

/** `/apis/<group>` */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: "APIGroup", apiVersion: "v1", ...groupFields(group) };
}

/** `/api/v1` and `/apis/<group>/<version>` */
export function apiResourceList(group: string, version: ServedVersion): JsonObject {
  const gv = { group, version: version.version };
  const resources = version.resources.flatMap(entriesOf);
  if (version.resources.some(({ discovery }) => discovery.entryOrder === "by path"))
    resources.sort((a, b) => compareBytewise(String(a["name"]), String(b["name"])));
  return {
    kind: "APIResourceList",
    ...(group ? { apiVersion: "v1" } : {}),
    groupVersion: formatApiVersion(gv),
    resources,
  };
}

function groupFields(group: ServedGroup): JsonObject {
  const versions = group.versions.map(({ version }) => ({
    groupVersion: `${group.name}/${version}`,
    version,
  }));
  return { name: group.name, versions, preferredVersion: versions[0]! };
}

function entriesOf(resource: ServedResource): JsonObject[] {
  return [
    {
      name: resource.resource,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: [...resource.verbs],
      ...names(resource),
      ...(resource.storageVersionHash ? { storageVersionHash: resource.storageVersionHash } : {}),
    },
    ...Array.from(resource.subresources, ([name, subresource]) =>
      subresourceEntry(resource, name, subresource),
    ),
  ];
}

function subresourceEntry(
  resource: ServedResource,
  name: string,
  { kind, verbs }: Subresource,
): JsonObject {
  const foreign = kind.group !== resource.group || kind.version !== resource.version;
  return {
    name: `${resource.resource}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(foreign && kind.group ? { group: kind.group } : {}),
    ...(foreign ? { version: kind.version } : {}),
    kind: kind.kind,
    verbs: [...verbs],
  };
}

/** Short names and categories, unless empty. */
export function names(resource: ServedResource): { [key: string]: Json } {
  return {
    ...(resource.shortNames.length ? { shortNames: [...resource.shortNames] } : {}),
    ...(resource.categories.length ? { categories: [...resource.categories] } : {}),
  };
}
