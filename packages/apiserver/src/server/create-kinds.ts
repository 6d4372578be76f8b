// All kinds of one server: the built-in ones, and the custom ones of CustomResourceDefinitions. The
// one place where kind definitions, the catalog and the CRD controller meet.
import type { JsonObject } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { LoopbackClient } from "../post-start-hooks/loopback-client.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { checkRuleExpressions } from "../schema/cel/check-rule-expressions.ts";
import { checkRuleFields } from "../schema/cel/check-rule-fields.ts";
import { compileRules } from "../schema/cel/compile-rules.ts";
import { customResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { createCrdController } from "../post-start-hooks/apiextensions/crd-controller.ts";
import type { SchemaChecks } from "../kinds/apiextensions/validation/validate-root-schema.ts";
import { createCatalog, type MutableCatalog } from "../kinds/catalog.ts";
import { createServiceAllocation } from "../post-start-hooks/service-allocation-controller.ts";
import { readServiceRanges, type ServiceRanges } from "../kinds/core/service/service-ranges.ts";
import { serviceKind } from "../kinds/core/service/service.ts";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { createCustomResources } from "../kinds/custom/create-custom-resources.ts";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import { ipAddressKind } from "../kinds/networking/ip-address.ts";
import { createGoDecoder } from "../kinds/serializer/go-decoder.ts";

/** The kinds of one server. */
export interface Kinds {
  readonly catalog: MutableCatalog;
  /** Serves stored definitions and starts their controllers. The handler must answer by then. */
  start(options: {
    readonly loopback: LoopbackClient;
    readonly runtime: Runtime;
    readonly warn?: ((message: string, error: unknown) => void) | undefined;
  }): Promise<void>;
  stop(): Promise<void>;
}

const objectMetaModel = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Kinds of one Kubernetes minor; services get their addresses and ports from `ranges`. */
export function createKinds(data: KindData, ranges: ServiceRanges = readServiceRanges({})): Kinds {
  const controller = createCrdController();
  const checks: SchemaChecks = {
    checkRuleFields,
    checkRuleExpressions,
    compileRules,
    metadata: createGoDecoder(data, objectMetaModel, { emptyLists: "kept" }),
  };
  const definitions = customResourceDefinition(checks, (object, old) =>
    controller.committed(object, old),
  );
  const services = createServiceAllocation(ranges);
  const smdOf = createKindTypes(data);
  const catalog = createCatalog(
    createBuiltinResources({ data, smdOf }, [
      definitions,
      serviceKind(services.pool, services.committed),
      ipAddressKind(services.addressCommitted),
    ]),
  );
  const createResources = (definition: JsonObject): ReturnType<typeof createCustomResources> =>
    createCustomResources(definition, {
      data,
      smdOf,
      compileRules: (schema) => compileRules(schema, "resource"),
    });
  return {
    catalog,
    async start({ loopback, runtime, warn }) {
      await controller.start({ loopback, runtime, catalog, createResources, warn });
      await services.start(loopback);
    },
    stop: () => controller.stop(),
  };
}
