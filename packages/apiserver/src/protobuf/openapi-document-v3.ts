// Encodes an OpenAPI v3 document in its binary form. Covers the messages that describe an API
// server: no callbacks, links, examples or headers, and one security scheme.
// Upstream: github.com/google/gnostic-models/openapiv3 (OpenAPIv3.proto, OpenAPIv3.go), as
// k8s.io/kube-openapi/pkg/handler3 uses it (ToV3ProtoBinary).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import {
  any,
  each,
  externalDocs,
  flag,
  limits,
  map,
  message,
  namedEntry,
  securityRequirements,
  string,
  strings,
  writeMessage,
  numbered,
  type Message,
  type Write,
} from "./openapi-message.ts";
import { WireWriter } from "./wire-writer.ts";

/** Encodes a v3 document. */
export function encodeOpenApiThree(document: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, documentMessage, document);
  return writer.finish();
}

const isReference = (value: Json): boolean => isObject(value) && typeof value["$ref"] === "string";

/** A message, or a reference to one. */
const orReference =
  (of: () => Message): Write =>
  (writer, field, value) =>
    writer.nested(field, () =>
      isReference(value)
        ? message(() => reference)(writer, 2, value)
        : message(of)(writer, 1, value),
    );

const reference: Message = {
  fields: [
    ["$ref", 1, string],
    ["summary", 2, string],
    ["description", 3, string],
  ],
};

const schema: Write = orReference(() => schemaMessage);
const content: Write = map(
  1,
  message(() => mediaType),
);

/** Operations and their like hold a map whose entries are fields of the message itself. */
const entries =
  (entry: number, extensions: number, isEntry: (name: string) => boolean, write: Write): Write =>
  (writer, field, value) =>
    writer.nested(field, () => {
      for (const [name, one] of Object.entries(value as JsonObject))
        if (isEntry(name)) namedEntry(writer, entry, name, (at) => write(writer, at, one));
      writeMessage(writer, { fields: [], extensions }, value as JsonObject);
    });

const documentMessage: Message = {
  fields: [
    ["openapi", 1, string],
    ["info", 2, message(() => info)],
    [
      "paths",
      4,
      entries(
        1,
        2,
        (name) => name.startsWith("/"),
        message(() => pathItem),
      ),
    ],
    ["components", 5, message(() => components)],
    ["security", 6, securityRequirements],
    ["externalDocs", 8, externalDocs],
  ],
  extensions: 9,
};

const info: Message = {
  fields: [
    ["title", 1, string],
    ["description", 2, string],
    ["version", 6, string],
  ],
  extensions: 7,
};

const components: Message = {
  fields: [
    ["schemas", 1, map(1, schema)],
    [
      "parameters",
      3,
      map(
        1,
        orReference(() => parameter),
      ),
    ],
    [
      "securitySchemes",
      7,
      map(
        1,
        orReference(() => securityScheme),
      ),
    ],
  ],
  extensions: 10,
};

const securityScheme: Message = {
  fields: [
    ["type", 1, string],
    ["description", 2, string],
    ["name", 3, string],
    ["in", 4, string],
    ["scheme", 5, string],
    ["bearerFormat", 6, string],
  ],
  extensions: 9,
};

const verbs = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const parameters: Write = each(orReference(() => parameter));

const pathItem: Message = {
  fields: [
    ["$ref", 1, string],
    ["summary", 2, string],
    ["description", 3, string],
    ...verbs.map((verb, i) => [verb, i + 4, message(() => operation)] as const),
    ["parameters", 13, parameters],
  ],
  extensions: 14,
};

const operation: Message = {
  fields: [
    ["tags", 1, strings],
    ["summary", 2, string],
    ["description", 3, string],
    ["externalDocs", 4, externalDocs],
    ["operationId", 5, string],
    ["parameters", 6, parameters],
    ["requestBody", 7, orReference(() => requestBody)],
    ["responses", 8, (writer, field, value) => writeResponses(writer, field, value)],
    ["deprecated", 10, flag],
  ],
  extensions: 13,
};

const requestBody: Message = {
  fields: [
    ["description", 1, string],
    ["content", 2, content],
    ["required", 3, flag],
  ],
  extensions: 4,
};

const writeResponses: Write = (writer, field, value) => {
  const { default: otherwise, ...coded } = value as JsonObject;
  const write = orReference(() => response);
  writer.nested(field, () => {
    if (otherwise !== undefined) write(writer, 1, otherwise);
    for (const [code, one] of Object.entries(coded))
      if (!code.startsWith("x-")) namedEntry(writer, 2, code, (at) => write(writer, at, one));
    writeMessage(writer, { fields: [], extensions: 3 }, coded);
  });
};

const response: Message = {
  fields: [
    ["description", 1, string],
    ["content", 3, content],
  ],
  extensions: 5,
};

const mediaType: Message = {
  fields: [
    ["schema", 1, schema],
    ["example", 2, any],
  ],
  extensions: 5,
};

const parameter: Message = {
  fields: [
    ["name", 1, string],
    ["in", 2, string],
    ["description", 3, string],
    ["required", 4, flag],
    ["deprecated", 5, flag],
    ["allowEmptyValue", 6, flag],
    ["style", 7, string],
    ["explode", 8, flag],
    ["allowReserved", 9, flag],
    ["schema", 10, schema],
    ["example", 11, any],
    ["content", 13, content],
  ],
  extensions: 14,
};

/** Numbers, booleans and texts have a field each; a default of another type is an empty message. */
const defaultValue: Write = (writer, field, value) =>
  writer.nested(field, () => {
    if (typeof value === "number" || typeof value === "bigint") writer.double(1, Number(value));
    else if (typeof value === "boolean") writer.varint(2, value ? 1 : 0);
    else if (typeof value === "string") writer.string(3, value);
  });

const additionalProperties: Write = (writer, field, value) =>
  writer.nested(field, () => {
    if (typeof value === "boolean") writer.varint(2, value ? 1 : 0);
    else schema(writer, 1, value);
  });

const schemaMessage: Message = {
  fields: [
    ["nullable", 1, flag],
    ["readOnly", 3, flag],
    ["writeOnly", 4, flag],
    ["externalDocs", 6, externalDocs],
    ["example", 7, any],
    ["deprecated", 8, flag],
    ["title", 9, string],
    ...numbered(10, limits),
    ["type", 25, string],
    ["allOf", 26, each(schema)],
    ["oneOf", 27, each(schema)],
    ["anyOf", 28, each(schema)],
    ["not", 29, message(() => schemaMessage)],
    ["items", 30, (writer, field, value) => writer.nested(field, () => schema(writer, 1, value))],
    ["properties", 31, map(1, schema)],
    ["additionalProperties", 32, additionalProperties],
    ["default", 33, defaultValue],
    ["description", 34, string],
    ["format", 35, string],
  ],
  extensions: 36,
};
