// A CustomResourceDefinition as it stands on the wire, and the internal form that upstream
// validates: fields that all versions share are moved up to spec, so that error paths name them
// there.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/{types,conversion}.go.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";

/** Names of a resource. */
export interface DefinitionNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind?: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface ScalePaths {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}

export interface Subresources {
  readonly status?: JsonObject;
  readonly scale?: ScalePaths;
}

export interface PrinterColumn {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath?: string;
}

export interface SelectableField {
  readonly jsonPath?: string;
}

/** What may differ between versions. */
export interface VersionFacets {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface DefinitionVersion extends VersionFacets {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly path?: string;
    readonly port?: number;
  };
  readonly caBundle?: string;
}

export interface DefinitionConversion {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig;
    readonly conversionReviewVersions?: readonly string[] | null;
  };
}

export interface DefinitionSpec {
  readonly group?: string;
  readonly names?: DefinitionNames;
  readonly scope?: string;
  readonly versions?: readonly DefinitionVersion[] | null;
  readonly conversion?: DefinitionConversion;
  readonly preserveUnknownFields?: boolean;
}

export interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[] | null;
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[] | null;
}

/** The whole object, read only. */
export interface Definition {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

/** The typed view on a decoded object. */
export const definitionOf = (object: JsonObject): Definition => object as unknown as Definition;

/** True when a condition is there and says so. */
export function isConditionTrue(definition: Definition, type: string): boolean {
  return (
    definition.status.conditions?.find((condition) => condition.type === type)?.status === "True"
  );
}

/**
 * Upstream's internal spec: a facet stands in `shared` when all versions agree on it, and then in
 * no version.
 */
export interface InternalSpec {
  readonly spec: DefinitionSpec;
  readonly shared: VersionFacets;
  readonly versions: readonly DefinitionVersion[];
}

const facets = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** Moves shared facets up. */
export function internalSpec(spec: DefinitionSpec): InternalSpec {
  const versions = spec.versions ?? [];
  if (!versions.length) return { spec, shared: {}, versions };
  const agreed = facets.filter((facet) =>
    versions.every((version) => equalJson(plain(version[facet]), plain(versions[0]![facet]))),
  );
  const shared = Object.fromEntries(
    agreed.flatMap((facet) =>
      versions[0]![facet] === undefined ? [] : [[facet, versions[0]![facet]]],
    ),
  ) as VersionFacets;
  return {
    spec,
    shared,
    versions: versions.map(
      (version) =>
        Object.fromEntries(
          Object.entries(version).filter(([key]) => !(agreed as readonly string[]).includes(key)),
        ) as unknown as DefinitionVersion,
    ),
  };
}

const plain = (value: unknown): Json => (value ?? null) as Json;
