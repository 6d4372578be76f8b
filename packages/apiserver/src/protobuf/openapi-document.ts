// Encodes the OpenAPI v2 document in its binary form, which Go clients request. Covers the messages
// that describe an API server: no forms, no response headers, no OAuth. A message stands below the
// messages that it holds.
// Upstream: github.com/google/gnostic-models/openapiv2 (OpenAPIv2.proto, OpenAPIv2.go), as
// k8s.io/kube-openapi/pkg/handler uses it.
import { isObject, type JsonObject } from "homeostat/api";
import * as openapi from "./openapi-message.ts";
import { each, flag, map, message, string, wrapped, type Write } from "./openapi-message.ts";
import { WireWriter } from "./wire-writer.ts";

/** Encodes a v2 document. */
export function encodeOpenApiDocument(document: JsonObject): Uint8Array {
  const writer = new WireWriter();
  writeDocument(writer, document);
  return writer.finish();
}

/** Schemas hold schemas. */
const nestedSchema: Write = (...field) => schema(...field);

const schema = message(
  { extensions: 31 },
  [string, { $ref: 1, format: 2, title: 3, description: 4, discriminator: 26 }],
  [openapi.any, { default: 5, example: 30 }],
  ...openapi.numbered(6, openapi.limits),
  [openapi.additionalProperties(nestedSchema), { additionalProperties: 21 }],
  [wrapped(1, openapi.strings), { type: 22 }],
  [wrapped(1, each(nestedSchema)), { items: 23 }],
  [each(nestedSchema), { allOf: 24 }],
  [map(1, nestedSchema), { properties: 25 }],
  [flag, { readOnly: 27 }],
  [openapi.externalDocs, { externalDocs: 29 }],
);

/** The type of a value and what limits it. */
const valueFields: readonly openapi.NamedWrite[] = [
  ["type", string],
  ["format", string],
  ["items", (...field) => primitive(...field)],
  ["collectionFormat", string],
  ["default", openapi.any],
  ...openapi.bounds,
  ["enum", openapi.many],
  ["multipleOf", openapi.double],
];

const primitive = message({ extensions: 18 }, ...openapi.numbered(1, valueFields));

const bodyParameter = message(
  { extensions: 6 },
  [string, { description: 1, name: 2, in: 3 }],
  [flag, { required: 4 }],
  [schema, { schema: 5 }],
);

const parameterRows: readonly openapi.Row[] = [
  [flag, { required: 1 }],
  [string, { in: 2, description: 3, name: 4 }],
];

const valueParameter = message(
  { extensions: 22 },
  ...parameterRows,
  ...openapi.numbered(5, valueFields),
);

const queryParameter = message(
  { extensions: 23 },
  ...parameterRows,
  [flag, { allowEmptyValue: 5 }],
  ...openapi.numbered(6, valueFields),
);

/** How a parameter is written, by its place. */
const parameterForms: Readonly<Record<string, Write>> = {
  body: wrapped(1, bodyParameter),
  header: wrapped(2, wrapped(1, valueParameter)),
  path: wrapped(2, wrapped(4, valueParameter)),
};
const queryForm: Write = wrapped(2, wrapped(3, queryParameter));

const parameter: Write = (writer, field, value) => {
  const { in: place } = value as JsonObject;
  (parameterForms[String(place)] ?? queryForm)(writer, field, value);
};

const reference = message({}, [string, { $ref: 1, description: 2 }]);

const parameterItem: Write = (writer, field, value) => {
  const isReference = isObject(value) && typeof value.$ref === "string";
  const write = isReference ? wrapped(2, reference) : wrapped(1, parameter);
  write(writer, field, value);
};

const response = message(
  { extensions: 5 },
  [string, { description: 1 }],
  [wrapped(1, schema), { schema: 2 }],
);

const operation = message(
  { extensions: 13 },
  [openapi.strings, { tags: 1, produces: 6, consumes: 7, schemes: 10 }],
  [string, { summary: 2, description: 3, operationId: 5 }],
  [each(parameterItem), { parameters: 8 }],
  [map(1, wrapped(1, response)), { responses: 9 }],
  [flag, { deprecated: 11 }],
);

const verbs = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

const pathItem = message(
  { extensions: 10 },
  [operation, verbs],
  [each(parameterItem), { parameters: 9 }],
);

const apiKey = message({ extensions: 5 }, [string, { type: 1, name: 2, in: 3, description: 4 }]);

const info = message({ extensions: 7 }, [string, { title: 1, version: 2, description: 3 }]);

const writeDocument = openapi.writerOf(
  { extensions: 16 },
  [string, { swagger: 1, host: 3, basePath: 4 }],
  [info, { info: 2 }],
  [openapi.strings, { schemes: 5, consumes: 6, produces: 7 }],
  [map(2, pathItem), { paths: 8 }],
  [map(1, schema), { definitions: 9 }],
  [map(1, parameter), { parameters: 10 }],
  [openapi.securityRequirements, { security: 12 }],
  [map(1, wrapped(2, apiKey)), { securityDefinitions: 13 }],
);
