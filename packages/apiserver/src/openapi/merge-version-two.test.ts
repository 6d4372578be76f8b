import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { filterByPaths, mergeDocuments } from "./merge-version-two.ts";

const kinds = "x-kubernetes-group-version-kind";
const kind = (name: string): JsonObject => ({ group: "g", version: "v1", kind: name });
const ref = (model: string): JsonObject => ({ schema: { $ref: `#/definitions/${model}` } });
const get = (...models: readonly string[]): JsonObject => ({
  get: { parameters: models.map(ref) },
});

test("what only other paths use is left out, what no path uses stays", () => {
  const document = {
    paths: { "/apis/a/v1/": get("A"), "/apis/b/v1/": get("B") },
    definitions: {
      A: { properties: { p: { $ref: "#/definitions/Part" } } },
      B: {},
      Part: {},
      Unused: {},
    },
  };
  const { paths, definitions } = filterByPaths(document, (path) => path.startsWith("/apis/a/"));
  assert.deepEqual(Object.keys(paths as JsonObject), ["/apis/a/v1/"]);
  assert.deepEqual(Object.keys(definitions as JsonObject), ["A", "Part", "Unused"]);
});

test("paths that are there already stay, and bring nothing", () => {
  const own = { paths: { "/a": get("A") }, definitions: { A: {} } };
  const other = { paths: { "/a": get("B") }, definitions: { B: {} } };
  assert.equal(mergeDocuments(own, other), own);
});

test("models of another form get a name of their own, the same ones are shared", () => {
  const own = {
    paths: { "/a": get("Meta") },
    definitions: {
      Meta: { type: "object" },
      Same: { type: "string", [kinds]: [kind("Z")] },
    },
  };
  const other = (path: string) => ({
    paths: { [path]: get("Meta", "Same", "New") },
    definitions: {
      Meta: { type: "object", properties: { own: { $ref: "#/definitions/Meta" } } },
      Same: { type: "string", [kinds]: [kind("A"), kind("Z")] },
      New: { type: "integer" },
    },
  });
  const merged = mergeDocuments(own, other("/b"));
  assert.deepEqual(merged.paths, {
    "/a": get("Meta"),
    "/b": get("Meta_v2", "Same", "New"),
  });
  assert.deepEqual(merged.definitions, {
    Meta: { type: "object" },
    Same: { type: "string", [kinds]: [kind("A"), kind("Z")] },
    New: { type: "integer" },
    Meta_v2: { type: "object", properties: { own: { $ref: "#/definitions/Meta_v2" } } },
  });
  const again = mergeDocuments(merged, other("/c"));
  assert.deepEqual((again.paths as JsonObject)["/c"], get("Meta_v3", "Same", "New"));
});

test("parameters are renamed like models", () => {
  const parameter = (name: string) => ({ parameters: [{ $ref: `#/parameters/${name}` }] });
  const own = { paths: { "/a": parameter("p") }, parameters: { p: { in: "query" } } };
  const other = { paths: { "/b": parameter("p") }, parameters: { p: { in: "path" } } };
  const { paths, parameters } = mergeDocuments(own, other);
  assert.deepEqual((paths as JsonObject)["/b"], parameter("p_v2"));
  assert.deepEqual(parameters, { p: { in: "query" }, p_v2: { in: "path" } });
});
