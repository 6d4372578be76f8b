// The components of a custom resource: its schema as the definition gives it, with the type and
// object metadata of objects and embedded resources, and its list.
// Upstream: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go,
// pkg/apiserver/schema/unfold.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
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

/** The components of a kind with this schema and of its list, by model name. */
export function customComponents(
  resource: ServedResource,
  schema: JsonObject | undefined,
): Readonly<Record<string, JsonObject>> {
  const { group, version, kind, listKind } = resource;
  const selectable = resource.fields.names.length
    ? {
        "x-kubernetes-selectable-fields": resource.fields.names.map((fieldPath) => ({ fieldPath })),
      }
    : {};
  const item = {
    ...(schema ? withTypeMeta(published(schema)) : { type: "object" }),
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
 * The published form of a schema: int-or-string spelled out, embedded resources with their type and
 * object metadata.
 */
function published(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...out } = schema;
  if (isObject(properties))
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, child]) => [name, published(child as JsonObject)]),
    );
  if (isObject(items)) out.items = published(items);
  if (additionalProperties !== undefined)
    out.additionalProperties = isObject(additionalProperties)
      ? published(additionalProperties)
      : additionalProperties;
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
