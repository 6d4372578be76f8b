// The OpenAPI v2 document: all v3 documents merged into one and converted. Default values and
// logical operators are dropped, as upstream drops them for old clients.
// Upstream: k8s.io/kube-openapi/pkg/builder, pkg/schemaconv; for custom resources
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2/conversion.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { objectAt } from "../apimachinery/meta/read-fields.ts";
import type { OpenApiSource } from "../apimachinery/rest/resource-traits.ts";
import { shareParameters } from "./shared-parameters.ts";

/** A v3 document; its source decides how its schemas are simplified. */
export interface VersionThreeDocument {
  readonly document: JsonObject;
  readonly source: OpenApiSource["at"];
}

/** Merges documents; where two define the same model, the kinds that it stands for are joined. */
export function toVersionTwo(
  documents: readonly VersionThreeDocument[],
  version: string,
): JsonObject {
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  for (const { document, source } of documents) {
    for (const [path, item] of Object.entries(objectAt(document, "paths")))
      paths[path] = pathItem(item as JsonObject);
    for (const [model, schema] of Object.entries(
      objectAt(objectAt(document, "components"), "schemas"),
    )) {
      const simple = definition(
        schema as JsonObject,
        model.startsWith("io.k8s.") ? "types" : source,
      );
      definitions[model] = joinKinds(simple, definitions[model]);
    }
  }
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version },
    ...shareParameters(paths),
    definitions,
    securityDefinitions: {
      BearerToken: {
        type: "apiKey",
        description: "Bearer Token authentication",
        name: "authorization",
        in: "header",
      },
    },
    security: [{ BearerToken: [] }],
  };
}

const kindsField = "x-kubernetes-group-version-kind";

function joinKinds(schema: JsonObject, known: Json | undefined): JsonObject {
  const before = isObject(known) && Array.isArray(known[kindsField]) ? known[kindsField] : [];
  const kinds = Array.isArray(schema[kindsField]) ? schema[kindsField] : [];
  const all = new Map([...before, ...kinds].map((kind) => [JSON.stringify(kind), kind]));
  return all.size ? { ...schema, [kindsField]: [...all.values()] } : schema;
}

function pathItem(item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([method, value]) => [
      method,
      method === "parameters"
        ? (value as JsonObject[]).map(parameter)
        : operation(value as JsonObject),
    ]),
  );
}

function operation({ requestBody, responses, parameters, ...rest }: JsonObject): JsonObject {
  const body = isObject(requestBody) ? requestBody : undefined;
  const produces = Object.keys(objectAt(objectAt(responses as JsonObject, "200"), "content"));
  const isText = firstSchema(objectAt(responses as JsonObject, "200")).type === "string";
  const consumes = body
    ? Object.keys(objectAt(body, "content"))
    : bodilessTypes(isText, produces, rest["x-kubernetes-action"]);
  const all = [
    ...(body ? [bodyParameter(body)] : []),
    ...((parameters as JsonObject[] | undefined) ?? []).map(parameter),
  ];
  return {
    ...rest,
    ...(consumes ? { consumes: [...consumes] } : {}),
    produces,
    schemes: ["https"],
    ...(all.length ? { parameters: all } : {}),
    responses: Object.fromEntries(
      Object.entries(responses as JsonObject).map(([code, answer]) => [
        code,
        response(answer as JsonObject),
      ]),
    ),
  };
}

/** What an operation without a body consumes. */
function bodilessTypes(
  isText: boolean,
  produces: readonly string[],
  action: Json | undefined,
): readonly string[] | undefined {
  if (action) return ["*/*"];
  return isText ? undefined : produces;
}

function parameter({ schema, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...(schema as JsonObject) };
}

function bodyParameter(body: JsonObject): JsonObject {
  return {
    name: "body",
    in: "body",
    ...(body.required ? { required: true } : {}),
    schema: firstSchema(body),
  };
}

function response(answer: JsonObject): JsonObject {
  const schema = firstSchema(answer);
  return { description: answer.description!, ...(Object.keys(schema).length ? { schema } : {}) };
}

/** All media types of a v3 body share one schema. */
function firstSchema(holder: JsonObject): JsonObject {
  const first = Object.values(objectAt(holder, "content"))[0];
  return isObject(first) ? reference(objectAt(first, "schema")) : {};
}

const reference = (schema: JsonObject): JsonObject =>
  typeof schema.$ref === "string"
    ? { $ref: schema.$ref.replace("#/components/schemas/", "#/definitions/") }
    : schema;

/** v2 forms of the types that v3 describes with `oneOf`. */
function definition(schema: JsonObject, source: OpenApiSource["at"]): JsonObject {
  const whole = source === "schema" && schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (whole)
    return { type: "object", ...(schema[kindsField] ? { [kindsField]: schema[kindsField] } : {}) };
  return schema.oneOf && source === "types"
    ? { ...simplify(schema, source), type: "string" }
    : simplify(schema, source);
}

function simplify(schema: JsonObject, source: OpenApiSource["at"]): JsonObject {
  if (typeof schema.$ref === "string") return reference(schema);
  const {
    allOf,
    anyOf: _anyOf,
    oneOf: _oneOf,
    not: _not,
    nullable,
    default: initial,
    ...rest
  } = schema;
  const wrapped =
    Array.isArray(allOf) && isObject(allOf[0]) && typeof allOf[0].$ref === "string"
      ? reference(allOf[0])
      : {};
  const out: JsonObject = {
    ...rest,
    ...wrapped,
    ...(source === "schema" && initial !== undefined ? { default: initial } : {}),
  };
  if (isObject(out.properties))
    out.properties = Object.fromEntries(
      Object.entries(out.properties).map(([name, child]) => [
        name,
        simplify(child as JsonObject, source),
      ]),
    );
  if (isObject(out.items)) out.items = simplify(out.items, source);
  if (isObject(out.additionalProperties))
    out.additionalProperties = simplify(out.additionalProperties, source);
  return source === "schema" ? loosen(out, schema, nullable === true) : out;
}

/**
 * Old kubectl refuses unknown types, so open and nullable values lose their type and their members.
 */
function loosen(out: JsonObject, schema: JsonObject, nullable: boolean): JsonObject {
  const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (nullable || open) for (const field of ["items", "properties"]) delete out[field];
  if (nullable || (open && out.type === "object") || (out.type === "array" && !out.items))
    delete out.type;
  const fields = isObject(schema.properties) ? schema.properties : {};
  const isNullable = (name: string): boolean =>
    isObject(fields[name]) && fields[name].nullable === true;
  if (Array.isArray(out.required))
    out.required = out.required.filter((name) => !isNullable(String(name)));
  if (Array.isArray(out.required) && !out.required.length) delete out.required;
  return out;
}
