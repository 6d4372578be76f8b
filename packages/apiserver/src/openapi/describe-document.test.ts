import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { readDescriptions, readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { createCatalog } from "../kinds/catalog.ts";
import { createCustomResources } from "../kinds/custom/create-custom-resources.ts";
import { cages } from "../kinds/custom/testdata/zoo.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { describeDocument } from "./describe-document.ts";
import { createOpenApi } from "./openapi-service.ts";

const data = readKindData("1.36");
const smdOf = createKindTypes(data);
const catalog = createCatalog(createBuiltinResources({ data, smdOf }, []));
const service = createOpenApi(catalog, data, {
  descriptions: () => readDescriptions("1.36"),
  describes: "everything",
});

function read(path: string, from = service): any {
  const request = { path, query: new URLSearchParams(), headers: {}, nowMs: 0 };
  return JSON.parse(Buffer.from(from(request)!.body as Uint8Array).toString());
}

test("operations are described by action, kind and subresource", () => {
  const { paths } = read("/openapi/v3/api/v1");
  const textOf = (path: string, method: string): unknown => paths[path][method].description;
  const pods = "/api/v1/namespaces/{namespace}/pods";
  const said: readonly (readonly [string, string, string])[] = [
    [pods, "get", "list or watch objects of kind Pod"],
    ["/api/v1/componentstatuses", "get", "list objects of kind ComponentStatus"],
    [pods, "post", "create a Pod"],
    ["/api/v1/namespaces/{namespace}/events", "post", "create an Event"],
    ["/api/v1/namespaces/{namespace}/endpoints", "post", "create Endpoints"],
    [pods, "delete", "delete collection of Pod"],
    [`${pods}/{name}/status`, "patch", "partially update status of the specified Pod"],
    [`${pods}/{name}/eviction`, "post", "create eviction of a Pod"],
    [`${pods}/{name}/log`, "get", "read log of the specified Pod"],
    [`${pods}/{name}/proxy/{path}`, "put", "connect PUT requests to proxy of Pod"],
    ["/api/v1/", "get", "get available resources"],
  ];
  for (const [path, method, text] of said) assert.equal(textOf(path, method), text, path);
});

test("models, fields and parameters have upstream's texts, also where those differ by use", () => {
  const { paths, components } = read("/openapi/v3/api/v1");
  const pod = components.schemas["io.k8s.api.core.v1.Pod"];
  assert.match(pod.description, /^Pod is a collection of containers/);
  assert.match(pod.properties.spec.description, /^Specification of the desired behavior/);
  const parameter = (path: string, name: string): string =>
    paths[path].parameters.find((one: any) => one.name === name).description;
  const pods = "/api/v1/namespaces/{namespace}/pods/{name}";
  assert.equal(parameter(pods, "name"), "name of the Pod");
  assert.equal(parameter(`${pods}/eviction`, "name"), "name of the Eviction");
  assert.match(parameter(`${pods}/exec`, "container"), /^Container in which to execute/);
  assert.match(parameter(`${pods}/log`, "container"), /^The container for which to stream/);
});

test("custom resources have described metadata by default; built-in kinds, operations and version two have no descriptions", () => {
  const zoo = createCatalog(createBuiltinResources({ data, smdOf }, []));
  const custom = { data, smdOf, compileRules: () => undefined };
  zoo.serve("cages.zoo.example.com", createCustomResources(cages(), custom));
  const openApi = createOpenApi(zoo, data, { descriptions: () => readDescriptions("1.36") });
  const metadataText = (path: string, at: "schemas" | "definitions"): unknown => {
    const document = read(path, openApi);
    const schemas = document[at] ?? document.components[at];
    return schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].description;
  };
  const cagesPath = "/openapi/v3/apis/zoo.example.com/v1";
  assert.match(String(metadataText(cagesPath, "schemas")), /^ObjectMeta is metadata that all/);
  assert.equal(metadataText("/openapi/v3/api/v1", "schemas"), undefined);
  assert.equal(metadataText("/openapi/v2", "definitions"), undefined);
  const [operations] = Object.values<any>(read(cagesPath, openApi).paths);
  assert.equal(operations.get.description, undefined);
});

test("shared parameters of version two have upstream's names", () => {
  const names = Object.keys(read("/openapi/v2").parameters);
  for (const name of ["allowWatchBookmarks-HC2hJt-J", "body-2Y1dVQaQ", "container-1GeXxFDC"])
    assert.ok(names.includes(name), name);
});

test("operations on custom resources follow the builder of definitions", () => {
  const gvk = { group: "example.com", version: "v1", kind: "Site" };
  const operation = (action: string): JsonObject => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  });
  const root = "/apis/example.com/v1/sites";
  const document = {
    paths: {
      [root]: { get: operation("list"), delete: operation("deletecollection") },
      [`${root}/{name}`]: { get: operation("get") },
      [`${root}/{name}/status`]: { put: operation("put") },
    },
  };
  const { paths } = describeDocument(document, "schema", readDescriptions("1.36")) as any;
  assert.equal(paths[root].get.description, "list objects of kind Site");
  assert.equal(paths[root].delete.description, "delete collection of Site");
  assert.equal(
    paths[`${root}/{name}/status`].put.description,
    "replace status of the specified Site",
  );
});
