// How the apiextensions server serves custom resources.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver (customresource_handler.go,
// customresource_discovery_controller.go).
import type { ResourceTraits } from "../../apimachinery/rest/resource-traits.ts";

/** The traits of every custom resource. */
export const customTraits: ResourceTraits = {
  hub: "request version",
  routing: "delegated",
  storedSize: "limited",
  managedFields: {
    unknownVersions: "fail",
    conversion: "apiVersion only",
    resetVersions: "request version",
  },
  discovery: { groupOrder: "by name", entryOrder: "by resource", responseKind: "absolute" },
};
