// Adds upstream's descriptions to an OpenAPI v3 document: to models and their fields, to parameters
// and to operations, whose descriptions follow from their actions. Pure.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go (registerResourceHandlers,
// GetArticleForNoun), for custom resources
// k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go (descriptionFor).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { objectAt } from "../apimachinery/meta/read-fields.ts";
import type { Descriptions } from "../apimachinery/kind-data/descriptions.ts";
import type { OpenApiSource } from "../apimachinery/rest/resource-traits.ts";

/** The document with descriptions; `source` is what its operations are made from. */
export function describeDocument(
  document: JsonObject,
  source: OpenApiSource["at"],
  descriptions: Descriptions,
): JsonObject {
  return {
    ...describeModels(document, descriptions),
    paths: describePaths(objectAt(document, "paths"), source, descriptions),
  };
}

/** The document with descriptions of its models and their fields. */
export function describeModels(document: JsonObject, descriptions: Descriptions): JsonObject {
  if (!("components" in document)) return document;
  const components = objectAt(document, "components");
  if (!("schemas" in components)) return document;
  const schemas = Object.entries(objectAt(components, "schemas")).map(
    ([model, schema]) => [model, describeModel(model, schema as JsonObject, descriptions)] as const,
  );
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

function describeModel(model: string, schema: JsonObject, { modelOf }: Descriptions): JsonObject {
  const found = modelOf(model);
  if (!found) return schema;
  const [, text, fields] = found;
  const properties = schema["properties"];
  return {
    ...(text ? { description: text } : {}),
    ...schema,
    ...(isObject(properties) ? { properties: describeFields(properties, fields) } : {}),
  };
}

const describeFields = (
  properties: JsonObject,
  texts: Readonly<Record<string, string>>,
): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      Object.hasOwn(texts, name) ? { description: texts[name]!, ...(field as JsonObject) } : field,
    ]),
  );

/** One path of a document. */
interface Place {
  readonly path: string;
  readonly paths: JsonObject;
  readonly source: OpenApiSource["at"];
  readonly descriptions: Descriptions;
}

function describePaths(
  paths: JsonObject,
  source: Place["source"],
  descriptions: Descriptions,
): JsonObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      describeItem({ path, paths, source, descriptions }, item as JsonObject),
    ]),
  );
}

function describeItem(place: Place, item: JsonObject): JsonObject {
  const [first] = Object.entries(item).filter(([method]) => method !== "parameters");
  const kind = kindOf(first?.[1]);
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      method === "parameters"
        ? describeParameters(place, "", kind, operation)
        : describeOperation(place, method, operation as JsonObject),
    ]),
  );
}

function describeOperation(place: Place, method: string, operation: JsonObject): JsonObject {
  const { parameters } = operation;
  const text = operationText(place, method, operation);
  return {
    ...(text === undefined ? {} : { description: text }),
    ...operation,
    ...(parameters === undefined
      ? {}
      : { parameters: describeParameters(place, method, kindOf(operation), parameters) }),
  };
}

function describeParameters(
  { path, descriptions }: Place,
  method: string,
  kind: string,
  parameters: Json | undefined,
): JsonObject[] {
  const found = /\/([^/{}]+)\/\{name\}\/([^/{}]+)/.exec(path);
  const connected = found ? `${found[1]}/${found[2]}` : "";
  const where = method === "patch" ? "patch" : connected;
  return (parameters as JsonObject[]).map((one) => {
    const { name, in: at } = one;
    const text =
      name === "name" && at === "path"
        ? `name of the ${kind}`
        : descriptions.parameter(`${String(name)} in ${String(at)}`, where);
    return text === undefined ? one : { description: text, ...one };
  });
}

/** The description of an operation; undefined for the few that have none. */
function operationText(place: Place, method: string, operation: JsonObject): string | undefined {
  const { path, paths, source, descriptions } = place;
  const action = operation["x-kubernetes-action"];
  if (action === undefined) return discoveryText(path, descriptions);
  const [, item = path, sub = ""] = /^(.*\/\{name\})\/([^/{}]+)(?:\/\{path\})?$/.exec(path) ?? [];
  const kind = sub ? parentKind(paths, item) : kindOf(operation);
  const of = sub ? ` ${sub} of` : "";
  switch (action) {
    case "list":
      return source === "types" && isWatched(paths, path)
        ? `list or watch objects of kind ${kind}`
        : `list objects of kind ${kind}`;
    case "watchlist":
      return `watch individual changes to a list of ${kind}. deprecated: use the 'watch' parameter with a list operation instead.`;
    case "watch":
      return `watch changes to an object of kind ${kind}. deprecated: use the 'watch' parameter with a list operation instead, filtered to a single item with the 'fieldSelector' parameter.`;
    case "get":
      return `read${of} the specified ${kind}`;
    case "put":
      return `replace${of} the specified ${kind}`;
    case "patch":
      return `partially update${of} the specified ${kind}`;
    case "post":
      return `create${of}${article(kind)}${kind}`;
    case "delete":
      return `delete${of}${article(kind)}${kind}`;
    case "deletecollection":
      return `delete collection of${of && `${of} a`} ${kind}`;
    case "connect":
      return `connect ${method.toUpperCase()} requests to ${sub} of ${kind}`;
    default:
      return undefined;
  }
}

function discoveryText(path: string, { path: textOf }: Descriptions): string | undefined {
  if (/^\/apis\/[^/]+\/$/.test(path)) return "get information of a group";
  if (/^\/apis\/[^/]+\/[^/]+\/$/.test(path)) return "get available resources";
  return textOf(path);
}

/** The kind of the object that has a subresource. */
function parentKind(paths: JsonObject, item: string): string {
  const operations = Object.entries(objectAt(paths, item));
  return kindOf(operations.find(([method]) => method !== "parameters")?.[1]);
}

const kindOf = (operation: Json | undefined): string =>
  String(objectAt(isObject(operation) ? operation : {}, "x-kubernetes-group-version-kind")["kind"]);

/** Whether the resource of a list has the deprecated paths below `/watch/`. */
const isWatched = (paths: JsonObject, path: string): boolean =>
  path.replace(/^(\/api\/[^/]+|\/apis\/[^/]+\/[^/]+)/, "$1/watch") in paths;

/** Plurals have none. */
function article(noun: string): string {
  if (noun.endsWith("s") && !noun.endsWith("ss")) return " ";
  return /^[aeiou]/i.test(noun) ? " an " : " a ";
}
