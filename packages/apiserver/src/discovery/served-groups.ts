// The groups of the catalog with their versions by preference and their resources by name.
// Upstream: k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper (group order),
// k8s.io/apiserver/pkg/endpoints/installer.go (resources in order of path),
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go.
import { compareBytewise } from "homeostat/api";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { compareKubeVersions } from "../apimachinery/values/kube-version-order.ts";

/** One version of a group. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** One group; the legacy group has the name "". */
export interface ServedGroup {
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly ServedVersion[];
}

/** Groups in the catalog's order, which is upstream's for built-in ones, then groups by name. */
export function groupsOf(catalog: ResourceCatalog): readonly ServedGroup[] {
  const byName = Map.groupBy(catalog.all(), (resource) => resource.group);
  const groups = [...byName].map(([name, resources]) => ({
    name,
    listed: resources.some(({ discovery }) => discovery.groupOrder === "catalog"),
    versions: versionsOf(resources),
  }));
  const rest = groups.filter((group) => !group.listed);
  return [
    ...groups.filter((group) => group.listed),
    ...rest.toSorted((a, b) => compareBytewise(a.name, b.name)),
  ];
}

function versionsOf(resources: readonly ServedResource[]): readonly ServedVersion[] {
  const versions = [...Map.groupBy(resources, (resource) => resource.version)].map(
    ([version, members]) => ({
      version,
      resources: members.toSorted((a, b) => compareBytewise(a.resource, b.resource)),
    }),
  );
  return versions.toSorted((a, b) => compareKubeVersions(a.version, b.version));
}
