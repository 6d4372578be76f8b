import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { createCatalog } from "../kinds/catalog.ts";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { createCustomResources } from "../kinds/custom/create-custom-resources.ts";
import { cages } from "../kinds/custom/testdata/zoo.ts";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { createOpenApi } from "./openapi-service.ts";
import { operationNames } from "./operation-id.ts";
import { toVersionTwo } from "./version-two.ts";

const data = readKindData("1.36");
const smdOf = createKindTypes(data);
const catalog = createCatalog(createBuiltinResources({ data, smdOf }));
catalog.serve(
  "cages.zoo.example.com",
  createCustomResources(cages(), { data, smdOf, compileRules: () => undefined }),
);
const service = createOpenApi(catalog, data, {
  forms: {
    two: (document) => Uint8Array.of(2, Object.keys(document).length),
    three: (document) => Uint8Array.of(3, Object.keys(document).length),
  },
});
const ask = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse | undefined => {
  const { pathname, searchParams } = new URL(url, "http://server");
  return service({
    path: pathname,
    query: searchParams,
    headers,
    nowMs: Date.parse("2026-11-21T10:00:00Z"),
  });
};
const bodyOf = (answer: ApiResponse | undefined): JsonObject =>
  JSON.parse(new TextDecoder().decode(answer!.body as Uint8Array)) as JsonObject;
const at = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((held, key) => (isObject(held) ? held[key] : undefined), value);
const urlOf = (path: string): string =>
  String(at(bodyOf(ask("/openapi/v3")), "paths", path, "serverRelativeURL"));

test("the index names every document by its hash", () => {
  assert.match(urlOf("api/v1"), /^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
  assert.match(urlOf("apis/zoo.example.com/v1"), /\?hash=/);
  assert.equal(ask("/openapi/v3")?.headers["content-type"], "text/plain; charset=utf-8");
  assert.deepEqual(
    [ask("/openapi/v3/apis/nothing/v1")?.status, ask("/openapi/v3/apis/nothing/v1")?.body],
    [404, new Uint8Array()],
  );
});

test("a hash makes a document immutable, an old hash is sent on", () => {
  const url = urlOf("api/v1");
  assert.deepEqual(
    [ask(url)?.status, ask(url)?.headers["cache-control"], ask(url)?.headers["expires"]],
    [200, "public, immutable", "Sun, 21 Nov 2027 10:00:00 UTC"],
  );
  const stale = ask("/openapi/v3/api/v1?hash=OLD");
  assert.deepEqual([stale?.status, stale?.headers["location"]], [301, url]);
  assert.equal(ask("/openapi/v3/api/v1")?.headers["cache-control"], "no-cache, private");
  assert.equal(ask(url, { "if-none-match": String(ask(url)?.headers["etag"]) })?.status, 304);
  assert.equal(ask(url, { accept: "text/html" })?.status, 406);
});

test("documents say when they were made, and are not sent again to who has them since", () => {
  for (const [path, vary] of [
    ["/openapi/v2", "Accept-Encoding, Accept"],
    ["/openapi/v3/api/v1", "Accept"],
  ] as const) {
    const { headers } = ask(path)!;
    assert.deepEqual(
      [
        headers["vary"],
        ask(path, { "if-modified-since": String(headers["last-modified"]) })?.status,
      ],
      [vary, 304],
    );
    assert.equal(ask(path, { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })?.status, 200);
    assert.equal(
      ask(path, {
        "if-modified-since": String(headers["last-modified"]),
        "if-none-match": '"other"',
      })?.status,
      200,
    );
  }
  assert.equal(typeof ask("/openapi/v3")?.headers["last-modified"], "string");
});

test("both versions have a binary form on request", () => {
  const binary = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const typeFor = (accept: string): unknown =>
    ask("/openapi/v2", { accept })?.headers["content-type"];
  assert.equal(typeFor("application/com.github.proto-openapi.spec.v2@v1.0+protobuf"), binary);
  assert.equal(typeFor(binary), binary);
  assert.equal(typeFor(`application/json;q=0.5, ${binary}`), binary);
  assert.equal(typeFor("*/*"), "application/json");
  assert.equal(typeFor(""), "application/json");
  assert.equal(ask("/openapi/v2", { accept: "application/yaml" })?.status, 406);
  assert.deepEqual(ask("/openapi/v2", { accept: binary })?.body, Uint8Array.of(2, 7));
  assert.equal(
    ask("/openapi/v2", { accept: binary })?.headers["etag"],
    ask("/openapi/v2")?.headers["etag"],
  );
  assert.equal(ask("/openapi/v3/api/v1", { accept: binary })?.status, 406);
  const three = binary.replace("v2", "v3");
  for (const accept of [three, three.replace("v3.", "v3@"), `${three},application/json;q=0.9`]) {
    const answer = ask("/openapi/v3/api/v1", { accept });
    assert.deepEqual([answer?.headers["content-type"], answer?.body], [three, Uint8Array.of(3, 4)]);
  }
  assert.equal(
    ask("/openapi/v3", { accept: three })?.headers["content-type"],
    "text/plain; charset=utf-8",
  );
});

test("built-in kinds carry merge rules, and patches the parameters that kubectl looks for", () => {
  const document = bodyOf(ask(urlOf("api/v1")));
  const item = at(document, "paths", "/api/v1/namespaces/{namespace}/configmaps/{name}");
  assert.deepEqual(
    (at(item, "patch", "parameters") as JsonObject[]).map(({ name }) => name),
    ["dryRun", "fieldManager", "fieldValidation", "force"],
  );
  assert.deepEqual(at(item, "patch", "x-kubernetes-group-version-kind"), {
    group: "",
    version: "v1",
    kind: "ConfigMap",
  });
  assert.equal(at(item, "patch", "operationId"), "patchCoreV1NamespacedConfigMap");
  assert.deepEqual(
    (at(item, "parameters") as JsonObject[]).map(({ name }) => name),
    ["name", "namespace", "pretty"],
  );
  const owners = at(
    document,
    "components",
    "schemas",
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
    "properties",
    "ownerReferences",
  );
  assert.deepEqual(
    [at(owners, "x-kubernetes-list-type"), at(owners, "x-kubernetes-patch-merge-key")],
    ["map", "uid"],
  );
});

test("every reference in a document leads somewhere", () => {
  for (const path of ["api/v1", "apis/zoo.example.com/v1", "version", "apis"]) {
    const document = bodyOf(ask(urlOf(path)));
    const known = new Set(Object.keys(at(document, "components", "schemas") as JsonObject));
    const refs = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      (match) => match[1]!,
    );
    assert.ok(refs.length > 0, path);
    assert.deepEqual(
      refs.filter((ref) => !known.has(ref)),
      [],
      path,
    );
  }
});

test("custom resources are published with what every object has", () => {
  const document = bodyOf(ask(urlOf("apis/zoo.example.com/v1")));
  assert.deepEqual(Object.keys(at(document, "paths") as JsonObject).sort(), [
    "/apis/zoo.example.com/v1/cages",
    "/apis/zoo.example.com/v1/namespaces/{namespace}/cages",
    "/apis/zoo.example.com/v1/namespaces/{namespace}/cages/{name}",
    "/apis/zoo.example.com/v1/namespaces/{namespace}/cages/{name}/scale",
    "/apis/zoo.example.com/v1/namespaces/{namespace}/cages/{name}/status",
  ]);
  const cage = at(document, "components", "schemas", "com.example.zoo.v1.Cage");
  assert.deepEqual(at(cage, "x-kubernetes-group-version-kind"), [
    { group: "zoo.example.com", version: "v1", kind: "Cage" },
  ]);
  assert.deepEqual(at(cage, "x-kubernetes-selectable-fields"), [
    { fieldPath: "spec.color" },
    { fieldPath: "spec.size" },
  ]);
  assert.deepEqual(at(cage, "properties", "spec", "properties", "door"), {
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
  });
  assert.deepEqual(at(cage, "properties", "spec", "properties", "guest", "required"), [
    "kind",
    "apiVersion",
  ]);
});

test("version two is equivalent in the older format", () => {
  const document = bodyOf(ask("/openapi/v2"));
  assert.equal(document.swagger, "2.0");
  const configMap = at(document, "definitions", "io.k8s.api.core.v1.ConfigMap", "properties");
  assert.deepEqual(
    [at(configMap, "metadata"), at(configMap, "data")],
    [
      { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
      { type: "object", additionalProperties: { type: "string" } },
    ],
  );
  assert.deepEqual(
    at(
      document,
      "definitions",
      "com.example.zoo.v1.Cage",
      "properties",
      "spec",
      "properties",
      "door",
    ),
    { "x-kubernetes-int-or-string": true },
  );
  const patch = at(document, "paths", "/api/v1/namespaces/{namespace}/configmaps/{name}", "patch");
  assert.deepEqual(
    (at(patch, "parameters") as JsonObject[]).map(
      ({ name, $ref }) => name ?? String($ref).replace(/^#\/parameters\/(\w+)-.*$/, "shared $1"),
    ),
    ["shared body", "dryRun", "shared fieldManager", "fieldValidation", "shared force"],
  );
  const known = new Set(Object.keys(document.definitions as JsonObject));
  assert.deepEqual(
    [...JSON.stringify(document).matchAll(/"#\/definitions\/([^"]+)"/g)].filter(
      ([, model]) => !known.has(model!),
    ),
    [],
  );
  assert.equal(JSON.stringify(document).includes("#/components"), false);
});

test("version two has texts where version three has a choice", () => {
  const schemas = {
    Q: { oneOf: [{ type: "string" }, { type: "number" }] },
    S: { properties: { q: { allOf: [{ $ref: "#/components/schemas/Q" }], default: {} } } },
  };
  assert.deepEqual(
    toVersionTwo([{ document: { paths: {}, components: { schemas } }, source: "types" }], "1.36")
      .definitions,
    {
      Q: { type: "string" },
      S: { properties: { q: { $ref: "#/definitions/Q" } } },
    },
  );
});

test("documents follow the catalog, those of other groups stay what they are", () => {
  const before = [urlOf("api/v1"), urlOf("apis/zoo.example.com/v1")];
  const changed = cages();
  ((changed.spec as JsonObject).versions as JsonObject[])[0]!.schema = {
    openAPIV3Schema: { type: "object" },
  };
  catalog.serve(
    "cages.zoo.example.com",
    createCustomResources(changed, { data, smdOf, compileRules: () => undefined }),
  );
  assert.equal(urlOf("api/v1"), before[0]);
  assert.notEqual(urlOf("apis/zoo.example.com/v1"), before[1]);
});

test("operations are named after group and version", () => {
  assert.equal(operationNames("/apis/rbac.authorization.k8s.io/v1").tag, "rbacAuthorization_v1");
  assert.equal(
    operationNames("/apis/crs.my-lab.test/v1beta1").id("list", "NamespacedOddity"),
    "listCrsMyLabTestV1beta1NamespacedOddity",
  );
});
