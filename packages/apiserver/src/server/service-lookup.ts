// What resolving a Service reads: Services and EndpointSlices in the store, and the locations that
// were given at start.
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";
import type { ServiceLookup } from "../webhook-client/resolve-service.ts";

const serviceName = "kubernetes.io/service-name";

/** The lookup over stored objects. */
export const serviceLookup = (
  objects: StoredObjects,
  locations: ServiceLookup["locations"],
): ServiceLookup => ({
  locations,
  service: (namespace, name) =>
    objects.find({ group: "", resource: "services" }, name, namespace) as
      | Decoded<Service>
      | undefined,
  slices: (namespace, name) =>
    (
      objects.list({
        group: "discovery.k8s.io",
        resource: "endpointslices",
      }) as readonly Decoded<EndpointSlice>[]
    ).filter(
      ({ metadata }) =>
        metadata?.namespace === namespace && metadata.labels?.[serviceName] === name,
    ),
});
