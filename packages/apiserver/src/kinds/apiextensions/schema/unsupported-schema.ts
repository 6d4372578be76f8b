// What prevents the conversion of a schema to a structural one. Upstream reports the first such
// fault, and only for a schema without other errors.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/convert.go (NewStructural,
// validateUnsupportedFields).
import { compareBytewise } from "homeostat/api";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";

const size = (value: object | undefined): number => (value ? Object.keys(value).length : 0);

const unsupported: readonly (readonly [string, (s: JsonSchemaProps) => unknown])[] = [
  ["id", (s) => s.id],
  ["schema", (s) => s.$schema],
  ["$ref", (s) => s.$ref],
  ["patternProperties", (s) => size(s.patternProperties)],
  ["dependencies", (s) => size(s.dependencies)],
  ["additionalItems", (s) => s.additionalItems !== undefined],
  ["definitions", (s) => size(s.definitions)],
];

/** The first fault; undefined when the schema can be converted. */
export function unsupportedSchemaFault(s: JsonSchemaProps): string | undefined {
  const field = unsupported.find(([, isSet]) => isSet(s));
  if (field) return `OpenAPIV3Schema '${field[0]}' is not supported`;
  const logic = [
    ...(s.not ? [s.not] : []),
    ...(s.allOf ?? []),
    ...(s.anyOf ?? []),
    ...(s.oneOf ?? []),
  ];
  const first = firstFault(logic);
  if (first !== undefined) return first;
  if (s["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (Array.isArray(s.items) && s.items.length)
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return firstFault([
    ...(s.items && !Array.isArray(s.items) ? [s.items as JsonSchemaProps] : []),
    ...Object.keys(s.properties ?? {})
      .sort(compareBytewise)
      .map((name) => s.properties![name]!),
    ...(typeof s.additionalProperties === "object" ? [s.additionalProperties] : []),
  ]);
}

function firstFault(schemas: readonly JsonSchemaProps[]): string | undefined {
  for (const schema of schemas) {
    const fault = unsupportedSchemaFault(schema);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
