// Encodes an OpenAPI v3 document in its binary form. Covers the messages that describe an API
// server: no callbacks, links, examples or headers, and one security scheme. A message stands below
// the messages that it holds.
// Upstream: github.com/google/gnostic-models/openapiv3 (OpenAPIv3.proto, OpenAPIv3.go), as
// k8s.io/kube-openapi/pkg/handler3 uses it (ToV3ProtoBinary).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import * as openapi from "./openapi-message.ts";
import { each, flag, map, message, string, wrapped, type Write } from "./openapi-message.ts";
import { WireWriter } from "./wire-writer.ts";

/** Encodes a v3 document. */
export function encodeOpenApiThree(document: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeDocument(writer, document);
  return writer.finish();
}

const isReference = (value: Json): boolean => isObject(value) && typeof value["$ref"] === "string";

const reference = message({}, [string, { $ref: 1, summary: 2, description: 3 }]);

/** A message, or a reference to one. */
const orReference =
  (write: Write): Write =>
  (writer, field, value) =>
    writer.nested(field, () =>
      isReference(value) ? reference(writer, 2, value) : write(writer, 1, value),
    );

/** Numbers, booleans and texts have a field each; a default of another type is an empty message. */
const defaultValue: Write = (writer, field, value) =>
  writer.nested(field, () => {
    if (typeof value === "number" || typeof value === "bigint") writer.double(1, Number(value));
    else if (typeof value === "boolean") writer.varint(2, value ? 1 : 0);
    else if (typeof value === "string") writer.string(3, value);
  });

/** Schemas hold schemas. */
const schema: Write = orReference((...field) => inlineSchema(...field));

const inlineSchema = message(
  { extensions: 36 },
  [flag, { nullable: 1, readOnly: 3, writeOnly: 4, deprecated: 8 }],
  [openapi.externalDocs, { externalDocs: 6 }],
  [openapi.any, { example: 7 }],
  [string, { title: 9, type: 25, description: 34, format: 35 }],
  ...openapi.numbered(10, openapi.limits),
  [each(schema), { allOf: 26, oneOf: 27, anyOf: 28 }],
  [(...field) => inlineSchema(...field), { not: 29 }],
  [wrapped(1, schema), { items: 30 }],
  [map(1, schema), { properties: 31 }],
  [openapi.additionalProperties(schema), { additionalProperties: 32 }],
  [defaultValue, { default: 33 }],
);

const mediaType = message(
  { extensions: 5 },
  [schema, { schema: 1 }],
  [openapi.any, { example: 2 }],
);

const content: Write = map(1, mediaType);

const requestBody = message(
  { extensions: 4 },
  [string, { description: 1 }],
  [content, { content: 2 }],
  [flag, { required: 3 }],
);

const response = message(
  { extensions: 5 },
  [string, { description: 1 }],
  [content, { content: 3 }],
);

const responses = message(
  { patterned: [2, /^(?!x-|default$)/, orReference(response)], extensions: 3 },
  [orReference(response), { default: 1 }],
);

const parameter = message(
  { extensions: 14 },
  [string, { name: 1, in: 2, description: 3, style: 7 }],
  [flag, { required: 4, deprecated: 5, allowEmptyValue: 6, explode: 8, allowReserved: 9 }],
  [schema, { schema: 10 }],
  [openapi.any, { example: 11 }],
  [content, { content: 13 }],
);

const parameters: Write = each(orReference(parameter));

const operation = message(
  { extensions: 13 },
  [openapi.strings, { tags: 1 }],
  [string, { summary: 2, description: 3, operationId: 5 }],
  [openapi.externalDocs, { externalDocs: 4 }],
  [parameters, { parameters: 6 }],
  [orReference(requestBody), { requestBody: 7 }],
  [responses, { responses: 8 }],
  [flag, { deprecated: 10 }],
);

const verbs = { get: 4, put: 5, post: 6, delete: 7, options: 8, head: 9, patch: 10, trace: 11 };

const pathItem = message(
  { extensions: 14 },
  [string, { $ref: 1, summary: 2, description: 3 }],
  [operation, verbs],
  [parameters, { parameters: 13 }],
);

const paths = message({ patterned: [1, /^\//, pathItem], extensions: 2 });

const securityScheme = message({ extensions: 9 }, [
  string,
  { type: 1, description: 2, name: 3, in: 4, scheme: 5, bearerFormat: 6 },
]);

const components = message(
  { extensions: 10 },
  [map(1, schema), { schemas: 1 }],
  [map(1, orReference(parameter)), { parameters: 3 }],
  [map(1, orReference(securityScheme)), { securitySchemes: 7 }],
);

const info = message({ extensions: 7 }, [string, { title: 1, description: 2, version: 6 }]);

const writeDocument = openapi.writerOf(
  { extensions: 9 },
  [string, { openapi: 1 }],
  [info, { info: 2 }],
  [paths, { paths: 4 }],
  [components, { components: 5 }],
  [openapi.securityRequirements, { security: 6 }],
  [openapi.externalDocs, { externalDocs: 8 }],
);
