// Converts JSON values to CEL values by their schema.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/values.go (UnstructuredToVal).
import type { JsonObject } from "homeostat/api";
import { CelError } from "@homeostat/cel";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { additionalOf, itemsOf, type Place, placeOf, withObjectMeta } from "../schema-parts.ts";
import {
  adaptInteger,
  adaptIntOrString,
  adaptNumber,
  adaptStringOf,
  adaptTyped,
} from "./adapt-scalar.ts";
import {
  type Adapt,
  MapList,
  PreservedValue,
  SchemaList,
  SchemaObject,
  SetList,
} from "./schema-values.ts";

/** The conversion of values of a node. */
export function adaptSchema(schema: JsonSchemaProps, place: Place = placeOf(schema)): Adapt {
  const adapt = adaptPresent(schema, place);
  const isNullable = schema.nullable === true;
  return (value) => {
    if (value !== null) return adapt(value);
    if (isNullable) return null;
    throw new CelError("invalid data, got null for schema with nullable=false");
  };
}

function adaptPresent(schema: JsonSchemaProps, place: Place): Adapt {
  if (schema["x-kubernetes-int-or-string"]) return adaptIntOrString;
  switch (schema.type) {
    case "object":
      return adaptObject(place === "resource" ? withObjectMeta(schema) : schema);
    case "array":
      return adaptList(schema);
    case "string":
      return adaptStringOf(schema.format);
    case "number":
      return adaptNumber;
    case "integer":
      return adaptInteger;
    case "boolean":
      return adaptTyped("boolean", "bool");
    default:
      return schema["x-kubernetes-preserve-unknown-fields"]
        ? (value) => new PreservedValue(value)
        : unsupported(schema.type ?? "");
  }
}

const unsupported =
  (type: string): Adapt =>
  () => {
    throw new CelError(
      `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${type}`,
    );
  };

function adaptObject(schema: JsonSchemaProps): Adapt {
  const additional = additionalOf(schema);
  const properties =
    schema.properties &&
    new Map(
      Object.entries(schema.properties).map(([name, property]) => [name, adaptSchema(property)]),
    );
  const shape = {
    properties,
    additional: properties ? undefined : additional && adaptSchema(additional),
  };
  return (value) => {
    if (typeof value !== "object" || Array.isArray(value))
      throw new CelError("invalid data, expected a map for the provided schema with type=object");
    return new SchemaObject(value as JsonObject, shape);
  };
}

function adaptList(schema: JsonSchemaProps): Adapt {
  const items = itemsOf(schema);
  const adapt = items ? adaptSchema(items) : undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const listKind = schema["x-kubernetes-list-type"];
  return (value) => {
    if (!Array.isArray(value))
      throw new CelError("invalid data, expected an array for the provided schema with type=array");
    if (!adapt) throw new CelError("invalid array type, expected Items with a non-empty Schema");
    const list = new SchemaList(value, adapt);
    if (listKind === "map") return new MapList(list, keys);
    return listKind === "set" ? new SetList(list) : list;
  };
}
