// Creates the resources of an established CustomResourceDefinition, one for each served version.
// Knows nothing of how definitions are validated, accepted and deleted.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
// (getOrCreateServingInfoFor), customresource_discovery_controller.go.
import { createHash } from "node:crypto";
import type { JsonObject } from "homeostat/api";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "homeostat/k8s/apiextensions/v1";
import { isStatusConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { smdFromJsonSchema } from "../../merge/typed/smd-from-json-schema.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import type { MetadataDecoder } from "../../schema/objectmeta/read-metadata.ts";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import type { CompiledRules } from "../../schema/cel/compiled-rules.ts";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import { createGoDecoder } from "../serializer/go-decoder.ts";
import { servedNames } from "./served-names.ts";
import { createCustomCodec } from "./custom-codec.ts";
import { createSelectableFields } from "./custom-fields.ts";
import { createScaleConverter, scalePathsOf } from "./custom-scale.ts";
import { type CustomSchema, createCustomSchema } from "./custom-schema.ts";
import {
  createCustomStatusStrategy,
  createCustomStrategy,
  type CustomStrategyOptions,
} from "./custom-strategy.ts";
import { createCustomTable, createScaleTable } from "./custom-table.ts";
import { customTraits } from "./custom-traits.ts";
import type { WebhookConversion } from "./webhook-converter.ts";
import { loadLate } from "../../apimachinery/load-late.ts";
import type { ConvertVersion } from "../../apimachinery/rest/remote-conversion.ts";
import { deprecationWarning } from "./deprecation-warning.ts";

/** What all custom resources are created with. */
export interface CustomMaterials {
  readonly data: KindData;
  readonly smdOf: (model: string) => SmdType;
  /** Compiles a whole schema's CEL rules; undefined when it has none. */
  readonly compileRules: (schema: JsonSchemaProps) => CompiledRules | undefined;
  /** Calls conversion webhooks; without it, conversions fail. */
  readonly webhook?: WebhookConversion;
}

const objectMetaModel = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const terminatingVerbs = ["delete", "deletecollection", "get", "list", "watch"];
const subresourceVerbs = ["get", "patch", "update"];

/** The resources of a stored definition, in the order of its versions. */
export function createCustomResources(
  definition: JsonObject,
  materials: CustomMaterials,
): readonly ServedResource[] {
  return new ResourceFactory(
    definition as unknown as CustomResourceDefinition,
    materials,
  ).resources();
}

/** Few definitions have a conversion webhook. */
const loadWebhookConverter = (): typeof import("./webhook-converter.ts") =>
  loadLate(import.meta.url, "./webhook-converter") as typeof import("./webhook-converter.ts");

class ResourceFactory {
  readonly #crd: CustomResourceDefinition;
  readonly #schemas: readonly CustomSchema[];
  readonly #decoder: MetadataDecoder;
  readonly #materials: CustomMaterials;
  readonly #converter: ConvertVersion | undefined;
  readonly #made = new Map<string, ServedResource>();

  constructor(crd: CustomResourceDefinition, materials: CustomMaterials) {
    const pruning = crd.spec.preserveUnknownFields ? "keeps unknown fields" : "prunes";
    this.#crd = crd;
    this.#schemas = crd.spec.versions.map((version) =>
      createCustomSchema(version.name, version.schema?.openAPIV3Schema, pruning),
    );
    this.#decoder = createGoDecoder(materials.data, objectMetaModel, { emptyLists: "kept" });
    this.#materials = materials;
    const { group, conversion, versions } = crd.spec;
    const apiVersions = new Set(versions.map(({ name }) => `${group}/${name}`));
    this.#converter =
      conversion?.strategy === "Webhook"
        ? loadWebhookConverter().createWebhookConverter(conversion, apiVersions, materials.webhook)
        : undefined;
  }

  resources(): readonly ServedResource[] {
    return this.#crd.spec.versions.flatMap((version, at) =>
      version.served ? [this.#version(version, at)] : [],
    );
  }

  /** Made once: other versions refer to it. */
  #version(version: CustomResourceDefinitionVersion, at: number): ServedResource {
    const made = this.#made.get(version.name) ?? this.#resource(version, this.#schemas[at]!);
    this.#made.set(version.name, made);
    return made;
  }

  #resource(version: CustomResourceDefinitionVersion, schema: CustomSchema): ServedResource {
    const { group, scope, versions } = this.#crd.spec;
    const names = servedNames(this.#crd);
    const terminating = isStatusConditionTrue(this.#crd.status?.conditions, "Terminating");
    const options = this.#strategyOptions(version, schema);
    const codec = this.#codec(schema);
    const warning = deprecationWarning(this.#crd, version);
    return {
      group,
      version: version.name,
      kind: names.kind,
      resource: names.plural,
      singular: names.singular,
      listKind: names.listKind,
      namespaced: scope === "Namespaced",
      shortNames: names.shortNames,
      categories: names.categories,
      verbs: terminating ? terminatingVerbs : verbs,
      storageKey: `${group}/${names.plural}`,
      definedVersions: () => versions.map((each, at) => this.#version(each, at)),
      ...this.#storage(names.kind),
      ...customTraits,
      etcdPrefix: `${group}/${names.plural}`,
      codec,
      strategy: createCustomStrategy(options),
      subresources: this.#subresources(version, options, codec),
      fields: createSelectableFields(version, versions),
      table: createCustomTable(version.additionalPrinterColumns),
      openapi: { at: "schema", schema: schema.props as unknown as JsonObject | undefined },
      schemaEpoch: this.#crd.metadata.generation ?? 1,
      ...(warning === undefined ? {} : { deprecationWarning: warning }),
      creatable: !terminating,
    };
  }

  #storageVersion(): CustomResourceDefinitionVersion {
    return (
      this.#crd.spec.versions.find((version) => version.storage) ?? this.#crd.spec.versions[0]!
    );
  }

  #storage(kind: string): Pick<ServedResource, "storageVersion" | "storageVersionHash"> {
    const { group } = this.#crd.spec;
    const { name } = this.#storageVersion();
    return {
      storageVersion: `${group}/${name}`,
      storageVersionHash: createHash("sha256")
        .update(`${group}/${name}/${kind}`)
        .digest()
        .subarray(0, 8)
        .toString("base64"),
    };
  }

  #strategyOptions(
    version: CustomResourceDefinitionVersion,
    schema: CustomSchema,
  ): CustomStrategyOptions {
    const { group } = this.#crd.spec;
    return {
      apiVersion: `${group}/${version.name}`,
      kind: servedNames(this.#crd).kind,
      node: schema.node,
      rules: schema.props && this.#materials.compileRules(schema.props),
      hasStatus: version.subresources?.status !== undefined,
      scale: version.subresources?.scale && scalePathsOf(version.subresources.scale),
    };
  }

  #codec(schema: CustomSchema): VersionCodec {
    const storage = this.#schemas.find((each) => each.version === this.#storageVersion().name)!;
    const objectMeta = this.#materials.smdOf(objectMetaModel);
    return createCustomCodec({
      group: this.#crd.spec.group,
      kind: servedNames(this.#crd).kind,
      schema,
      storage,
      schemas: this.#schemas,
      decoder: this.#decoder,
      smd: smdFromJsonSchema(schema.props, { objectMeta }),
      converter: this.#converter,
    });
  }

  #subresources(
    version: CustomResourceDefinitionVersion,
    options: CustomStrategyOptions,
    codec: VersionCodec,
  ): ReadonlyMap<string, Subresource> {
    const kind = { group: this.#crd.spec.group, version: version.name, kind: options.kind };
    const subresources = new Map<string, Subresource>();
    if (options.hasStatus)
      subresources.set("status", {
        at: "store",
        kind,
        verbs: subresourceVerbs,
        strategy: createCustomStatusStrategy(options),
        codec,
      });
    if (options.scale && version.subresources?.scale) {
      const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };
      subresources.set("scale", {
        at: "scale",
        kind: scaleKind,
        verbs: subresourceVerbs,
        scale: createScaleConverter(options.scale),
        scheme: "lacks Scale",
        uidCheck: "store",
        table: createScaleTable(version.subresources.scale),
      });
    }
    return subresources;
  }
}
