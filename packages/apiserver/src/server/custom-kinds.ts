// What only custom resources need: the rules of their definitions, and the resources that a
// definition makes. Loaded with the first CustomResourceDefinition.
import type { JsonObject } from "homeostat/api";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import type { SmdType } from "../apimachinery/types/smd-type.ts";
import {
  createDefinitionRules,
  type DefinitionRules,
} from "../kinds/apiextensions/definition-rules.ts";
import { createCustomResources } from "../kinds/custom/create-custom-resources.ts";
import type { WebhookConversion } from "../kinds/custom/webhook-converter.ts";
import { createGoDecoder } from "../kinds/serializer/go-decoder.ts";
import { checkRuleExpressions } from "../schema/cel/check-rule-expressions.ts";
import { checkRuleFields } from "../schema/cel/check-rule-fields.ts";
import { compileRules } from "../schema/cel/compile-rules.ts";

/** What custom resources are made with. */
export interface CustomKinds {
  readonly rules: DefinitionRules;
  /** The resources of a definition, one for each served version. */
  createResources(definition: JsonObject): readonly ServedResource[];
}

const objectMetaModel = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

export function createCustomKinds(
  data: KindData,
  smdOf: (model: string) => SmdType,
  webhook?: WebhookConversion,
): CustomKinds {
  const metadata = createGoDecoder(data, objectMetaModel, { emptyLists: "kept" });
  return {
    rules: createDefinitionRules({ checkRuleFields, checkRuleExpressions, compileRules, metadata }),
    createResources: (definition) =>
      createCustomResources(definition, {
        data,
        smdOf,
        ...(webhook ? { webhook } : {}),
        compileRules: (schema) => compileRules(schema, "resource"),
      }),
  };
}
