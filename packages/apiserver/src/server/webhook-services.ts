// The client of webhooks over this server's own Services: those in the store, and the locations
// that were given at start.
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { type Runtime, uuid } from "homeostat/runtime";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import { createStoredObjects, type StoredObjects } from "../registry/revisions/stored-objects.ts";
import type { Store } from "../storage/store.ts";
import {
  createServiceResolver,
  locationOf,
  type ServiceLookup,
} from "../webhook-client/resolve-service.ts";
import {
  createWebhookClient,
  type ServiceLocation,
  type ServiceResolver,
  type WebhookClient,
} from "../webhook-client/webhook-client.ts";

const serviceName = "kubernetes.io/service-name";

/** What calls webhooks. */
export interface WebhookServices {
  readonly client: WebhookClient;
  readonly resolve: ServiceResolver;
  /** True if the location of a Service was given at start. */
  readonly isLocated: (namespace: string, name: string, port: number) => boolean;
  readonly newUid: () => string;
}

interface WebhookServicesOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly serviceLocations?: ReadonlyMap<string, ServiceLocation> | undefined;
}

/** Creates them; `catalog` is asked for with the first call. */
export function createWebhookServices(
  { store, runtime, serviceLocations }: WebhookServicesOptions,
  catalog: () => ResourceCatalog,
): WebhookServices {
  let resolver: ServiceResolver | undefined;
  const resolve: ServiceResolver = (...service) => {
    resolver ??= createServiceResolver(
      serviceLookup(createStoredObjects(store, catalog()), serviceLocations),
    );
    return resolver(...service);
  };
  return {
    client: createWebhookClient({ clock: runtime.clock, resolve }),
    resolve,
    isLocated: (...service) => locationOf(serviceLocations, ...service) !== undefined,
    newUid: () => uuid(runtime.entropy),
  };
}

/** The lookup over stored objects. */
const serviceLookup = (
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
