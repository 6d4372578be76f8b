// Encodes the OpenAPI v2 document in its binary form, which Go clients request. Covers the messages
// that describe an API server: no forms, no response headers, no OAuth.
// Upstream: github.com/google/gnostic-models/openapiv2 (OpenAPIv2.proto, OpenAPIv2.go), as
// k8s.io/kube-openapi/pkg/handler uses it.
import { isObject, type JsonObject } from "homeostat/api";
import {
  any,
  bounds,
  double,
  each,
  externalDocs,
  flag,
  limits,
  many,
  map,
  message,
  securityRequirements,
  string,
  strings,
  wrapped,
  writeMessage,
  numbered,
  type Message,
  type Write,
} from "./openapi-message.ts";
import { WireWriter } from "./wire-writer.ts";

/** Encodes a v2 document. */
export function encodeOpenApiDocument(document: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, documentMessage(), document);
  return writer.finish();
}

const documentMessage = (): Message => ({
  fields: [
    ["swagger", 1, string],
    ["info", 2, message(() => info)],
    ["host", 3, string],
    ["basePath", 4, string],
    ["schemes", 5, strings],
    ["consumes", 6, strings],
    ["produces", 7, strings],
    [
      "paths",
      8,
      map(
        2,
        message(() => pathItem),
      ),
    ],
    ["definitions", 9, map(1, schema)],
    ["parameters", 10, map(1, parameter)],
    ["security", 12, securityRequirements],
    [
      "securityDefinitions",
      13,
      map(
        1,
        wrapped(
          2,
          message(() => apiKey),
        ),
      ),
    ],
  ],
  extensions: 16,
});

const info: Message = {
  fields: [
    ["title", 1, string],
    ["version", 2, string],
    ["description", 3, string],
  ],
  extensions: 7,
};

const apiKey: Message = {
  fields: [
    ["type", 1, string],
    ["name", 2, string],
    ["in", 3, string],
    ["description", 4, string],
  ],
  extensions: 5,
};

const schema: Write = message(() => schemaMessage);

/** The field and message of a parameter by its place; a body has a message of its own. */
const queryForm = { choice: 3, parameter: () => queryParameter };
const parameterForms: Readonly<Record<string, { choice: number; parameter: () => Message }>> = {
  header: { choice: 1, parameter: () => valueParameter(5) },
  path: { choice: 4, parameter: () => valueParameter(5) },
  query: queryForm,
};

const parameter: Write = (writer, field, value) => {
  const { in: place } = value as JsonObject;
  writer.nested(field, () => {
    if (place === "body") return message(() => bodyParameter)(writer, 1, value);
    const { choice, parameter } = parameterForms[String(place)] ?? queryForm;
    return wrapped(choice, message(parameter))(writer, 2, value);
  });
};

const reference: Message = {
  fields: [
    ["$ref", 1, string],
    ["description", 2, string],
  ],
};

const parameterItem: Write = (writer, field, value) => {
  if (isObject(value) && typeof value.$ref === "string")
    wrapped(
      2,
      message(() => reference),
    )(writer, field, value);
  else wrapped(1, parameter)(writer, field, value);
};

const operation: Message = {
  fields: [
    ["tags", 1, strings],
    ["summary", 2, string],
    ["description", 3, string],
    ["operationId", 5, string],
    ["produces", 6, strings],
    ["consumes", 7, strings],
    ["parameters", 8, each(parameterItem)],
    [
      "responses",
      9,
      map(
        1,
        wrapped(
          1,
          message(() => response),
        ),
      ),
    ],
    ["schemes", 10, strings],
    ["deprecated", 11, flag],
  ],
  extensions: 13,
};

const pathItem: Message = {
  fields: [
    ...["get", "put", "post", "delete", "options", "head", "patch"].map(
      (verb, i) => [verb, i + 2, message(() => operation)] as const,
    ),
    ["parameters", 9, each(parameterItem)],
  ],
  extensions: 10,
};

const response: Message = {
  fields: [
    ["description", 1, string],
    ["schema", 2, wrapped(1, schema)],
  ],
  extensions: 5,
};

const bodyParameter: Message = {
  fields: [
    ["description", 1, string],
    ["name", 2, string],
    ["in", 3, string],
    ["required", 4, flag],
    ["schema", 5, schema],
  ],
  extensions: 6,
};

const described: Message["fields"] = [
  ["required", 1, flag],
  ["in", 2, string],
  ["description", 3, string],
  ["name", 4, string],
];

/** A parameter that is one value; its type and what limits it begin at field `from`. */
const valueParameter = (from: number): Message => ({
  fields: [...described, ...valueFields(from)],
  extensions: from + 17,
});
const queryParameter: Message = {
  ...valueParameter(6),
  fields: [...described, ["allowEmptyValue", 5, flag], ...valueFields(6)],
};
const primitive: Message = { fields: valueFields(1), extensions: 18 };

function valueFields(from: number): Message["fields"] {
  const fields: readonly (readonly [string, Write])[] = [
    ["type", string],
    ["format", string],
    ["items", message(() => primitive)],
    ["collectionFormat", string],
    ["default", any],
    ...bounds,
    ["enum", many],
    ["multipleOf", double],
  ];
  return numbered(from, fields);
}

const schemaMessage: Message = {
  fields: [
    ["$ref", 1, string],
    ["format", 2, string],
    ["title", 3, string],
    ["description", 4, string],
    ["default", 5, any],
    ...numbered(6, limits),
    [
      "additionalProperties",
      21,
      (writer, field, value) =>
        typeof value === "boolean"
          ? writer.nested(field, () => writer.varint(2, value ? 1 : 0))
          : wrapped(1, schema)(writer, field, value),
    ],
    ["type", 22, wrapped(1, strings)],
    ["items", 23, wrapped(1, each(schema))],
    ["allOf", 24, each(schema)],
    ["properties", 25, map(1, schema)],
    ["discriminator", 26, string],
    ["readOnly", 27, flag],
    ["externalDocs", 29, externalDocs],
    ["example", 30, any],
  ],
  extensions: 31,
};
