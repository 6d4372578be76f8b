// How kube-apiserver serves its built-in kinds.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go,
// k8s.io/kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go.
import type { ResourceTraits } from "../../apimachinery/rest/resource-traits.ts";

/** The traits of every built-in kind. */
export const builtinTraits: ResourceTraits = {
  hub: "storage version",
  routing: "installed",
  storedSize: "unlimited",
  managedFields: {
    unknownVersions: "drop",
    conversion: "through storage",
    resetVersions: "all versions",
  },
  discovery: { groupOrder: "catalog", entryOrder: "by path", responseKind: "relative" },
};

/** The path of a kind in etcd below `/registry/`, which some messages of upstream contain. */
export function etcdPrefixOf(group: string, resource: string): string {
  if (group === "apiextensions.k8s.io" || group === "apiregistration.k8s.io")
    return `${group}/${resource}`;
  return specialPrefixes.get(resource) ?? resource;
}

const specialPrefixes: ReadonlyMap<string, string> = new Map([
  ["replicationcontrollers", "controllers"],
  ["endpoints", "services/endpoints"],
  ["services", "services/specs"],
  ["nodes", "minions"],
  ["ingresses", "ingress"],
]);
