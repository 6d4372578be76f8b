// Keeps the pools of cluster addresses and node ports in step with stored services: it allocates
// what they use when the server starts, creates an IPAddress for each address, and deletes the
// Endpoints of a deleted service.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/storage.go (afterDelete), and the
// repair loops in pkg/registry/core/service/{ipallocator,portallocator}/controller.
import type { JsonObject } from "homeostat/api";
import type { LoopbackClient } from "./loopback-client.ts";
import { itemsAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
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
      if (!object && old)
        await client?.(
          "DELETE",
          `/api/v1/namespaces/${stringAt(metadataOf(old), "namespace")}/endpoints/${stringAt(metadataOf(old), "name")}`,
        );
    },
    addressCommitted(object, old) {
      if (object) pool.hold({ addresses: [stringAt(metadataOf(object), "name")], ports: [] });
      else if (old) pool.free({ addresses: [stringAt(metadataOf(old), "name")], ports: [] });
    },
    async start(loopback) {
      const services = await loopback("GET", "/api/v1/services");
      for (const service of itemsAt(services.object, "items")) pool.hold(holdingsOf(service));
      const addresses = await loopback("GET", addressPath);
      pool.hold({
        addresses: itemsAt(addresses.object, "items").map((each) =>
          stringAt(metadataOf(each), "name"),
        ),
        ports: [],
      });
      client = loopback;
    },
  };
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
