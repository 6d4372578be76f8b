// What goes on around stored services: a server that starts on stored ones takes what they hold out
// of the pools, each address in use has its IPAddress, and the endpoints of a removed service go
// with it.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/storage.go (afterDelete), and the
// repair loops in pkg/registry/core/service/{ipallocator,portallocator}/controller.
import type { JsonObject } from "homeostat/api";
import type { Handler } from "../apimachinery/handler.ts";
import { type LoopbackClient, createLoopbackClient } from "./loopback-client.ts";
import { itemsAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import { holdingsOf } from "../kinds/core/service/service-facts.ts";
import { createServicePool, type ServicePool } from "../kinds/core/service/service-pool.ts";
import type { ServiceRanges } from "../kinds/core/service/service-ranges.ts";

/** The pools of one server and those who keep them. */
export interface ServiceUpkeep {
  readonly pool: ServicePool;
  /** Of services. */
  committed(object: JsonObject | null, old: JsonObject | null): Promise<void>;
  /** Of IPAddresses: whoever enters one has taken it. */
  addressCommitted(object: JsonObject | null, old: JsonObject | null): void;
  /** To be called once the handler answers. */
  start(handler: Handler): Promise<void>;
}

const addressPath = "/apis/networking.k8s.io/v1/ipaddresses";

/** Upkeep of a server without services yet. */
export function createServiceUpkeep(ranges: ServiceRanges): ServiceUpkeep {
  const pool = createServicePool(ranges);
  let call: LoopbackClient | undefined;
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
          await call?.("POST", addressPath, ipAddressOf(address, object!));
      for (const address of before.addresses)
        if (!after.addresses.includes(address)) await call?.("DELETE", `${addressPath}/${address}`);
      if (!object && old)
        await call?.(
          "DELETE",
          `/api/v1/namespaces/${stringAt(metadataOf(old), "namespace")}/endpoints/${stringAt(metadataOf(old), "name")}`,
        );
    },
    addressCommitted(object, old) {
      if (object) pool.hold({ addresses: [stringAt(metadataOf(object), "name")], ports: [] });
      else if (old) pool.free({ addresses: [stringAt(metadataOf(old), "name")], ports: [] });
    },
    async start(handler) {
      const own = createLoopbackClient(handler);
      const services = await own("GET", "/api/v1/services");
      for (const service of itemsAt(services.object, "items")) pool.hold(holdingsOf(service));
      const addresses = await own("GET", addressPath);
      pool.hold({
        addresses: itemsAt(addresses.object, "items").map((each) =>
          stringAt(metadataOf(each), "name"),
        ),
        ports: [],
      });
      call = own;
    },
  };
}

const nothing = { addresses: [], ports: [] } as const;

/** The object that stands for a service's address. */
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
