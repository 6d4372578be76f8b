// Every property and item that logical branches constrain must be defined outside of them. Upstream
// checks the branches of the root only.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/complete.go.
import { compareBytewise } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";

/** Violations below the branches of a root schema. */
export function completenessErrors(root: JsonSchemaProps, path: string): FieldError[] {
  return branchErrors(root, root, path, path);
}

function branchErrors(
  logic: JsonSchemaProps,
  schema: JsonSchemaProps,
  schemaPath: string,
  path: string,
): FieldError[] {
  const each = (name: "allOf" | "anyOf" | "oneOf"): FieldError[] =>
    eachItem(logic[name], `${path}.${name}`, (branch, at) =>
      nested(branch, schema, schemaPath, at),
    );
  return [
    ...(logic.not ? nested(logic.not, schema, schemaPath, `${path}.not`) : []),
    ...each("allOf"),
    ...each("anyOf"),
    ...each("oneOf"),
  ];
}

function nested(
  branch: JsonSchemaProps,
  schema: JsonSchemaProps | undefined,
  schemaPath: string,
  path: string,
): FieldError[] {
  if (!schema) return [fieldError.required(schemaPath, `because it is defined in ${path}`)];
  const items =
    branch.items && !Array.isArray(branch.items) ? (branch.items as JsonSchemaProps) : undefined;
  const schemaItems =
    schema.items && !Array.isArray(schema.items) ? (schema.items as JsonSchemaProps) : undefined;
  return [
    ...branchErrors(branch, schema, schemaPath, path),
    ...(items ? nested(items, schemaItems, `${schemaPath}.items`, `${path}.items`) : []),
    ...Object.keys(branch.properties ?? {})
      .sort(compareBytewise)
      .flatMap((name) =>
        nested(
          branch.properties![name]!,
          ownProperty(schema, name),
          `${schemaPath}.properties[${name}]`,
          `${path}.properties[${name}]`,
        ),
      ),
  ];
}

function ownProperty(schema: JsonSchemaProps, name: string): JsonSchemaProps | undefined {
  return schema.properties && Object.hasOwn(schema.properties, name)
    ? schema.properties[name]
    : undefined;
}
