// A compiled schema: one node per JSONSchemaProps, with everything that requests need computed
// once. Pruning, defaulting and validation interpret these nodes, and allocate nothing for valid
// values.
// Knows nothing of definitions, versions or requests.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/structural.go and
// k8s.io/kube-openapi/pkg/validation/spec; one tree serves here for upstream's two.
import type { Json } from "homeostat/api";
import type { JsonSchemaProps } from "./json-schema-props.ts";
import type { StringFormat } from "./formats/string-formats.ts";
import type { GoPattern } from "./formats/go-pattern.ts";

/** Bits of {@link SchemaNode.types}. */
export const typeBits = {
  object: 1,
  array: 2,
  string: 4,
  integer: 8,
  number: 16,
  boolean: 32,
  null: 64,
} as const;

/** A bound or factor on numbers, prepared for Go's typed comparison. */
export interface NumberLimit {
  readonly value: number;
  /** `int64(value)`; integers are compared with it. */
  readonly truncated: bigint;
  readonly exclusive: boolean;
  /**
   * The error when the limit itself does not fit the type, `Maximum boundary value must be of type
   * integer …` without the path; "" when it fits.
   */
  readonly misfit: string;
}

/** One schema node. Every member is always present, so that all nodes share one hidden class. */
export interface SchemaNode {
  readonly source: JsonSchemaProps;
  /** Accepted types as bits; 0 when the schema has no type. */
  readonly types: number;
  /** The types as messages list them: `integer`, `integer,string`. */
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
  /** The properties again, as arrays for fast iteration. */
  readonly propertyNames: readonly string[];
  readonly propertyNodes: readonly SchemaNode[];
  /** `additionalProperties` is set, as `true` or as a schema. */
  readonly hasAdditional: boolean;
  readonly additional: SchemaNode | undefined;
  readonly items: SchemaNode | undefined;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
  readonly preserve: boolean;
  readonly embedded: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  /** Already pruned; callers must copy it. */
  readonly default: Json | undefined;
  /** This node or one below has a default. */
  readonly hasDefaults: boolean;
  /** This node or one below is an embedded resource. */
  readonly hasEmbedded: boolean;
  /** This node or one below is a list of type set or map. */
  readonly hasUniqueLists: boolean;
  /** Numbers have rules beyond their type. */
  readonly checksNumbers: boolean;
  /** The node has allOf, anyOf, oneOf or not. */
  readonly hasLogic: boolean;
}

/** The type of a value as messages name it, with Go's distinction between JSON numbers. */
export type ValueType = "null" | "string" | "boolean" | "integer" | "number" | "array" | "object";

/**
 * The type that Go's decoder gives a value: integers within int64 are `integer`, all other numbers
 * `number`.
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
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
  }
}
