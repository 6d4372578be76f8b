// The declaration of a schema node for CEL: its type, and how large its values can be.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/common/schemas.go (SchemaDeclType), pkg/cel/types.go,
// pkg/cel/limits.go; k8s.io/apiextensions-apiserver v0.36
// pkg/apiserver/schema/cel/model/schemas.go.
import * as cel from "@homeostat/cel";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { escapeName } from "./escape-name.ts";
import { additionalOf, itemsOf, type Place, placeOf, withObjectMeta } from "../schema-parts.ts";

/** Most bytes of a request, and of a value without limits in its schema. */
export const maxRequestBytes = 3 * 1024 * 1024;

/** A node that expressions can access. */
export interface DeclType {
  readonly kind: "scalar" | "list" | "map" | "object";
  /** The type of scalars; see `celTypeOf` for lists, maps and objects. */
  readonly scalar: cel.Type;
  /** Upper bound of characters, items or entries. */
  readonly maxElements: number;
  /** Lower bound of bytes as JSON. */
  readonly minBytes: number;
  /** By escaped name. */
  readonly fields: ReadonlyMap<string, DeclType>;
  readonly element: DeclType | undefined;
}

const noFields: ReadonlyMap<string, DeclType> = new Map();
const scalar = (type: cel.Type, minBytes: number, maxElements = 0): DeclType => ({
  kind: "scalar",
  scalar: type,
  maxElements,
  minBytes,
  fields: noFields,
  element: undefined,
});

/** The declaration of a node; undefined when expressions cannot access it. */
export function schemaDeclType(schema: JsonSchemaProps, place: Place): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"])
    return scalar(
      cel.dynType,
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
      return scalar(cel.boolType, 4);
    case "number":
      return scalar(cel.doubleType, 1);
    case "integer":
      return scalar(cel.intType, 1);
    default:
      return undefined;
  }
}

function declareList(schema: JsonSchemaProps): DeclType | undefined {
  const element = declareElement(itemsOf(schema));
  return element && declareContainer("list", element, maxElements(schema.maxItems, element, 1));
}

const declareElement = (schema: JsonSchemaProps | undefined): DeclType | undefined =>
  schema && schemaDeclType(schema, placeOf(schema));

const declareContainer = (
  kind: "list" | "map",
  element: DeclType,
  maxElements: number,
): DeclType => ({
  kind,
  scalar: cel.dynType,
  maxElements,
  minBytes: 2,
  fields: noFields,
  element,
});

/**
 * The limit of the schema, or as many elements as a request holds: `punctuation` is what JSON adds
 * to each, in bytes.
 */
const maxElements = (limit: number | undefined, element: DeclType, punctuation: number): number =>
  limit === undefined
    ? Math.floor((maxRequestBytes - 2) / (element.minBytes + punctuation))
    : Math.max(0, Number(limit));

function declareObject(schema: JsonSchemaProps): DeclType | undefined {
  const additional = additionalOf(schema);
  if (additional) {
    const element = declareElement(additional);
    return (
      element && declareContainer("map", element, maxElements(schema.maxProperties, element, 6))
    );
  }
  const required = new Set(schema.required ?? []);
  const fields = new Map<string, DeclType>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const declared = schemaDeclType(property, placeOf(property));
    if (!declared) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, declared);
    if (required.has(name) && (property.default === undefined || property.default === null))
      minBytes += Buffer.byteLength(name) + declared.minBytes + 4;
  }
  return {
    kind: "object",
    scalar: cel.dynType,
    maxElements: 0,
    minBytes,
    fields,
    element: undefined,
  };
}

function declareString(schema: JsonSchemaProps): DeclType {
  const maxLength =
    schema.maxLength === undefined ? undefined : Math.max(0, Number(schema.maxLength));
  switch (schema.format) {
    case "byte":
      return scalar(cel.bytesType, 2, maxLength ?? maxRequestBytes - 2);
    case "duration":
      return scalar(cel.durationType, 3, 32);
    case "date":
      return scalar(cel.timestampType, 12, 12);
    case "date-time":
      return scalar(cel.timestampType, 21, 32);
    default:
      return scalar(cel.stringType, 2, longestString(schema, maxLength));
  }
}

/** A code point takes up to four bytes. */
function longestString(schema: JsonSchemaProps, maxLength: number | undefined): number {
  if (maxLength !== undefined) return maxLength * 4;
  return schema.enum?.length ? longestOf(schema.enum) : maxRequestBytes - 2;
}

const longestOf = (values: readonly unknown[]): number =>
  Math.max(0, ...values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0)));

/** The CEL type of a declaration. `register` receives each object type, named by its path. */
export function celTypeOf(
  declared: DeclType,
  name: string,
  register: (name: string, declared: DeclType) => void,
): cel.Type {
  switch (declared.kind) {
    case "list":
      return cel.listType(celTypeOf(declared.element!, `${name}.@idx`, register));
    case "map":
      return cel.mapType(cel.stringType, celTypeOf(declared.element!, `${name}.@elem`, register));
    case "object":
      register(name, declared);
      return cel.structType(name);
    default:
      return declared.scalar;
  }
}
