// A compiled schema: one node per JSONSchemaProps, everything that a request asks of it looked up
// once. Pruning, defaulting and validation are interpreters over these nodes and allocate nothing
// while a value is in order.
// Knows nothing of definitions, versions or requests.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/structural.go and
// k8s.io/kube-openapi/pkg/validation/spec (upstream keeps two trees; the faces are the same, so
// there is one here).
import type { Json } from "homeostat/api";
import type { JsonSchemaProps } from "./json-schema-props.ts";
import type { StringFormat } from "./formats/string-formats.ts";
import type { GoPattern } from "./formats/go-pattern.ts";

/** Bits of {@link SchemaNode.types}. */
export const TYPE_OBJECT = 1;
export const TYPE_ARRAY = 2;
export const TYPE_STRING = 4;
export const TYPE_INTEGER = 8;
export const TYPE_NUMBER = 16;
export const TYPE_BOOLEAN = 32;
export const TYPE_NULL = 64;

/** A bound or factor on numbers, with what Go's typed comparison makes of it. */
export interface NumberLimit {
  readonly value: number;
  /** `int64(value)`: what integers are compared with. */
  readonly truncated: bigint;
  readonly exclusive: boolean;
  /**
   * The complaint that the limit itself does not fit the type, `Maximum boundary value must be of
   * type integer …` without the path; "" when it fits.
   */
  readonly misfit: string;
}

/** One schema node. Every member is always there, so that all nodes have one hidden class. */
export interface SchemaNode {
  readonly source: JsonSchemaProps;
  /** Accepted types as bits; 0 when the schema names none. */
  readonly types: number;
  /** As messages list them: `integer`, `integer,string`. */
  readonly typeNames: string;
  /** The type when there is exactly one, else "". */
  readonly onlyType: string;
  readonly nullable: boolean;
  /** The format as written; "" when it does not apply to the type. */
  readonly format: string;
  readonly checkFormat: StringFormat | undefined;
  readonly enum: readonly Json[] | undefined;
  readonly maximum: NumberLimit | undefined;
  readonly minimum: NumberLimit | undefined;
  readonly multipleOf: NumberLimit | undefined;
  readonly maxLength: number;
  readonly minLength: number;
  readonly pattern: GoPattern | undefined;
  readonly maxItems: number;
  readonly minItems: number;
  readonly maxProperties: number;
  readonly minProperties: number;
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, SchemaNode> | undefined;
  /** The properties once more, as arrays for fast walks. */
  readonly propertyNames: readonly string[];
  readonly propertyNodes: readonly SchemaNode[];
  /** `additionalProperties` is there, as `true` or as a schema. */
  readonly hasAdditional: boolean;
  readonly additional: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly preserve: boolean;
  readonly embedded: boolean;
  readonly listType: "atomic" | "set" | "map" | undefined;
  readonly listMapKeys: readonly string[];
  /** Already pruned; the holder must copy before handing it out. */
  readonly default: Json | undefined;
  /** A default is here or below. */
  readonly hasDefaults: boolean;
  /** An embedded resource is here or below. */
  readonly hasEmbedded: boolean;
  /** A list that must be unique is here or below. */
  readonly hasUniqueLists: boolean;
  /** Numbers are checked beyond their type. */
  readonly checksNumbers: boolean;
  /** Something beyond type, bounds and children is asked: the slow road of the fast check. */
  readonly hasLogic: boolean;
}

/** The types in which messages name a value, Go's reading of JSON numbers included. */
export type ValueType = "null" | "string" | "boolean" | "integer" | "number" | "array" | "object";

/**
 * What Go's decoder would have made of a value: integers that int64 holds are `integer`, all other
 * numbers `number`.
 */
export function typeOfValue(value: Json): ValueType {
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "bigint":
      return "integer";
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number";
    default:
      return value === null ? "null" : Array.isArray(value) ? "array" : "object";
  }
}
