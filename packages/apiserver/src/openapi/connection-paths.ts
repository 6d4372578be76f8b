// The paths of subresources that connect: they take options as query parameters and pass on
// responses.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go (CONNECT, and GET of a getter with
// options).
import { compareBytewise, type JsonObject } from "homeostat/api";
import type { KindData, ApiSubresource, TypeRef } from "../apimachinery/kind-data/kind-data.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { operationNames } from "./operation-id.ts";

const methodsOf: Readonly<Record<string, readonly string[]>> = {
  exec: ["get", "post"],
  attach: ["get", "post"],
  portforward: ["get", "post"],
  proxy: ["get", "put", "post", "delete", "options", "head", "patch"],
};
/** The subresource that is read like an object and returns text. */
const readAsText: Readonly<Record<string, string>> = { log: "io.k8s.api.core.v1.PodLogOptions" };
const textTypes = [
  "text/plain",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** True for the subresources that this file documents. */
export const isConnection = ({ group, version }: ServedResource, name: string): boolean =>
  group === "" && version === "v1" && (name in methodsOf || name in readAsText);

/** The paths of a connecting subresource. */
export function connectionPaths(
  resource: ServedResource,
  sub: ApiSubresource,
  data: KindData,
): JsonObject {
  const root = `/api/v1${resource.namespaced ? "/namespaces/{namespace}" : ""}/${resource.resource}/{name}/${sub.name}`;
  const where = [...(resource.namespaced ? ["namespace"] : []), "name"].map(inPath);
  const read = readAsText[sub.name];
  const rest = `${resource.namespaced ? "Namespaced" : ""}${resource.kind}${sub.name.slice(0, 1).toUpperCase()}${sub.name.slice(1)}`;
  if (read) {
    const operation = {
      ...named(resource, "read", rest),
      ...answered(textTypes),
      "x-kubernetes-action": "get",
      "x-kubernetes-group-version-kind": kindOf(sub),
    };
    return {
      [root]: {
        get: operation,
        parameters: sorted([...where, ...optionQueries(read, data), inQuery("pretty", "string")]),
      },
    };
  }
  const item = (suffix: string, more: readonly JsonObject[]): JsonObject => ({
    ...Object.fromEntries(
      methodsOf[sub.name]!.map((method) => [method, connect(resource, sub, method, rest + suffix)]),
    ),
    parameters: sorted([
      ...where,
      ...more,
      ...(sub.type === undefined ? [] : optionQueries(sub.type, data)),
    ]),
  });
  return {
    [root]: item("", []),
    ...(sub.name === "proxy" ? { [`${root}/{path}`]: item("WithPath", [inPath("path")]) } : {}),
  };
}

const kindOf = ({ group, version, kind }: ApiSubresource): JsonObject => ({
  group,
  version,
  kind,
});

function connect(
  resource: ServedResource,
  sub: ApiSubresource,
  method: string,
  rest: string,
): JsonObject {
  const verb = `${method.slice(0, 1).toUpperCase()}${method.slice(1)}`;
  return {
    ...named(resource, "connect", verb + rest),
    ...answered(["*/*"]),
    "x-kubernetes-action": "connect",
    "x-kubernetes-group-version-kind": kindOf(sub),
  };
}

function named(resource: ServedResource, verb: string, rest: string): JsonObject {
  const names = operationNames(`/api/${resource.version}`);
  return { tags: [names.tag], operationId: names.id(verb, rest) };
}

function answered(types: readonly string[]): JsonObject {
  return {
    responses: {
      200: {
        description: "OK",
        content: Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }])),
      },
      401: { description: "Unauthorized" },
    },
  };
}

const inPath = (name: string): JsonObject => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", uniqueItems: true },
});
const inQuery = (name: string, type: string): JsonObject => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});
const sorted = (parameters: readonly JsonObject[]): JsonObject[] =>
  parameters.toSorted((a, b) => compareBytewise(String(a.name), String(b.name)));

/** The fields of an options type that a query can carry; of lists, one value each time. */
function optionQueries(model: string, data: KindData): readonly JsonObject[] {
  return data
    .type(model)
    .members.filter(({ name }) => name !== "kind" && name !== "apiVersion")
    .flatMap(({ name, ref }) => {
      const type = queryType(ref);
      return type ? [inQuery(name, type)] : [];
    });
}

function queryType(ref: TypeRef): string | undefined {
  if (ref.at === "list") return queryType(ref.items);
  if (ref.at === "string") return "string";
  if (ref.at === "bool") return "boolean";
  return ref.at === "int32" || ref.at === "int64" ? "integer" : undefined;
}
