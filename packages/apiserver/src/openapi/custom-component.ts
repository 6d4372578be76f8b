// The components of a custom resource: its schema as the definition gives it, with what every
// object and every embedded resource has, and its list.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go,
// pkg/apiserver/schema/unfold.go.
import type { Json, JsonObject } from "homeostat/api";
import type { CustomResource } from "../kinds/custom/create-custom-resources.ts";
import type { JsonSchemaProps } from "../schema/json-schema-props.ts";
import { componentRef } from "./builtin-component.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const conventions =
  "More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const apiVersionText = `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. ${conventions}#resources`;
const kindText = `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. ${conventions}#types-kinds`;

/** `com.example.kitchen.v1.Order`. */
export function customModel(group: string, version: string, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

/** The components of the kind and of its list, by model name. */
export function customComponents(resource: CustomResource): Readonly<Record<string, JsonObject>> {
  const { group, version, kind, listKind } = resource;
  const selectable = resource.fields.names.length
    ? {
        "x-kubernetes-selectable-fields": resource.fields.names.map((fieldPath) => ({ fieldPath })),
      }
    : {};
  const item = {
    ...(resource.schema ? withTypeMeta(published(resource.schema)) : { type: "object" }),
    "x-kubernetes-group-version-kind": [{ group, version, kind }],
    ...selectable,
  };
  const list = {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { type: "string", description: apiVersionText },
      items: {
        type: "array",
        description: `List of ${resource.resource}. ${conventions}`,
        items: componentRef(customModel(group, version, kind)),
      },
      kind: { type: "string", description: kindText },
      metadata: {
        description: `Standard list metadata. ${conventions}#types-kinds`,
        allOf: [componentRef(`${meta}ListMeta`)],
      },
    },
    "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
    ...selectable,
  };
  return {
    [customModel(group, version, kind)]: item,
    [customModel(group, version, listKind)]: list,
  };
}

const metadataProperty = (): JsonObject => ({
  description: `Standard object's metadata. ${conventions}#metadata`,
  allOf: [componentRef(`${meta}ObjectMeta`)],
});

function withTypeMeta(schema: JsonObject): JsonObject {
  const properties = {
    ...(schema.properties as JsonObject | undefined),
    apiVersion: { type: "string", description: apiVersionText },
    kind: { type: "string", description: kindText },
    metadata: metadataProperty(),
  };
  return { ...schema, properties };
}

/**
 * A schema as it is published: int-or-string spelled out, embedded resources with their type and
 * object metadata.
 */
function published(schema: JsonSchemaProps): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema;
  const out = { ...rest } as unknown as JsonObject;
  if (properties)
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [name, published(child)]),
    );
  if (items) out.items = published(items as JsonSchemaProps);
  if (additionalProperties !== undefined)
    out.additionalProperties =
      typeof additionalProperties === "boolean"
        ? additionalProperties
        : published(additionalProperties);
  if (schema["x-kubernetes-int-or-string"]) unfoldIntOrString(out);
  return schema["x-kubernetes-embedded-resource"] ? withEmbeddedMeta(out) : out;
}

const intOrString = (): Json[] => [{ type: "integer" }, { type: "string" }];

function unfoldIntOrString(schema: JsonObject): void {
  const spelled = JSON.stringify(intOrString());
  const first = (schema.allOf as JsonObject[] | undefined)?.[0]?.anyOf;
  if (JSON.stringify(schema.anyOf) === spelled || JSON.stringify(first) === spelled) return;
  if (schema.anyOf === undefined) schema.anyOf = intOrString();
  else schema.allOf = [{ anyOf: intOrString() }, ...((schema.allOf as Json[] | undefined) ?? [])];
}

function withEmbeddedMeta(schema: JsonObject): JsonObject {
  const properties = {
    ...(schema.properties as JsonObject | undefined),
    apiVersion: {
      type: "string",
      description: `apiVersion defines the versioned schema of this representation of an object. ${conventions}#resources`,
    },
    kind: {
      type: "string",
      description: `kind is a string value representing the type of this object. In CamelCase. ${conventions}#types-kinds`,
    },
    metadata: metadataProperty(),
  };
  const required = (schema.required as string[] | undefined) ?? [];
  return {
    ...schema,
    properties,
    required: [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))],
  };
}
