// Finds the address of a Service: in a table given at start, at its external name, or at a ready
// endpoint.
// Upstream: k8s.io/apiserver/pkg/util/proxy/proxy.go (ResolveCluster, ResolveEndpoint). Without a
// network of pods a cluster IP leads nowhere, so the endpoints are used as with
// --enable-aggregator-routing.
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import type { ServiceLocation, ServiceResolver } from "./webhook-client.ts";

/** What the resolver reads. */
export interface ServiceLookup {
  service(namespace: string, name: string): Decoded<Service> | undefined;
  /** The EndpointSlices of a Service. */
  slices(namespace: string, name: string): readonly Decoded<EndpointSlice>[];
  /** Locations by `namespace/name` or `namespace/name:port`; they win. */
  readonly locations?: ReadonlyMap<string, ServiceLocation> | undefined;
}

const routable = new Set(["ClusterIP", "LoadBalancer", "NodePort"]);

/** Creates the resolver. It throws errors with upstream's messages. */
export function createServiceResolver(lookup: ServiceLookup): ServiceResolver {
  return (namespace, name, port) => {
    const known = locationOf(lookup.locations, namespace, name, port);
    return known ?? resolveEndpoint(lookup, namespace, name, port);
  };
}

/** The location that was given for a Service. */
export function locationOf(
  locations: ServiceLookup["locations"],
  namespace: string,
  name: string,
  port: number,
): ServiceLocation | undefined {
  return locations?.get(`${namespace}/${name}:${port}`) ?? locations?.get(`${namespace}/${name}`);
}

function resolveEndpoint(
  lookup: ServiceLookup,
  namespace: string,
  name: string,
  port: number,
): ServiceLocation {
  const service = lookup.service(namespace, name);
  if (!service) throw new Error(`service "${name}" not found`);
  const type = service.spec?.type ?? "ClusterIP";
  if (type === "ExternalName") return { host: service.spec?.externalName ?? "", port };
  if (!routable.has(type)) throw new Error(`unsupported service type "${type}"`);
  const servicePort = service.spec?.ports?.find((each) => each.port === port);
  if (!servicePort) throw new Error(`no service port ${port} found for service "${name}"`);
  for (const slice of lookup.slices(namespace, name))
    for (const each of slice.ports ?? []) {
      if ((each.name ?? "") !== (servicePort.name ?? "") || typeof each.port !== "number") continue;
      const ready = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false);
      const host = ready?.addresses?.[0];
      if (host !== undefined) return { host, port: each.port };
    }
  throw new Error(`no endpoints available for service "${name}"`);
}
