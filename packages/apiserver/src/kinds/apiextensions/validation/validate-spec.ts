// Validates the spec of a definition: group, scope, names, versions, and the fields of each
// version.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (validateCustomResourceDefinitionSpec, …Version, …Validation).
import { dns1035LabelFaults, dnsSubdomainFaults, type Json } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  type InternalValue,
} from "../../../apimachinery/errors/field-error.ts";
import {
  type DefinitionSpec,
  type DefinitionVersion,
  type InternalSpec,
  internalSpec,
  type VersionFields,
} from "../definition/definition.ts";
import { unsupportedSchemaFault } from "../schema/unsupported-schema.ts";
import { validateConversion } from "./validate-conversion.ts";
import { hasDefaults } from "../schema/validate-defaults.ts";
import {
  validatePrinterColumn,
  validateSelectableFields,
  validateSubresources,
} from "./validate-version-fields.ts";
import { validateNames } from "./validate-names.ts";
import {
  type RootSchemaContext,
  type SchemaChecks,
  validateRootSchema,
} from "./validate-root-schema.ts";

/** How the stored definition relaxes validation. */
export interface SpecHistory {
  readonly caBundle: "checked" | "ignored";
  /** The schemas of these versions did not change: the cost of their rules is not checked again. */
  readonly unchangedVersions: ReadonlySet<string>;
}

/** Violations of a spec. */
export function validateSpec(
  spec: DefinitionSpec,
  checks: SchemaChecks,
  history: SpecHistory,
): FieldError[] {
  const internal = internalSpec(spec);
  const { conversion } = spec;
  return [
    ...groupErrors(spec.group ?? ""),
    ...scopeErrors(spec.scope ?? ""),
    ...missingSchemas(internal),
    ...preserveErrors(spec),
    ...internal.versions.flatMap((_, i) => versionErrors(i, internal, checks, history)),
    ...exclusivityErrors(internal),
    ...versionListErrors(internal),
    ...requiredNames(spec),
    ...validateNames(spec.names ?? {}, "spec.names"),
    ...sharedErrors(internal, checks, history),
    ...errorIf(spec.preserveUnknownFields && conversion && conversion.strategy !== "None", () =>
      fieldError.invalid(
        "spec.conversion.strategy",
        conversion?.strategy ?? "",
        "must be None if spec.preserveUnknownFields is true",
      ),
    ),
    ...validateConversion(conversion, "spec.conversion", history),
  ];
}

function groupErrors(group: string): FieldError[] {
  if (!group) return [fieldError.required("spec.group", "")];
  const faults = dnsSubdomainFaults(group);
  if (faults.length) return [fieldError.invalid("spec.group", group, faults.join(","))];
  return errorIf(!group.includes("."), () =>
    fieldError.invalid("spec.group", group, "should be a domain with at least one dot"),
  );
}

function scopeErrors(scope: string): FieldError[] {
  if (!scope) return [fieldError.required("spec.scope", "")];
  return errorIf(scope !== "Cluster" && scope !== "Namespaced", () =>
    fieldError.notSupported("spec.scope", scope, ["Cluster", "Namespaced"]),
  );
}

function missingSchemas({ shared, versions }: InternalSpec): FieldError[] {
  if (shared.schema?.openAPIV3Schema) return [];
  return eachItem(versions, "spec.versions", (version, at) =>
    errorIf(!version.schema?.openAPIV3Schema, () =>
      fieldError.required(`${at}.schema.openAPIV3Schema`, ""),
    ),
  );
}

/** Defaults need pruning. */
function preserveErrors({ preserveUnknownFields, versions }: DefinitionSpec): FieldError[] {
  const defaulted = (versions ?? []).some(
    ({ schema }) => schema?.openAPIV3Schema && hasDefaults(schema.openAPIV3Schema),
  );
  return errorIf(preserveUnknownFields && defaulted, () =>
    fieldError.invalid(
      "spec.preserveUnknownFields",
      true,
      "must be false in order to use defaults in the schema",
    ),
  );
}

function versionErrors(
  i: number,
  { shared, versions }: InternalSpec,
  checks: SchemaChecks,
  history: SpecHistory,
): FieldError[] {
  const version = versions[i]!;
  const path = `spec.versions[${i}]`;
  const faults = dns1035LabelFaults(version.name ?? "");
  const perVersion = versions.some((each) => each.subresources !== undefined);
  const subresources = perVersion
    ? versions.find((each) => each.name === version.name)?.subresources
    : shared.subresources;
  return [
    ...errorIf(faults.length, () =>
      fieldError.invalid(`${path}.name`, version.name ?? "", faults.join(",")),
    ),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...fieldErrors(
      version,
      { path, schemaPath: `${path}.schema` },
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
    fieldError.invalidInternal(path, ["*string", deprecationWarning], text);
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

function fieldErrors(
  fields: VersionFields,
  { path, schemaPath }: { readonly path: string; readonly schemaPath: string },
  context: RootSchemaContext,
  checks: SchemaChecks,
): FieldError[] {
  const schema = fields.schema?.openAPIV3Schema;
  return [
    ...(schema ? validateRootSchema(schema, schemaPath, context, checks) : []),
    ...validateSubresources(fields.subresources, `${path}.subresources`),
    ...eachItem(
      fields.additionalPrinterColumns,
      `${path}.additionalPrinterColumns`,
      validatePrinterColumn,
    ),
  ];
}

function selectableErrors(fields: VersionFields, path: string, misplaced: string): FieldError[] {
  if (!fields.selectableFields?.length) return [];
  const schema = fields.schema?.openAPIV3Schema;
  if (!schema) return [fieldError.invalid(`${path}.selectableFields`, "", misplaced)];
  const fault = unsupportedSchemaFault(schema);
  return fault === undefined
    ? validateSelectableFields(fields.selectableFields, schema, `${path}.selectableFields`)
    : [fieldError.invalid(`${path}.schema.openAPIV3Schema`, "", fault)];
}

function exclusivityErrors({ shared, versions }: InternalSpec): FieldError[] {
  const both = (field: keyof VersionFields): boolean =>
    shared[field] !== undefined && versions.some((version) => version[field] !== undefined);
  return [
    ...errorIf(both("schema"), () =>
      fieldError.forbidden(
        "spec.validation",
        "top-level and per-version schemas are mutually exclusive",
      ),
    ),
    ...errorIf(both("subresources"), () =>
      fieldError.forbidden(
        "spec.subresources",
        "top-level and per-version subresources are mutually exclusive",
      ),
    ),
    ...errorIf(both("additionalPrinterColumns"), () =>
      fieldError.forbidden(
        "spec.additionalPrinterColumns",
        "top-level and per-version additionalPrinterColumns are mutually exclusive",
      ),
    ),
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
    ...errorIf(new Set(versions.map((version) => version.name)).size < versions.length, () =>
      fieldError.invalidInternal("spec.versions", shown, "must contain unique version names"),
    ),
    ...errorIf(versions.filter((version) => version.storage).length !== 1, () =>
      fieldError.invalidInternal(
        "spec.versions",
        shown,
        "must have exactly one version marked as storage version",
      ),
    ),
    ...errorIf(faults.length, () => fieldError.invalid("spec.version", first, faults.join(","))),
  ];
}

function requiredNames(spec: DefinitionSpec): FieldError[] {
  return (["plural", "singular", "kind", "listKind"] as const)
    .filter((name) => !spec.names?.[name])
    .map((name) => fieldError.required(`spec.names.${name}`, ""));
}

function sharedErrors(
  { shared, versions }: InternalSpec,
  checks: SchemaChecks,
  history: SpecHistory,
): FieldError[] {
  const statusEnabled = [shared, ...versions].some(
    (fields) => fields.subresources?.status !== undefined,
  );
  const context = {
    statusEnabled,
    unchanged: history.unchangedVersions.has(versions[0]?.name ?? ""),
  };
  return [
    ...fieldErrors(shared, { path: "spec", schemaPath: "spec.validation" }, context, checks),
    ...selectableErrors(shared, "spec", "may only be set when validations.schema is included"),
  ];
}
