// How kube-apiserver serves its built-in kinds.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go.
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
