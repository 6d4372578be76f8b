// Prints parts of a definition as upstream's error messages do: Go's internal structs in JSON, with
// every field under its Go name.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/{types,types_jsonschema}.go,
// k8s.io/apimachinery pkg/util/validation/field/errors.go (ErrorBody).
import { compareBytewise, encodeJson, isObject, type Json } from "homeostat/api";
import type { FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { printRule } from "../../../schema/cel/print-rule.ts";
import type { DefinitionVersion, VersionFields } from "../definition.ts";

/** `Invalid value: {"Rule":…}: detail`, for a value that has been printed already. */
export const invalidPrinted = (field: string, printed: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: `Invalid value: ${printed}: ${detail}`,
});

/** Versions as Go prints the internal list; `null` for an absent list. */
export function formatVersions(versions: readonly DefinitionVersion[] | null | undefined): string {
  return versions ? `[${versions.map(formatVersion).join(",")}]` : "null";
}

/** A schema node with everything below it. */
export function formatSchema(schema: JsonSchemaProps): string {
  return struct([...before(schema), ...logic(schema), ...extensions(schema)]);
}

/** `items` of a schema: one schema or several. */
export function formatItems(items: JsonSchemaProps | readonly JsonSchemaProps[]): string {
  const several = isSchemaList(items);
  return struct([
    ["Schema", several ? "null" : formatSchema(items)],
    ["JSONSchemas", several ? list(items, formatSchema) : "null"],
  ]);
}

const isSchemaList = (
  items: JsonSchemaProps | readonly JsonSchemaProps[],
): items is readonly JsonSchemaProps[] => Array.isArray(items);

type Field = readonly [name: string, printed: string];
const struct = (fields: readonly Field[]): string =>
  `{${fields.map(([name, printed]) => `${JSON.stringify(name)}:${printed}`).join(",")}}`;
const text = (value: string | undefined): string => encodeJson(value ?? "");
const flag = (value: boolean | undefined): string => String(value === true);
const pointer = (value: unknown): string =>
  value === undefined || value === null ? "null" : encodeJson(value as Json);
function list<T>(items: readonly T[] | undefined | null, print: (item: T) => string): string {
  return items?.length ? `[${items.map(print).join(",")}]` : "null";
}
function map<T>(
  items: Readonly<Record<string, T>> | undefined,
  print: (item: T) => string,
): string {
  if (!items || !Object.keys(items).length) return "null";
  return struct(
    Object.keys(items)
      .sort(compareBytewise)
      .map((key) => [key, print(items[key]!)]),
  );
}
const orNull = <T>(value: T | undefined, print: (value: T) => string): string =>
  value === undefined ? "null" : print(value);

function before(s: JsonSchemaProps): Field[] {
  return [
    ["ID", text(s.id)],
    ["Schema", text(s.$schema)],
    ["Ref", pointer(s.$ref)],
    ["Description", text(s.description)],
    ["Type", text(s.type)],
    ["Nullable", flag(s.nullable)],
    ["Format", text(s.format)],
    ["Title", text(s.title)],
    ["Default", pointer(s.default)],
    ["Maximum", pointer(s.maximum)],
    ["ExclusiveMaximum", flag(s.exclusiveMaximum)],
    ["Minimum", pointer(s.minimum)],
    ["ExclusiveMinimum", flag(s.exclusiveMinimum)],
    ["MaxLength", pointer(s.maxLength)],
    ["MinLength", pointer(s.minLength)],
    ["Pattern", text(s.pattern)],
    ["MaxItems", pointer(s.maxItems)],
    ["MinItems", pointer(s.minItems)],
    ["UniqueItems", flag(s.uniqueItems)],
    ["MultipleOf", pointer(s.multipleOf)],
    ["Enum", list(s.enum, pointer)],
    ["MaxProperties", pointer(s.maxProperties)],
    ["MinProperties", pointer(s.minProperties)],
    ["Required", list(s.required, text)],
  ];
}

function logic(s: JsonSchemaProps): Field[] {
  return [
    ["Items", orNull(s.items, formatItems)],
    ["AllOf", list(s.allOf, formatSchema)],
    ["OneOf", list(s.oneOf, formatSchema)],
    ["AnyOf", list(s.anyOf, formatSchema)],
    ["Not", orNull(s.not, formatSchema)],
    ["Properties", map(s.properties, formatSchema)],
    ["AdditionalProperties", orNull(s.additionalProperties, schemaOrBool)],
    ["PatternProperties", map(s.patternProperties, formatSchema)],
    ["Dependencies", map(s.dependencies, schemaOrStrings)],
    ["AdditionalItems", orNull(s.additionalItems, schemaOrBool)],
    ["Definitions", map(s.definitions, formatSchema)],
    [
      "ExternalDocs",
      orNull(s.externalDocs, (docs) =>
        struct([
          ["Description", text(docs.description)],
          ["URL", text(docs.url)],
        ]),
      ),
    ],
    ["Example", pointer(s.example)],
  ];
}

function extensions(s: JsonSchemaProps): Field[] {
  return [
    ["XPreserveUnknownFields", pointer(s["x-kubernetes-preserve-unknown-fields"])],
    ["XEmbeddedResource", flag(s["x-kubernetes-embedded-resource"])],
    ["XIntOrString", flag(s["x-kubernetes-int-or-string"])],
    ["XListMapKeys", list(s["x-kubernetes-list-map-keys"], text)],
    ["XListType", pointer(s["x-kubernetes-list-type"])],
    ["XMapType", pointer(s["x-kubernetes-map-type"])],
    ["XValidations", list(s["x-kubernetes-validations"], printRule)],
  ];
}

const schemaOrBool = (value: JsonSchemaProps | boolean): string =>
  struct([
    ["Allows", String(value !== false)],
    ["Schema", typeof value === "boolean" ? "null" : formatSchema(value)],
  ]);

function schemaOrStrings(value: JsonSchemaProps | readonly string[]): string {
  const several = Array.isArray(value);
  return struct([
    ["Schema", several ? "null" : formatSchema(value as JsonSchemaProps)],
    ["Property", several ? list(value as readonly string[], text) : "null"],
  ]);
}

function formatVersion(version: DefinitionVersion): string {
  return struct([
    ["Name", text(version.name)],
    ["Served", flag(version.served)],
    ["Storage", flag(version.storage)],
    ["Deprecated", flag(version.deprecated)],
    ["DeprecationWarning", pointer(version.deprecationWarning)],
    ...facetFields(version),
  ]);
}

function facetFields({
  schema,
  subresources,
  additionalPrinterColumns,
  selectableFields,
}: VersionFields): Field[] {
  return [
    [
      "Schema",
      orNull(schema, (each) =>
        struct([["OpenAPIV3Schema", orNull(each.openAPIV3Schema, formatSchema)]]),
      ),
    ],
    [
      "Subresources",
      orNull(subresources, ({ status, scale }) =>
        struct([
          ["Status", isObject(status) ? "{}" : "null"],
          [
            "Scale",
            orNull(scale, (paths) =>
              struct([
                ["SpecReplicasPath", text(paths.specReplicasPath)],
                ["StatusReplicasPath", text(paths.statusReplicasPath)],
                ["LabelSelectorPath", pointer(paths.labelSelectorPath)],
              ]),
            ),
          ],
        ]),
      ),
    ],
    [
      "AdditionalPrinterColumns",
      list(additionalPrinterColumns, (column) =>
        struct([
          ["Name", text(column.name)],
          ["Type", text(column.type)],
          ["Format", text(column.format)],
          ["Description", text(column.description)],
          ["Priority", String(column.priority ?? 0)],
          ["JSONPath", text(column.jsonPath)],
        ]),
      ),
    ],
    [
      "SelectableFields",
      list(selectableFields, (field) => struct([["JSONPath", text(field.jsonPath)]])),
    ],
  ];
}
