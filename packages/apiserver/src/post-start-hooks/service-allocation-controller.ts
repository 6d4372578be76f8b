// Keeps the pools of cluster addresses and node ports in step with stored services: it allocates
// what they use when the server starts, creates an IPAddress for each address, and deletes the
// Endpoints of a deleted service.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/storage.go (afterDelete), and the
// repair loops in pkg/registry/core/service/{ipallocator,portallocator}/controller.
import type { Decoded, JsonObject } from "homeostat/api";
import type { ServiceList } from "homeostat/k8s/core/v1";
import type { IPAddressList } from "homeostat/k8s/networking/v1";
import type { LoopbackClient } from "./loopback-client.ts";
import { type DecodedObject, metadataOf } from "../apimachinery/meta/read-meta.ts";
import { holdingsOf } from "../kinds/core/service/service-fields.ts";
import { createServicePool, type ServicePool } from "../kinds/core/service/service-pool.ts";
import type { ServiceRanges } from "../kinds/core/service/service-ranges.ts";

/** The pools of one server, and what keeps them in step. */
export interface ServiceAllocation {
  readonly pool: ServicePool;
  /** To be called after every commit to a Service. */
  committed(object: JsonObject | null, old: JsonObject | null): Promise<void>;
  /** To be called after every commit to an IPAddress: its address is in use. */
  addressCommitted(object: JsonObject | null, old: JsonObject | null): void;
  /** To be called once the server answers requests. */
  start(loopback: LoopbackClient): Promise<void>;
}

const addressPath = "/apis/networking.k8s.io/v1/ipaddresses";

/** Creates the pools, empty. */
export function createServiceAllocation(ranges: ServiceRanges): ServiceAllocation {
  const pool = createServicePool(ranges);
  let client: LoopbackClient | undefined;
  return {
    pool,
    async committed(object, old) {
      const [before, after] = [
        old ? holdingsOf(old) : nothing,
        object ? holdingsOf(object) : nothing,
      ];
      pool.free(before);
      pool.hold(after);
      for (const address of after.addresses)
        if (!before.addresses.includes(address))
          await client?.("POST", addressPath, ipAddressOf(address, object!));
      for (const address of before.addresses)
        if (!after.addresses.includes(address))
          await client?.("DELETE", `${addressPath}/${address}`);
      if (!object && old) await client?.("DELETE", endpointsPath(old));
    },
    addressCommitted(object, old) {
      if (object) pool.hold({ addresses: [nameOf(object)], ports: [] });
      else if (old) pool.free({ addresses: [nameOf(old)], ports: [] });
    },
    async start(loopback) {
      const services = await loopback("GET", "/api/v1/services");
      for (const service of (services.object as Decoded<ServiceList>).items ?? [])
        pool.hold(holdingsOf(service));
      const addresses = await loopback("GET", addressPath);
      pool.hold({
        addresses: ((addresses.object as Decoded<IPAddressList>).items ?? []).map(nameOf),
        ports: [],
      });
      client = loopback;
    },
  };
}

const nameOf = (object: DecodedObject): string => metadataOf(object).name ?? "";

/** The Endpoints object of a service. */
function endpointsPath(service: DecodedObject): string {
  const { namespace = "", name = "" } = metadataOf(service);
  return `/api/v1/namespaces/${namespace}/endpoints/${name}`;
}

const nothing = { addresses: [], ports: [] } as const;

/** The IPAddress of a service's cluster address. */
function ipAddressOf(address: string, service: JsonObject): JsonObject {
  const labels = {
    "ipaddress.kubernetes.io/ip-family": "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  };
  const { name = "", namespace = "" } = metadataOf(service);
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IPAddress",
    metadata: { name: address, labels },
    spec: { parentRef: { resource: "services", namespace, name } },
  };
}
