// The spec of a definition as a whole: group, scope, names, versions, and what stands in each of
// them.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (validateCustomResourceDefinitionSpec, …Version, …Validation).
import { dns1035LabelFaults, dnsSubdomainFaults, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  type InternalValue,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import {
  type DefinitionSpec,
  type DefinitionVersion,
  type InternalSpec,
  internalSpec,
  type VersionFacets,
} from "./definition.ts";
import { validateStructural } from "./structural-schema.ts";
import { unsupportedSchemaFault } from "./unsupported-schema.ts";
import { validateConversion } from "./validate-conversion.ts";
import { type DefaultChecks, hasDefaults, validateDefaults } from "./validate-defaults.ts";
import {
  validatePrinterColumn,
  validateSelectableFields,
  validateSubresources,
} from "./validate-facets.ts";
import { validateNames } from "./validate-names.ts";
import { type RuleFieldCheck, validateSchemaDocument } from "./validate-schema-document.ts";

/** Checks that come from the engine behind validation rules. */
export interface SchemaChecks extends DefaultChecks {
  readonly checkRuleFields: RuleFieldCheck;
  /**
   * Compiles and prices every expression of a root schema. Nodes for which `blocked` holds have
   * other errors and are left out.
   */
  readonly checkRuleExpressions: (
    schema: JsonSchemaProps,
    path: string,
    options: { readonly blocked: (path: string) => boolean; readonly unchanged: boolean },
  ) => readonly FieldError[];
}

/** How strict to be with what was there before. */
export interface SpecHistory {
  readonly caBundle: "checked" | "ignored";
  /** The schemas of these versions are as they were, so that their rules are not priced again. */
  readonly unchangedVersions: ReadonlySet<string>;
}

/** Breaches of a spec. */
export function validateSpec(
  spec: DefinitionSpec,
  checks: SchemaChecks,
  history: SpecHistory,
): FieldError[] {
  const internal = internalSpec(spec);
  return [
    ...groupErrors(spec.group ?? ""),
    ...scopeErrors(spec.scope ?? ""),
    ...missingSchemas(internal),
    ...preserveErrors(spec),
    ...internal.versions.flatMap((version, i) =>
      versionErrors(version, i, internal, checks, history),
    ),
    ...exclusivityErrors(internal),
    ...versionListErrors(internal),
    ...requiredNames(spec),
    ...validateNames(spec.names ?? {}, "spec.names"),
    ...sharedErrors(internal, checks, history),
    ...(spec.preserveUnknownFields && spec.conversion && spec.conversion.strategy !== "None"
      ? [
          invalid(
            "spec.conversion.strategy",
            spec.conversion.strategy ?? "",
            "must be None if spec.preserveUnknownFields is true",
          ),
        ]
      : []),
    ...validateConversion(spec.conversion, "spec.conversion", history),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (!group) return [required("spec.group", "")];
  const faults = dnsSubdomainFaults(group);
  if (faults.length) return [invalid("spec.group", group, faults.join(","))];
  return group.includes(".")
    ? []
    : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function scopeErrors(scope: string): FieldError[] {
  if (!scope) return [required("spec.scope", "")];
  return scope === "Cluster" || scope === "Namespaced"
    ? []
    : [notSupported("spec.scope", scope, ["Cluster", "Namespaced"])];
}

function missingSchemas({ shared, versions }: InternalSpec): FieldError[] {
  if (shared.schema?.openAPIV3Schema) return [];
  return versions.flatMap((version, i) =>
    version.schema?.openAPIV3Schema
      ? []
      : [required(`spec.versions[${i}].schema.openAPIV3Schema`, "")],
  );
}

/** Where unknown fields are kept, nothing is filled in. */
function preserveErrors({ preserveUnknownFields, versions }: DefinitionSpec): FieldError[] {
  const filled = (versions ?? []).some(
    ({ schema }) => schema?.openAPIV3Schema && hasDefaults(schema.openAPIV3Schema),
  );
  return preserveUnknownFields && filled
    ? [
        invalid(
          "spec.preserveUnknownFields",
          true,
          "must be false in order to use defaults in the schema",
        ),
      ]
    : [];
}

function versionErrors(
  version: DefinitionVersion,
  i: number,
  { shared, versions }: InternalSpec,
  checks: SchemaChecks,
  history: SpecHistory,
): FieldError[] {
  const path = `spec.versions[${i}]`;
  const faults = dns1035LabelFaults(version.name ?? "");
  const perVersion = versions.some((each) => each.subresources !== undefined);
  const subresources = perVersion
    ? versions.find((each) => each.name === version.name)?.subresources
    : shared.subresources;
  return [
    ...(faults.length ? [invalid(`${path}.name`, version.name ?? "", faults.join(","))] : []),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...facetErrors(
      version,
      path,
      `${path}.schema`,
      {
        statusEnabled: subresources?.status !== undefined,
        unchanged: history.unchangedVersions.has(version.name),
      },
      checks,
    ),
    ...selectableErrors(
      version,
      path,
      "may only be set when `version.schema.openAPIV3Schema` is not included",
    ),
  ];
}

function deprecationErrors(
  { deprecated, deprecationWarning }: DefinitionVersion,
  path: string,
): FieldError[] {
  if (deprecationWarning === undefined) return [];
  const report = (text: string): FieldError =>
    invalidInternal(path, ["*string", deprecationWarning], text);
  if (!deprecated) return [report("can only be set for deprecated versions")];
  const hidden = [...deprecationWarning].findIndex(
    (char) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char),
  );
  const index = Buffer.byteLength([...deprecationWarning].slice(0, hidden).join(""));
  return [
    ...(Buffer.byteLength(deprecationWarning) > 256
      ? [report("must be <= 256 characters long")]
      : []),
    ...(deprecationWarning ? [] : [report("must not be an empty string")]),
    ...(hidden >= 0
      ? [
          report(
            `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
          ),
        ]
      : []),
  ];
}

interface SchemaSituation {
  readonly statusEnabled: boolean;
  readonly unchanged: boolean;
}

function facetErrors(
  facets: VersionFacets,
  path: string,
  schemaPath: string,
  situation: SchemaSituation,
  checks: SchemaChecks,
): FieldError[] {
  const schema = facets.schema?.openAPIV3Schema;
  return [
    ...(schema ? schemaErrors(schema, schemaPath, situation, checks) : []),
    ...validateSubresources(facets.subresources, `${path}.subresources`),
    ...(facets.additionalPrinterColumns ?? []).flatMap((column, i) =>
      validatePrinterColumn(column, `${path}.additionalPrinterColumns[${i}]`),
    ),
  ];
}

function selectableErrors(facets: VersionFacets, path: string, misplaced: string): FieldError[] {
  if (!facets.selectableFields?.length) return [];
  const schema = facets.schema?.openAPIV3Schema;
  if (!schema) return [invalid(`${path}.selectableFields`, "", misplaced)];
  const fault = unsupportedSchemaFault(schema);
  return fault === undefined
    ? validateSelectableFields(facets.selectableFields, schema, `${path}.selectableFields`)
    : [invalid(`${path}.schema.openAPIV3Schema`, "", fault)];
}

function schemaErrors(
  schema: JsonSchemaProps,
  path: string,
  situation: SchemaSituation,
  checks: SchemaChecks,
): FieldError[] {
  const at = `${path}.openAPIV3Schema`;
  const errors = [
    ...(situation.statusEnabled ? rootFieldErrors(schema, at) : []),
    ...(schema.nullable
      ? [forbidden(`${at}.nullable`, "nullable cannot be true at the root")]
      : []),
  ];
  const unsupported = unsupportedSchemaFault(schema);
  const structural = unsupported === undefined ? structuralErrors(schema, at, checks) : [];
  const document = validateSchemaDocument(schema, at, checks.checkRuleFields);
  const compile = unsupported === undefined && !structural.length;
  const blocked = (node: string): boolean => document.some(({ field }) => field.startsWith(node));
  const expressions = compile
    ? checks.checkRuleExpressions(schema, at, { blocked, unchanged: situation.unchanged })
    : [];
  const all = [...errors, ...structural, ...document, ...expressions];
  return all.length || unsupported === undefined ? all : [invalid(at, "", unsupported)];
}

function structuralErrors(
  schema: JsonSchemaProps,
  path: string,
  checks: SchemaChecks,
): FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length ? errors : validateDefaults(schema, path, checks);
}

/**
 * Go names of the fields that upstream lists as allowed at the root, in its order; the rest in the
 * struct's order.
 */
const rootFields = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];
const allowedAtRoot: ReadonlySet<string> = new Set([
  "description",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "required",
  "items",
  "properties",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);
const beforeType: readonly (keyof JsonSchemaProps)[] = ["id", "$schema", "$ref"];

/**
 * With a status subresource, the root may hold only what still applies when status is validated
 * alone. Upstream stops at the first breach.
 */
function rootFieldErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const refused = invalidInternal(
    path,
    ["apiextensions.JSONSchemaProps", schema as unknown as JsonObject],
    `only [${rootFields.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
  );
  if (beforeType.some((field) => schema[field] !== undefined)) return [refused];
  if (schema.type && schema.type !== "object")
    return [
      invalid(
        `${path}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  return Object.keys(schema).some((field) => field !== "type" && !allowedAtRoot.has(field))
    ? [refused]
    : [];
}

function exclusivityErrors({ shared, versions }: InternalSpec): FieldError[] {
  const both = (facet: keyof VersionFacets): boolean =>
    shared[facet] !== undefined && versions.some((version) => version[facet] !== undefined);
  return [
    ...(both("schema")
      ? [forbidden("spec.validation", "top-level and per-version schemas are mutually exclusive")]
      : []),
    ...(both("subresources")
      ? [
          forbidden(
            "spec.subresources",
            "top-level and per-version subresources are mutually exclusive",
          ),
        ]
      : []),
    ...(both("additionalPrinterColumns")
      ? [
          forbidden(
            "spec.additionalPrinterColumns",
            "top-level and per-version additionalPrinterColumns are mutually exclusive",
          ),
        ]
      : []),
  ];
}

function versionListErrors({ spec, versions }: InternalSpec): FieldError[] {
  const shown: InternalValue = [
    "[]apiextensions.CustomResourceDefinitionVersion",
    spec.versions ? (versions as unknown as Json) : null,
  ];
  const first = versions[0]?.name ?? "";
  const faults = first ? dns1035LabelFaults(first) : [];
  return [
    ...(new Set(versions.map((version) => version.name)).size < versions.length
      ? [invalidInternal("spec.versions", shown, "must contain unique version names")]
      : []),
    ...(versions.filter((version) => version.storage).length === 1
      ? []
      : [
          invalidInternal(
            "spec.versions",
            shown,
            "must have exactly one version marked as storage version",
          ),
        ]),
    ...(faults.length ? [invalid("spec.version", first, faults.join(","))] : []),
  ];
}

function requiredNames(spec: DefinitionSpec): FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => !spec.names?.[name])
    .map((name) => required(`spec.names.${name}`, ""));
}

function sharedErrors(
  { shared, versions }: InternalSpec,
  checks: SchemaChecks,
  history: SpecHistory,
): FieldError[] {
  const statusEnabled = [shared, ...versions].some(
    (facets) => facets.subresources?.status !== undefined,
  );
  const situation = {
    statusEnabled,
    unchanged: history.unchangedVersions.has(versions[0]?.name ?? ""),
  };
  return [
    ...facetErrors(shared, "spec", "spec.validation", situation, checks),
    ...selectableErrors(shared, "spec", "may only be set when validations.schema is included"),
  ];
}
