// The children of a JSONSchemaProps node that CEL rules descend into, and what makes a node the
// root of a resource.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/model/schemas.go
// (WithTypeAndObjectMeta).
import type { JsonSchemaProps } from "./json-schema-props.ts";

/** Roots of resources have kind, apiVersion and metadata.name; other values do not. */
export type Place = "resource" | "value";

const isSchema = (value: unknown): value is JsonSchemaProps =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema of all items; undefined when absent or a list of schemas. */
export const itemsOf = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  isSchema(schema.items) ? schema.items : undefined;
/** The schema of map values; undefined when absent or a boolean. */
export const additionalOf = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;
/** Embedded resources are roots too. */
export const placeOf = (schema: JsonSchemaProps): Place =>
  schema["x-kubernetes-embedded-resource"] ? "resource" : "value";

const metaProperties: Readonly<Record<string, JsonSchemaProps>> = {
  kind: { type: "string" },
  apiVersion: { type: "string" },
  metadata: {
    type: "object",
    properties: { name: { type: "string" }, generateName: { type: "string" } },
  },
};

/** The schema of a resource with type and object metadata, unless it declares all of these. */
export function withObjectMeta(schema: JsonSchemaProps): JsonSchemaProps {
  const declared = schema.properties ?? {};
  const meta = declared.metadata;
  const whole =
    declared.kind?.type === "string" &&
    declared.apiVersion?.type === "string" &&
    meta?.type === "object" &&
    meta.properties?.name?.type === "string" &&
    meta.properties.generateName?.type === "string";
  return whole ? schema : { ...schema, properties: { ...declared, ...metaProperties } };
}

/** Whether a node or any node below it has rules; branches of allOf, anyOf, oneOf do not count. */
export function hasRules(schema: JsonSchemaProps | undefined): boolean {
  if (!schema) return false;
  if (schema["x-kubernetes-validations"]?.length) return true;
  return (
    hasRules(itemsOf(schema)) ||
    hasRules(additionalOf(schema)) ||
    Object.values(schema.properties ?? {}).some(hasRules)
  );
}
