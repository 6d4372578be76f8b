// Compiles JSONSchemaProps into nodes: drops formats that this Kubernetes minor does not support,
// prunes defaults, and prepares patterns and limits. Compiles every schema that decodes and
// validates none.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/convert.go,
// pkg/apiserver/validation/validation.go and formats.go, pkg/apiserver/schema/defaulting/prune.go.
import { cloneJson, type Json } from "homeostat/api";
import { findStringFormat, isNumberFormat } from "../formats/string-formats.ts";
import { compileGoPattern } from "../formats/go-pattern.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { compileLimit, type LimitSource } from "../validation/number-rules.ts";
import { pruneUnknown } from "../pruning/prune-unknown.ts";
import { type SchemaNode, typeBits } from "../schema-node.ts";

/**
 * The bit of an unknown type, which no value has. Definitions with such a type are refused, but
 * their defaults are validated first.
 */
const unknownType = 128;

/**
 * The types of an int-or-string: integer and string whatever type it states, or the stated one or
 * any, as upstream has it where it validates defaults (schema/kubeopenapi.go).
 */
export type IntOrString = "integer or string" | "any type";

/** Compiles a schema and all schemas below it. */
export function compileSchema(
  props: JsonSchemaProps,
  intOrString: IntOrString = "integer or string",
): SchemaNode {
  const children = compileChildren(props, intOrString);
  const shape = {
    source: props,
    ...compileType(props, intOrString),
    ...compileBounds(props),
    ...children,
    ...compileExtensions(props),
    ...summarise(props, children),
  };
  const node = { ...shape, default: undefined as Json | undefined };
  if (props.default !== undefined && props.default !== null)
    node.default = pruneDefault(props.default as Json, node);
  return node;
}

function compileType(props: JsonSchemaProps, intOrString: IntOrString) {
  const names = typeNames(props, intOrString);
  const onlyType = names.length === 1 ? names[0]! : "";
  // Where upstream validates defaults, it keeps formats that it does not know.
  const format =
    intOrString === "any type"
      ? (props.format ?? "")
      : supportedFormat(props.format ?? "", onlyType);
  return {
    types: names.reduce((all, name) => all | typeBit(name), 0),
    typeNames: names.join(","),
    onlyType,
    nullable: props.nullable === true,
    format,
    checkFormat: format ? findStringFormat(format) : undefined,
    enum: props.enum?.length ? (props.enum as readonly Json[]) : undefined,
    ...compileLimits(props, onlyType, format),
  };
}

const typeBit = (name: string): number =>
  Object.hasOwn(typeBits, name) ? typeBits[name as keyof typeof typeBits] : unknownType;

function typeNames(props: JsonSchemaProps, intOrString: IntOrString): readonly string[] {
  if (props["x-kubernetes-int-or-string"] && intOrString === "integer or string")
    return ["integer", "string"];
  return props.type ? [props.type] : [];
}

function compileLimits(props: JsonSchemaProps, onlyType: string, format: string) {
  const { maximum, exclusiveMaximum, minimum, exclusiveMinimum, multipleOf } = props;
  const limit = (source: LimitSource) => compileLimit(source, onlyType, format);
  return {
    maximum: limit({ value: maximum, exclusive: exclusiveMaximum, prefix: "Maximum boundary" }),
    minimum: limit({ value: minimum, exclusive: exclusiveMinimum, prefix: "Minimum boundary" }),
    multipleOf: limit({ value: multipleOf, prefix: "MultipleOf" }),
  };
}

/** Drops a format that the type cannot have, as upstream does: messages never mention it. */
function supportedFormat(format: string, onlyType: string): string {
  if (!format) return "";
  if (onlyType === "" || onlyType === "string") return findStringFormat(format) ? format : "";
  return isNumberFormat(onlyType, format) ? format : "";
}

function compileBounds(props: JsonSchemaProps) {
  return {
    maxLength: Number(props.maxLength ?? Infinity),
    minLength: Number(props.minLength ?? 0),
    pattern: props.pattern ? compileGoPattern(props.pattern) : undefined,
    maxItems: Number(props.maxItems ?? Infinity),
    minItems: Number(props.minItems ?? 0),
    maxProperties: Number(props.maxProperties ?? Infinity),
    minProperties: Number(props.minProperties ?? 0),
    required: props.required ?? [],
  };
}

function compileChildren(props: JsonSchemaProps, intOrString: IntOrString) {
  const compile = (child: JsonSchemaProps): SchemaNode => compileSchema(child, intOrString);
  const entries = props.properties
    ? Object.entries(props.properties).map(([name, child]) => [name, compile(child)] as const)
    : [];
  const additional = props.additionalProperties;
  const items = props.items;
  return {
    properties: props.properties ? new Map(entries) : undefined,
    propertyNames: entries.map(([name]) => name),
    propertyNodes: entries.map(([, node]) => node),
    hasAdditional: additional !== undefined,
    additional: typeof additional === "object" ? compile(additional) : undefined,
    items: items !== undefined && !isSchemaList(items) ? compile(items) : undefined,
    allOf: (props.allOf ?? []).map(compile),
    anyOf: (props.anyOf ?? []).map(compile),
    oneOf: (props.oneOf ?? []).map(compile),
    not: props.not ? compile(props.not) : undefined,
  };
}

const isSchemaList = (
  items: JsonSchemaProps | readonly JsonSchemaProps[],
): items is readonly JsonSchemaProps[] => Array.isArray(items);

function compileExtensions(props: JsonSchemaProps) {
  return {
    preserve: props["x-kubernetes-preserve-unknown-fields"] === true,
    embedded: props["x-kubernetes-embedded-resource"] === true,
    listType: props["x-kubernetes-list-type"],
    listMapKeys: props["x-kubernetes-list-map-keys"] ?? [],
  };
}

function summarise(props: JsonSchemaProps, children: ReturnType<typeof compileChildren>) {
  const below = [
    ...children.propertyNodes,
    ...(children.additional ? [children.additional] : []),
    ...(children.items ? [children.items] : []),
  ];
  const listType = props["x-kubernetes-list-type"];
  return {
    hasDefaults:
      (props.default !== undefined && props.default !== null) ||
      below.some((node) => node.hasDefaults),
    hasEmbedded:
      props["x-kubernetes-embedded-resource"] === true || below.some((node) => node.hasEmbedded),
    hasUniqueLists:
      listType === "set" || listType === "map" || below.some((node) => node.hasUniqueLists),
    checksNumbers:
      props.maximum !== undefined ||
      props.minimum !== undefined ||
      props.multipleOf !== undefined ||
      Boolean(props.format) ||
      props.type === "integer",
    hasLogic:
      children.allOf.length + children.anyOf.length + children.oneOf.length > 0 ||
      children.not !== undefined,
  };
}

/** Drops fields of a default that pruning would remove from an object. */
function pruneDefault(value: Json, node: SchemaNode): Json {
  const copy = cloneJson(value);
  pruneUnknown(copy, node);
  return copy;
}
