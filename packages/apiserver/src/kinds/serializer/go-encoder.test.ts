import assert from "node:assert/strict";
import { test } from "node:test";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { createGoEncoder } from "./go-encoder.ts";

const data = readKindData("1.36");

test("members come in the order of the Go struct, maps by key", () => {
  const encode = createGoEncoder(data, "io.k8s.api.core.v1.ConfigMap");
  assert.equal(
    encode({
      data: { b: "<", a: "1" },
      immutable: true,
      metadata: { labels: { z: "", y: "" }, name: "c" },
      apiVersion: "v1",
      kind: "ConfigMap",
    }),
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","labels":{"y":"","z":""}},"immutable":true,"data":{"a":"1","b":"\\u003c"}}',
  );
});

test("members of raw bytes stay as they were sent", () => {
  const encode = createGoEncoder(data, "io.k8s.api.apps.v1.ControllerRevision");
  const text = '{"data":{"z":1,"a":[{"y":{},"b":"<"}]},"revision":1}';
  assert.equal(encode(JSON.parse(text)), text.replace("<", "\\u003c"));
});

test("embedded structs and schemas keep their order, unknown members come last", () => {
  const encode = createGoEncoder(
    data,
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
  );
  assert.equal(
    encode({
      other: 1,
      items: { type: "string", description: "d" },
      type: "array",
      properties: { b: { type: "x" }, a: {} },
    }),
    '{"type":"array","items":{"description":"d","type":"string"},"properties":{"a":{},"b":{"type":"x"}},"other":1}',
  );
});
