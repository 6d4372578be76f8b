// The catalog as discovery shows it: groups, their versions by preference, their resources by name.
// Upstream: k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper (group order),
// k8s.io/apiserver/pkg/endpoints/installer.go (resources in order of path),
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go.
import { compareBytewise } from "homeostat/api";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { compareKubeVersions } from "./kube-version-order.ts";

/** One version of a group. */
export interface ServedVersion {
  readonly version: string;
  /** True when definitions alone make up this version. */
  readonly custom: boolean;
  readonly resources: readonly ServedResource[];
}

/** One group; the legacy group has the name "". */
export interface ServedGroup {
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly ServedVersion[];
}

/**
 * Built-in groups in the catalog's order, which is upstream's; groups of definitions after them, by
 * name.
 */
export function groupsOf(catalog: ResourceCatalog): readonly ServedGroup[] {
  const byName = Map.groupBy(catalog.all(), (resource) => resource.group);
  const groups = [...byName].map(([name, resources]) => ({
    name,
    custom: resources.every((resource) => resource.custom),
    versions: versionsOf(resources),
  }));
  const builtIn = groups.filter((group) => !group.custom);
  const custom = groups
    .filter((group) => group.custom)
    .toSorted((a, b) => compareBytewise(a.name, b.name));
  return [...builtIn, ...custom];
}

function versionsOf(resources: readonly ServedResource[]): readonly ServedVersion[] {
  const versions = [...Map.groupBy(resources, (resource) => resource.version)].map(
    ([version, members]) => ({
      version,
      custom: members.every((member) => member.custom),
      resources: members.toSorted((a, b) => compareBytewise(a.resource, b.resource)),
    }),
  );
  return versions.toSorted((a, b) => compareKubeVersions(a.version, b.version));
}
