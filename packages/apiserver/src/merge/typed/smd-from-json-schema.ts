// Converts the schema of a custom resource to a type of structured merge. Lists are atomic unless
// they have a list type, and objects below a node that preserves unknown fields accept them too.
// Upstream: k8s.io/kube-openapi/pkg/schemaconv (openapi.go, smd.go),
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder.
import type { Json } from "homeostat/api";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import {
  deducedType,
  type SmdField,
  type SmdList,
  type SmdMap,
  type SmdScalar,
  type SmdType,
  untypedAtomicType,
} from "../../apimachinery/types/smd-type.ts";

/** Types that custom resources share with built-in kinds. */
export interface JsonSchemaContext {
  /** Type of `metadata`, of the object itself and of embedded resources. */
  readonly objectMeta: SmdType;
}

/**
 * The type of whole objects. Without a schema everything is deduced.
 */
export function smdFromJsonSchema(
  schema: JsonSchemaProps | undefined,
  context: JsonSchemaContext,
): SmdType {
  if (!schema)
    return {
      map: {
        relation: "separable",
        field: () => undefined,
        hasFields: false,
        element: () => deducedType,
      },
    };
  return typeOf(schema, { ...context, root: true, preserve: false });
}

interface Place extends JsonSchemaContext {
  readonly root: boolean;
  /** An ancestor preserves unknown fields. */
  readonly preserve: boolean;
}

function typeOf(schema: JsonSchemaProps, place: Place): SmdType {
  const inner: Place = {
    ...place,
    root: false,
    preserve: place.preserve || schema["x-kubernetes-preserve-unknown-fields"] === true,
  };
  switch (place.root ? "object" : (schema.type ?? "")) {
    case "object":
      return { map: mapOf(schema, inner, place.root) };
    case "array":
      return { list: listOf(schema, inner) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: scalarOf(schema.format) };
    default:
      return {
        scalar: "untyped",
        list: listOf(schema, inner),
        map: mapOf(schema, inner, place.root),
      };
  }
}

/** A string with another format may be another type on the wire. */
const scalarOf = (format: string | undefined): SmdScalar =>
  !format || format === "byte" ? "string" : "untyped";

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

function mapOf(schema: JsonSchemaProps, place: Place, root: boolean): SmdMap {
  const fields = new Map<string, SmdField>();
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    fields.set(name, {
      type: once(() => typeOf(member, place)),
      ...(member.default === undefined ? {} : { default: member.default as Json }),
    });
  }
  const hadFields = fields.size > 0;
  if (root || schema["x-kubernetes-embedded-resource"]) addObjectFields(fields, place);
  const element = elementOf(schema, place, hadFields || fields.size > 0);
  return {
    relation: schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : "separable",
    field: (name) => fields.get(name),
    hasFields: fields.size > 0,
    ...(element ? { element } : {}),
  };
}

function addObjectFields(fields: Map<string, SmdField>, { objectMeta }: Place): void {
  for (const name of ["apiVersion", "kind"])
    fields.set(name, { type: () => ({ scalar: "string" }) });
  fields.set("metadata", { type: () => objectMeta });
}

/** An object without properties is free-form. */
function elementOf(
  { additionalProperties: more }: JsonSchemaProps,
  place: Place,
  hasFields: boolean,
): (() => SmdType) | undefined {
  if (more === undefined || more === null)
    return place.preserve || !hasFields ? () => deducedType : undefined;
  if (typeof more === "object") return once(() => typeOf(more, place));
  return more ? () => deducedType : undefined;
}

function listOf(schema: JsonSchemaProps, place: Place): SmdList {
  const { items } = schema;
  const element =
    items && !Array.isArray(items)
      ? once(() => typeOf(items as JsonSchemaProps, place))
      : () => untypedAtomicType;
  const type = schema["x-kubernetes-list-type"];
  return {
    relation: type === "set" || type === "map" ? type : "atomic",
    keys: type === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [],
    element,
  };
}
