// What goes on around stored services: a server that starts on stored ones takes what they hold out of the pools, and the
// endpoints of a removed service go with it.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/storage.go (afterDelete), and the repair loops in
// pkg/registry/core/service/{ipallocator,portallocator}/controller.
import type { JsonObject } from "homeostat/api";
import type { Handler } from "../../../http/handler.ts";
import { type ApiCaller, createApiCaller } from "../../apiextensions/api-caller.ts";
import { itemsAt } from "../../object/read-fields.ts";
import { metadataOf, stringAt } from "../../object/strategy.ts";
import { holdingsOf } from "./service-facts.ts";
import { createServicePool, type ServicePool } from "./service-pool.ts";

/** The pools of one server and those who keep them. */
export interface ServiceUpkeep {
  readonly pool: ServicePool;
  committed(object: JsonObject | null, old: JsonObject | null): Promise<void>;
  /** To be called once the handler answers. */
  start(handler: Handler): Promise<void>;
}

/** Upkeep of a server without services yet. */
export function createServiceUpkeep(): ServiceUpkeep {
  const pool = createServicePool();
  let call: ApiCaller | undefined;
  return {
    pool,
    async committed(object, old) {
      if (old) pool.free(holdingsOf(old));
      if (object) pool.hold(holdingsOf(object));
      else if (old) await call?.("DELETE", `/api/v1/namespaces/${stringAt(metadataOf(old), "namespace")}/endpoints/${stringAt(metadataOf(old), "name")}`);
    },
    async start(handler) {
      call = createApiCaller(handler);
      const { object } = await call("GET", "/api/v1/services");
      for (const service of itemsAt(object, "items")) pool.hold(holdingsOf(service));
    },
  };
}
