// All kinds of one server: the built-in ones, and the custom ones of CustomResourceDefinitions. The
// one place where kind definitions, the catalog and the CRD controller meet.
import type { JsonObject } from "homeostat/api";
import type { Runtime, Timer } from "homeostat/runtime";
import type { LoopbackClient } from "../post-start-hooks/loopback-client.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { customResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { createCrdController } from "../post-start-hooks/apiextensions/crd-controller.ts";
import { createCatalog, type MutableCatalog } from "../kinds/catalog.ts";
import { createServiceAllocation } from "../post-start-hooks/service-allocation-controller.ts";
import { readServiceRanges, type ServiceRanges } from "../kinds/core/service/service-ranges.ts";
import { serviceKind } from "../kinds/core/service/service.ts";
import type { WebhookConversion } from "../kinds/custom/webhook-converter.ts";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { loadLate } from "../apimachinery/load-late.ts";
import type { CustomKinds } from "./custom-kinds.ts";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import { ipAddressKind } from "../kinds/networking/ip-address.ts";

/** The kinds of one server. */
export interface Kinds {
  readonly catalog: MutableCatalog;
  /** Serves stored definitions and starts their controllers. The handler must answer by then. */
  start(options: {
    readonly loopback: LoopbackClient;
    readonly runtime: Runtime;
    /** Returns a function that ends those watches on a kind's storage that are open now. */
    readonly openWatches: (storageKey: string) => () => void;
    readonly warn?: ((message: string, error: unknown) => void) | undefined;
  }): Promise<void>;
  stop(): Promise<void>;
}

/** A start does not wait for what custom resources need, and neither should the first of them. */
const loadAfterMs = 10;

/** What kinds are created with. */
interface KindsOptions {
  /** The kinds of one Kubernetes minor. */
  readonly data: KindData;
  /** Where services get their addresses and ports. */
  readonly ranges?: ServiceRanges;
  /** Converts custom resources. */
  readonly webhook?: WebhookConversion;
  readonly importCustomKinds?: () => typeof import("./custom-kinds.ts");
}

const loadCustomKinds = (): typeof import("./custom-kinds.ts") =>
  loadLate(import.meta.url, "./custom-kinds") as typeof import("./custom-kinds.ts");

/** Creates the kinds of one server. */
export function createKinds({
  data,
  ranges = readServiceRanges({}),
  webhook,
  importCustomKinds = loadCustomKinds,
}: KindsOptions): Kinds {
  const controller = createCrdController();
  const smdOf = createKindTypes(data);
  let loaded: CustomKinds | undefined;
  const custom = (): CustomKinds =>
    (loaded ??= importCustomKinds().createCustomKinds(data, smdOf, webhook));
  const definitions = customResourceDefinition(
    () => custom().rules,
    (object, old) => controller.committed(object, old),
  );
  const services = createServiceAllocation(ranges);
  const catalog = createCatalog(
    createBuiltinResources({ data, smdOf }, [
      definitions,
      serviceKind(services.pool, services.committed),
      ipAddressKind(services.addressCommitted),
    ]),
  );
  let loading: Timer | undefined;
  return {
    catalog,
    async start({ loopback, runtime, openWatches, warn }) {
      const createResources = (definition: JsonObject) => custom().createResources(definition);
      await controller.start({ loopback, runtime, catalog, createResources, openWatches, warn });
      await services.start(loopback);
      loading = runtime.clock.timer(loadAfterMs, () => {
        try {
          custom();
        } catch (error) {
          warn?.("loading custom resources failed; the next definition tries again", error);
        }
      });
    },
    async stop() {
      loading?.cancel();
      await controller.stop();
    },
  };
}
