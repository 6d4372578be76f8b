// Validates the root schema of a version: what may be at its root, its structure, its defaults, and
// its validation rules.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (validateCustomResourceDefinitionValidation).
import type { JsonObject } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { validateStructural } from "../schema/structural-schema.ts";
import { unsupportedSchemaFault } from "../schema/unsupported-schema.ts";
import { type DefaultChecks, validateDefaults } from "../schema/validate-defaults.ts";
import { validateSchemaDocument } from "../schema/validate-schema-document.ts";

/** Checks of the engine behind validation rules. */
export interface SchemaChecks extends DefaultChecks {
  /** Checks the rules of one node, which may name existing paths as theirs, or any. */
  readonly checkRuleFields: (
    schema: JsonSchemaProps,
    path: string,
    options: { readonly paths: "existing" | "any" },
  ) => readonly FieldError[];
  /**
   * Compiles every expression of a root schema and estimates its cost. Skips nodes for
   * which `blocked` holds: they have other errors.
   */
  readonly checkRuleExpressions: (
    schema: JsonSchemaProps,
    path: string,
    options: { readonly blocked: (path: string) => boolean; readonly unchanged: boolean },
  ) => readonly FieldError[];
}

/** What a root schema belongs to. */
export interface RootSchemaContext {
  readonly statusEnabled: boolean;
  /** The stored version has the same schema. */
  readonly unchanged: boolean;
}

/** Every violation; `path` is that of the object that holds openAPIV3Schema. */
export function validateRootSchema(
  schema: JsonSchemaProps,
  path: string,
  context: RootSchemaContext,
  checks: SchemaChecks,
): FieldError[] {
  const at = `${path}.openAPIV3Schema`;
  const errors = [
    ...(context.statusEnabled ? rootFieldErrors(schema, at) : []),
    ...errorIf(schema.nullable, () =>
      fieldError.forbidden(`${at}.nullable`, "nullable cannot be true at the root"),
    ),
  ];
  const unsupported = unsupportedSchemaFault(schema);
  const structural = unsupported === undefined ? structuralErrors(schema, at, checks) : [];
  const document = validateSchemaDocument(schema, at, (node, nodePath) =>
    // Upstream follows the paths of rules only in what it can convert.
    checks.checkRuleFields(node, nodePath, {
      paths: unsupported !== undefined && unsupportedSchemaFault(node) ? "any" : "existing",
    }),
  );
  const compile = unsupported === undefined && !structural.length;
  const blocked = (node: string): boolean => document.isFaulty(node);
  const expressions = compile
    ? checks.checkRuleExpressions(schema, at, { blocked, unchanged: context.unchanged })
    : [];
  const all = [...errors, ...structural, ...document.errors, ...expressions];
  return all.length || unsupported === undefined ? all : [fieldError.invalid(at, "", unsupported)];
}

function structuralErrors(
  schema: JsonSchemaProps,
  path: string,
  checks: SchemaChecks,
): FieldError[] {
  const errors = validateStructural(schema, path);
  return errors.length ? errors : validateDefaults(schema, path, checks);
}

/** Go names of the fields that upstream lists as allowed at the root, in its order. */
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
 * With a status subresource, the root may hold only fields that apply when status is validated
 * alone. Upstream stops at the first violation.
 */
function rootFieldErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const refused = fieldError.invalidInternal(
    path,
    ["apiextensions.JSONSchemaProps", schema as unknown as JsonObject],
    `only [${rootFields.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
  );
  if (beforeType.some((field) => schema[field] !== undefined)) return [refused];
  if (schema.type && schema.type !== "object")
    return [
      fieldError.invalid(
        `${path}.type`,
        schema.type,
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
      ),
    ];
  return Object.keys(schema).some((field) => field !== "type" && !allowedAtRoot.has(field))
    ? [refused]
    : [];
}
