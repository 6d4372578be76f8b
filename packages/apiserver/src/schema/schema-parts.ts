// The parts of a schema node that rules walk along, and what makes a node the root of a resource.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/model/schemas.go
// (WithTypeAndObjectMeta).
import type { JsonSchemaProps } from "./json-schema-props.ts";

/**
 * How a value's place matters: only roots of resources have their own kind, apiVersion and
 * metadata.name.
 */
export type Place = "resource" | "value";

const isSchema = (value: unknown): value is JsonSchemaProps =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The one schema of all items, if there is one. */
export const itemsOf = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  isSchema(schema.items) ? schema.items : undefined;
/** The schema of map values, if there is one. */
export const additionalOf = (schema: JsonSchemaProps): JsonSchemaProps | undefined =>
  isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;
/** Embedded resources are roots wherever they stand. */
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

/** A resource's schema with what every resource has, unless it declares all of that itself. */
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

/** Whether a node or any node below it has rules; branches of allOf and the like do not count. */
export function hasRules(schema: JsonSchemaProps | undefined): boolean {
  if (!schema) return false;
  if (schema["x-kubernetes-validations"]?.length) return true;
  return (
    hasRules(itemsOf(schema)) ||
    hasRules(additionalOf(schema)) ||
    Object.values(schema.properties ?? {}).some(hasRules)
  );
}
