// A decoded CustomResourceDefinition, and the internal form that upstream validates: fields on
// which all versions agree move up to spec, so that error paths name them there.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/{types,conversion}.go.
import { equalJson, isObject, type Json, type JsonObject, type Metadata } from "homeostat/api";
import type {
  CustomResourceColumnDefinition,
  CustomResourceConversion,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  SelectableField as GeneratedSelectableField,
  ServiceReference,
  WebhookClientConfig as GeneratedClientConfig,
} from "homeostat/k8s/apiextensions/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { withoutFields } from "../../../apimachinery/meta/read-fields.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";

/** Names of a resource. */
export type DefinitionNames = Partial<CustomResourceDefinitionNames>;
export type ScalePaths = Partial<CustomResourceSubresourceScale>;
export type PrinterColumn = Partial<CustomResourceColumnDefinition>;
export type SelectableField = Partial<GeneratedSelectableField>;
export type WebhookClientConfig = Partial<Omit<GeneratedClientConfig, "service">> & {
  readonly service?: Partial<ServiceReference>;
};

export interface Subresources {
  readonly status?: JsonObject;
  readonly scale?: ScalePaths;
}

/** The fields of a version that move up to spec when all versions agree on them. */
export interface VersionFields {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly SelectableField[];
}

export type DefinitionVersion = VersionFields &
  Omit<CustomResourceDefinitionVersion, keyof VersionFields>;

export interface DefinitionConversion extends Partial<Pick<CustomResourceConversion, "strategy">> {
  readonly webhook?: {
    readonly clientConfig?: WebhookClientConfig;
    readonly conversionReviewVersions?: readonly string[] | null;
  };
}

export interface DefinitionSpec extends Partial<
  Pick<CustomResourceDefinitionSpec, "group" | "scope" | "preserveUnknownFields">
> {
  readonly names?: DefinitionNames;
  readonly versions?: readonly DefinitionVersion[] | null;
  readonly conversion?: DefinitionConversion;
}

export interface DefinitionCondition extends Omit<CustomResourceDefinitionCondition, "status"> {
  readonly status: "True" | "False" | "Unknown";
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[] | null;
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[] | null;
}

/** A decoded definition, read only: fields that are required once it is valid may be absent. */
export interface Definition {
  readonly metadata: ObjectMeta & Pick<Metadata, "name">;
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

/** A decoded object as a definition; the decoder has checked the types of its fields. */
export function definitionOf(object: JsonObject): Definition {
  if (!isDefinition(object)) throw new Error("read a definition: the object was not decoded");
  return object;
}

const isDefinition = (object: JsonObject): object is JsonObject & Definition =>
  isObject(object.metadata) && isObject(object.spec) && isObject(object.status);

/** The object of a definition, as it is written. */
export const objectOf = (definition: Definition): JsonObject => definition as unknown as JsonObject;

/**
 * Upstream's internal spec: fields on which all versions agree are in `shared`, and then in no
 * version.
 */
export interface InternalSpec {
  readonly spec: DefinitionSpec;
  readonly shared: VersionFields;
  readonly versions: readonly DefinitionVersion[];
}

const versionFields = [
  "schema",
  "subresources",
  "additionalPrinterColumns",
  "selectableFields",
] as const;

/** Moves the fields on which all versions agree up. */
export function internalSpec(spec: DefinitionSpec): InternalSpec {
  const versions = spec.versions ?? [];
  if (!versions.length) return { spec, shared: {}, versions };
  const agreed = versionFields.filter((field) =>
    versions.every((version) => equalJson(plain(version[field]), plain(versions[0]![field]))),
  );
  const shared = Object.fromEntries(
    agreed.flatMap((field) =>
      versions[0]![field] === undefined ? [] : [[field, versions[0]![field]]],
    ),
  ) as VersionFields;
  return {
    spec,
    shared,
    versions: versions.map((version) => withoutFields(version, ...agreed)),
  };
}

const plain = (value: unknown): Json => (value ?? null) as Json;
