// Formats that no check exists for. A write that adds one is accepted with a warning.
// Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go
// (getUnrecognizedFormatsInCRD), pkg/apiserver/validation/formats.go.
import { compareBytewise } from "homeostat/api";
import { findStringFormat, isNumberFormat } from "../../../schema/formats/string-formats.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import type { DefinitionSpec } from "../definition/definition.ts";

/** Formats without effect in any version, in the order of discovery. */
export function unrecognizedFormats(spec: DefinitionSpec): readonly string[] {
  return (spec.versions ?? []).flatMap(({ schema }) =>
    schema?.openAPIV3Schema ? inSchema(schema.openAPIV3Schema) : [],
  );
}

function inSchema(s: JsonSchemaProps): string[] {
  return [
    ...(s.format && !isKnown(s.format, s.type ?? "") ? [s.format] : []),
    ...childrenOf(s).flatMap(inSchema),
  ];
}

function isKnown(format: string, type: string): boolean {
  if (type === "" || type === "string") return findStringFormat(format) !== undefined;
  return isNumberFormat(type, format);
}

function itemsOf({ items }: JsonSchemaProps): readonly JsonSchemaProps[] {
  if (!items) return [];
  return Array.isArray(items) ? items : [items as JsonSchemaProps];
}

/** Every schema directly below, in upstream's order. */
function childrenOf(s: JsonSchemaProps): readonly JsonSchemaProps[] {
  const values = (map: Readonly<Record<string, JsonSchemaProps>> | undefined): JsonSchemaProps[] =>
    Object.keys(map ?? {})
      .sort(compareBytewise)
      .map((key) => map![key]!);
  return [
    ...itemsOf(s),
    ...(s.allOf ?? []),
    ...(s.anyOf ?? []),
    ...(s.oneOf ?? []),
    ...(s.not ? [s.not] : []),
    ...values(s.properties),
    ...(typeof s.additionalProperties === "object" ? [s.additionalProperties] : []),
  ];
}
