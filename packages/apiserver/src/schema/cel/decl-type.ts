// What CEL knows of a schema node: its type, how its values are converted, and how large they can
// get.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/schemas.go (SchemaDeclType), pkg/cel/types.go,
// pkg/cel/limits.go; k8s.io/apiextensions-apiserver v0.36
// pkg/apiserver/schema/cel/model/schemas.go.
import type { Json, JsonObject } from "homeostat/api";
import {
  boolType,
  bytesType,
  CelError,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
  type Type,
} from "@homeostat/cel";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import {
  adaptInteger,
  adaptIntOrString,
  adaptNumber,
  adaptStringOf,
  adaptTyped,
} from "./adapt-scalar.ts";
import { escapeName } from "./escape-name.ts";
import { additionalOf, itemsOf, type Place, placeOf, withObjectMeta } from "../schema-parts.ts";
import {
  type Adapt,
  MapList,
  PreservedValue,
  SchemaList,
  SchemaObject,
  SetList,
} from "./schema-values.ts";

/** Most bytes of a request; what bounds a value that its schema does not bound. */
export const maxRequestBytes = 3 * 1024 * 1024;

/** A node that expressions can see. */
export interface SchemaDeclaration {
  readonly kind: "scalar" | "list" | "map" | "object";
  /** The type of scalars; lists, maps and objects get theirs from `declaredType`. */
  readonly scalar: Type;
  /** Most characters, items or entries. */
  readonly maxElements: number;
  /** Fewest bytes as JSON. */
  readonly minBytes: number;
  /** By escaped name. */
  readonly fields: ReadonlyMap<string, SchemaDeclaration>;
  readonly element: SchemaDeclaration | undefined;
}

const noFields: ReadonlyMap<string, SchemaDeclaration> = new Map();
const scalar = (type: Type, minBytes: number, maxElements = 0): SchemaDeclaration => ({
  kind: "scalar",
  scalar: type,
  maxElements,
  minBytes,
  fields: noFields,
  element: undefined,
});

/** The declaration of a node, or undefined where expressions see nothing of it. */
export function declareSchema(
  schema: JsonSchemaProps,
  place: Place,
): SchemaDeclaration | undefined {
  if (schema["x-kubernetes-int-or-string"])
    return scalar(
      dynType,
      1,
      schema.maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, schema.maxLength) * 4,
    );
  switch (schema.type) {
    case "array":
      return declareList(schema);
    case "object":
      return declareObject(place === "resource" ? withObjectMeta(schema) : schema);
    case "string":
      return declareString(schema);
    case "boolean":
      return scalar(boolType, 4);
    case "number":
      return scalar(doubleType, 1);
    case "integer":
      return scalar(intType, 1);
    default:
      return undefined;
  }
}

function declareList(schema: JsonSchemaProps): SchemaDeclaration | undefined {
  const items = itemsOf(schema);
  const element = items && declareSchema(items, placeOf(items));
  if (!element) return undefined;
  const maxElements =
    schema.maxItems === undefined
      ? Math.floor((maxRequestBytes - 2) / (element.minBytes + 1))
      : Math.max(0, Number(schema.maxItems));
  return { kind: "list", scalar: dynType, maxElements, minBytes: 2, fields: noFields, element };
}

function declareObject(schema: JsonSchemaProps): SchemaDeclaration | undefined {
  const additional = additionalOf(schema);
  if (additional) {
    const element = declareSchema(additional, placeOf(additional));
    if (!element) return undefined;
    const maxElements =
      schema.maxProperties === undefined
        ? Math.floor((maxRequestBytes - 2) / (element.minBytes + 6))
        : Math.max(0, Number(schema.maxProperties));
    return { kind: "map", scalar: dynType, maxElements, minBytes: 2, fields: noFields, element };
  }
  const required = new Set(schema.required ?? []);
  const fields = new Map<string, SchemaDeclaration>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const declared = declareSchema(property, placeOf(property));
    if (!declared) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, declared);
    if (required.has(name) && (property.default === undefined || property.default === null))
      minBytes += Buffer.byteLength(name) + declared.minBytes + 4;
  }
  return { kind: "object", scalar: dynType, maxElements: 0, minBytes, fields, element: undefined };
}

function declareString(schema: JsonSchemaProps): SchemaDeclaration {
  const maxLength =
    schema.maxLength === undefined ? undefined : Math.max(0, Number(schema.maxLength));
  switch (schema.format) {
    case "byte":
      return scalar(bytesType, 2, maxLength ?? maxRequestBytes - 2);
    case "duration":
      return scalar(durationType, 3, 32);
    case "date":
      return scalar(timestampType, 12, 12);
    case "date-time":
      return scalar(timestampType, 21, 32);
    default:
      return scalar(
        stringType,
        2,
        maxLength !== undefined
          ? maxLength * 4
          : schema.enum?.length
            ? longestOf(schema.enum)
            : maxRequestBytes - 2,
      );
  }
}

const longestOf = (values: readonly Json[]): number =>
  Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));

/**
 * The type of a declaration. Objects are named by their path, and `register` learns each name as it
 * is given.
 */
export function declaredType(
  declared: SchemaDeclaration,
  name: string,
  register: (name: string, declared: SchemaDeclaration) => void,
): Type {
  switch (declared.kind) {
    case "list":
      return listType(declaredType(declared.element!, `${name}.@idx`, register));
    case "map":
      return mapType(stringType, declaredType(declared.element!, `${name}.@elem`, register));
    case "object":
      register(name, declared);
      return structType(name);
    default:
      return declared.scalar;
  }
}

/** How values of a node are converted. */
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
