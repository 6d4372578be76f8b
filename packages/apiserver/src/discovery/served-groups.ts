// The groups of the catalog with their versions by preference and their resources by name.
// Upstream: k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/helper (group order),
// k8s.io/apiserver/pkg/endpoints/installer.go (resources in order of path),
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go.
import { compareBytewise, type JsonObject } from "homeostat/api";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { compareKubeVersions } from "../apimachinery/values/kube-version-order.ts";

/** One version of a group. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ServedResource[];
  /** Of a version that another server serves: its part of aggregated discovery. */
  readonly remote?: JsonObject;
}

/** The versions that other servers serve. */
export interface RemoteVersions {
  /** Changes with the versions. */
  readonly epoch: number;
  versions(): readonly {
    readonly group: string;
    readonly version: string;
    readonly groupPriority: number;
    readonly versionPriority: number;
    readonly discovery: JsonObject;
  }[];
}

/** One group; the legacy group has the name "". */
export interface ServedGroup {
  readonly name: string;
  /** Preferred first. */
  readonly versions: readonly ServedVersion[];
}

/**
 * Groups in the catalog's order, which is upstream's for built-in ones, then the others by priority
 * and name. Upstream: k8s.io/kubernetes/pkg/controlplane/apiserver/aggregator.go, which registers
 * custom resources with the priority 1000.
 */
export function groupsOf(
  catalog: ResourceCatalog,
  remote?: RemoteVersions,
): readonly ServedGroup[] {
  const local = localGroups(catalog);
  const others = remote?.versions() ?? [];
  return others.length ? withRemote(local, catalog, others) : local;
}

const customPriority = 1000;

function withRemote(
  local: readonly ServedGroup[],
  catalog: ResourceCatalog,
  others: ReturnType<RemoteVersions["versions"]>,
): readonly ServedGroup[] {
  const byGroup = Map.groupBy(others, ({ group }) => group);
  const remoteOf = (name: string): readonly ServedVersion[] =>
    (byGroup.get(name) ?? [])
      .toSorted(
        (a, b) =>
          b.versionPriority - a.versionPriority || compareKubeVersions(a.version, b.version),
      )
      .map(({ version, discovery }) => ({ version, resources: [], remote: discovery }));
  const merged = local.map((group) => {
    const added = remoteOf(group.name);
    const replaced = new Set(added.map(({ version }) => version));
    const own = group.versions.filter(({ version }) => !replaced.has(version));
    return added.length ? { ...group, versions: [...own, ...added] } : group;
  });
  const known = new Set(local.map(({ name }) => name));
  const isBuiltIn = (name: string): boolean =>
    catalog.all().some((each) => each.group === name && each.discovery.groupOrder === "catalog");
  const priorityOf = ({ name }: ServedGroup): number =>
    known.has(name)
      ? customPriority
      : Math.max(...(byGroup.get(name) ?? []).map(({ groupPriority }) => groupPriority));
  const added = [...byGroup.keys()]
    .filter((name) => !known.has(name))
    .map((name) => ({ name, versions: remoteOf(name) }));
  const rest = [...merged.filter(({ name }) => !isBuiltIn(name)), ...added];
  return [
    ...merged.filter(({ name }) => isBuiltIn(name)),
    ...rest.toSorted((a, b) => priorityOf(b) - priorityOf(a) || compareBytewise(a.name, b.name)),
  ];
}

/** Groups in the catalog's order, which is upstream's for built-in ones, then groups by name. */
function localGroups(catalog: ResourceCatalog): readonly ServedGroup[] {
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
