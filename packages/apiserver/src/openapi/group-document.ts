// Builds OpenAPI v3 documents: one for each served group and version, and those of the other paths.
// Upstream: k8s.io/kube-openapi/pkg/builder3, as served below /openapi/v3.
import type { Json, JsonObject } from "homeostat/api";
import type { KindData, ApiSubresource } from "../apimachinery/kind-data/kind-data.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../apimachinery/rest/subresource.ts";
import type { OpenApiSource } from "../apimachinery/rest/resource-traits.ts";
import { definitionStyle, installerStyle } from "./document-style.ts";
import { builtinComponent, componentRef } from "./builtin-component.ts";
import { connectionPaths, isConnection } from "./connection-paths.ts";
import { customComponents, customModel } from "./custom-component.ts";
import { operationNames } from "./operation-id.ts";
import { type DocumentedSubresource, resourcePaths } from "./resource-paths.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const discoveryTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
];

/** The paths of the index that have a document now, e.g. `api/v1`, `apis/apps/v1`, `version`. */
export function documentPaths(catalog: ResourceCatalog): readonly string[] {
  const paths = new Set(["api", "apis", "version", ...tokenDocuments.keys()]);
  for (const { group, version, openapi } of catalog.all()) {
    if (group && openapi.at === "types") paths.add(`apis/${group}`);
    paths.add(group ? `apis/${group}/${version}` : `api/${version}`);
  }
  return [...paths].sort();
}

/** The resources that the document of a path describes. */
export function documentedResources(
  path: string,
  catalog: ResourceCatalog,
): readonly ServedResource[] {
  const [found, group = "", version] = /^(?:api|apis\/([^/]+))(?:\/([^/]+))?$/.exec(path) ?? [];
  return found === undefined || found === "api"
    ? []
    : catalog
        .all()
        .filter(
          (each) => each.group === group && (version === undefined || each.version === version),
        );
}

/** The document of a path of the index; undefined when there is none. */
export function buildDocument(
  path: string,
  resources: readonly ServedResource[],
  data: KindData,
): JsonObject | undefined {
  if (path === "version")
    return discoveryDocument(data, {
      path: "/version/",
      rest: "CodeVersion",
      model: "io.k8s.apimachinery.pkg.version.Info",
      types: ["application/json"],
    });
  if (path === "api" || path === "apis") {
    const model = `${meta}${path === "api" ? "APIVersions" : "APIGroupList"}`;
    return discoveryDocument(data, { path: `/${path}/`, rest: "APIVersions", model });
  }
  const token = tokenDocuments.get(path);
  if (token) return tokenDocument(`/${path}/`, token, data);
  if (!resources.length) return undefined;
  if (/^apis\/[^/]+$/.test(path))
    return resources.some(({ openapi }) => openapi.at === "types")
      ? discoveryDocument(data, { path: `/${path}/`, rest: "APIGroup", model: `${meta}APIGroup` })
      : undefined;
  return documentSource(resources) === "schema"
    ? customDocument(resources, data)
    : builtinDocument(`/${path}/`, resources, data);
}

/** What the document of these resources is made from. */
export function documentSource(resources: readonly ServedResource[]): OpenApiSource["at"] {
  return resources.some(({ openapi }) => openapi.at === "schema") ? "schema" : "types";
}

function builtinDocument(
  root: string,
  resources: readonly ServedResource[],
  data: KindData,
): JsonObject {
  const paths: JsonObject = {
    [root]: discoveryPath({ path: root, rest: "APIResources", model: `${meta}APIResourceList` }),
  };
  for (const resource of resources) Object.assign(paths, builtinPaths(resource, data));
  const { group, version } = resources[0]!;
  return {
    ...head("Kubernetes", minorOf(data)),
    paths,
    components: {
      schemas: componentsOf(paths, {}, { group, version }, data),
      securitySchemes: bearer,
    },
  };
}

function customDocument(resources: readonly ServedResource[], data: KindData): JsonObject {
  const paths: JsonObject = {};
  const own: Record<string, JsonObject> = {};
  for (const resource of resources) {
    if (resource.openapi.at !== "schema") continue;
    const model = customModel(resource.group, resource.version, resource.kind);
    const subresources = subresourcesOf(resource, (sub) =>
      sub.at === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : model,
    );
    Object.assign(own, customComponents(resource, resource.openapi.schema));
    Object.assign(
      paths,
      resourcePaths({
        ...resource,
        style: definitionStyle,
        model,
        listModel: customModel(resource.group, resource.version, resource.listKind),
        deleteReturnsObject: false,
        subresources,
      }),
    );
  }
  return {
    ...head("Kubernetes CRD Swagger", "v0.1.0"),
    paths,
    components: { schemas: componentsOf(paths, own, { group: "", version: "v1" }, data) },
  };
}

function builtinPaths(resource: ServedResource, data: KindData): JsonObject {
  const described = data.resource(resource.group, resource.version, resource.resource);
  if (!described) return {};
  const attributesOf = (name: string): ApiSubresource | undefined =>
    described.subresources.find((each) => each.name === name);
  const connections = [...resource.subresources.keys()]
    .filter((name) => isConnection(resource, name))
    .flatMap((name) => attributesOf(name) ?? []);
  const subresources = subresourcesOf(resource, (_, name) =>
    isConnection(resource, name) ? undefined : attributesOf(name)?.type,
  );
  return {
    ...Object.assign({}, ...connections.map((sub) => connectionPaths(resource, sub, data))),
    ...resourcePaths({
      ...resource,
      style: installerStyle,
      model: described.type,
      listModel: data.typeOf(resource.group, resource.version, resource.listKind)?.model,
      deleteReturnsObject: resource.strategy.deleteReturnsObject === true,
      subresources,
    }),
  };
}

/** Subresources whose bodies have a model. */
function subresourcesOf(
  resource: ServedResource,
  modelOf: (sub: Subresource, name: string) => string | undefined,
): readonly DocumentedSubresource[] {
  return [...resource.subresources].flatMap(([name, sub]) => {
    const model = modelOf(sub, name);
    return model === undefined ? [] : [{ name, verbs: sub.verbs, model, ...sub.kind }];
  });
}

const head = (title: string, version: string): JsonObject => ({
  openapi: "3.0.0",
  info: { title, version },
});
const bearer: JsonObject = {
  BearerToken: {
    type: "apiKey",
    description: "Bearer Token authentication",
    name: "authorization",
    in: "header",
  },
};
/** `v1.36.3` as `1.36`. */
export const minorOf = (data: KindData): string => data.kubernetes.replace(/^v(\d+\.\d+).*$/, "$1");

/** The operation name and media type of the documents on service account tokens, by path. */
const tokenDocuments: ReadonlyMap<string, readonly [rest: string, type: string]> = new Map([
  [
    ".well-known/openid-configuration",
    ["ServiceAccountIssuerOpenIDConfiguration", "application/json"],
  ],
  ["openid/v1/jwks", ["ServiceAccountIssuerOpenIDKeyset", "application/jwk-set+json"]],
]);

function tokenDocument(
  path: string,
  [rest, type]: readonly [string, string],
  data: KindData,
): JsonObject {
  const names = operationNames(path);
  const responses = {
    200: { description: "OK", content: { [type]: { schema: { type: "string" } } } },
    401: { description: "Unauthorized" },
  };
  return {
    ...head("Kubernetes", minorOf(data)),
    paths: { [path]: { get: { tags: [names.tag], operationId: `get${rest}`, responses } } },
    components: { securitySchemes: bearer },
  };
}

/** A path that answers one discovery document. */
interface DiscoveryPath {
  readonly path: string;
  /** The end of the operation's id. */
  readonly rest: string;
  readonly model: string;
  readonly types?: readonly string[];
}

function discoveryDocument(data: KindData, at: DiscoveryPath): JsonObject {
  const paths: JsonObject = { [at.path]: discoveryPath(at) };
  return {
    ...head("Kubernetes", minorOf(data)),
    paths,
    components: {
      schemas: componentsOf(paths, {}, { group: "", version: "v1" }, data),
      securitySchemes: bearer,
    },
  };
}

function discoveryPath({ path, rest, model, types = discoveryTypes }: DiscoveryPath): JsonObject {
  const names = operationNames(path);
  const content = Object.fromEntries(types.map((type) => [type, { schema: componentRef(model) }]));
  return {
    get: {
      tags: [names.tag],
      operationId: names.id("get", rest),
      responses: { 200: { description: "OK", content }, 401: { description: "Unauthorized" } },
    },
  };
}

/** All components that are referred to, directly or indirectly. */
function componentsOf(
  paths: JsonObject,
  own: Readonly<Record<string, JsonObject>>,
  at: { readonly group: string; readonly version: string },
  data: KindData,
): JsonObject {
  const schemas: JsonObject = {};
  const wanted = [...Object.keys(own), ...refsIn(paths)];
  for (let model = wanted.pop(); model !== undefined; model = wanted.pop()) {
    if (Object.hasOwn(schemas, model)) continue;
    const component = own[model] ?? withKinds(builtinComponent(data, model), model, at, data);
    schemas[model] = component;
    wanted.push(...refsIn(component));
  }
  return schemas;
}

function refsIn(value: Json, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) refsIn(item, found);
  else if (typeof value === "object" && value !== null) {
    for (const [key, held] of Object.entries(value)) {
      if (key === "$ref" && typeof held === "string")
        found.push(held.slice(held.lastIndexOf("/") + 1));
      else refsIn(held, found);
    }
  }
  return found;
}

/**
 * Names the kinds that a model stands for: types of the machinery are kinds of the legacy group and
 * of the document's own.
 */
function withKinds(
  component: JsonObject,
  model: string,
  at: { readonly group: string; readonly version: string },
  data: KindData,
): JsonObject {
  const kind = model.slice(model.lastIndexOf(".") + 1);
  const places = model.startsWith(meta)
    ? [{ group: "", version: "v1" }, at]
    : data.groups.flatMap(({ group, versions }) => versions.map((version) => ({ group, version })));
  const kinds = new Map(
    places
      .filter(({ group, version }) => data.typeOf(group, version, kind)?.model === model)
      .map(({ group, version }) => [`${group}/${version}`, { group, kind, version }]),
  );
  return kinds.size
    ? { ...component, "x-kubernetes-group-version-kind": [...kinds.values()] }
    : component;
}
