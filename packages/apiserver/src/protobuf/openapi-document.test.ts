import assert from "node:assert/strict";
import { test } from "node:test";
import { toBlockYaml } from "./block-yaml.ts";
import { encodeOpenApiDocument } from "./openapi-document.ts";
import { fieldsAt, textsAt } from "./testdata/read-fields.ts";

const gvk = [{ group: "", kind: "Thing", version: "v1" }];
const document = {
  swagger: "2.0",
  info: { title: "Kubernetes", version: "1" },
  paths: {
    "/things": {
      parameters: [
        { $ref: "#/parameters/pretty" },
        { in: "query", name: "limit", type: "integer", uniqueItems: true },
      ],
      post: {
        operationId: "createThing",
        parameters: [
          { in: "body", name: "body", required: true, schema: { $ref: "#/definitions/Thing" } },
        ],
        responses: { "200": { description: "OK", schema: { $ref: "#/definitions/Thing" } } },
        "x-kubernetes-group-version-kind": gvk,
      },
    },
    "/things/{name}": {
      parameters: [{ in: "path", name: "name", required: true, type: "string" }],
    },
  },
  definitions: {
    Thing: {
      type: "object",
      required: ["spec"],
      properties: {
        spec: { type: "array", items: { type: "string", enum: ["A", "*", ""] } },
        more: { type: "object", additionalProperties: false },
        count: { type: "integer", minimum: 1 },
      },
      "x-kubernetes-group-version-kind": gvk,
    },
  },
  securityDefinitions: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
  security: [{ BearerToken: [] }],
};

test("members of a document lie where OpenAPIv2.proto puts them", () => {
  const bytes = encodeOpenApiDocument(document);
  assert.deepEqual(textsAt(bytes, 1), ["2.0"]);
  assert.deepEqual(textsAt(bytes, 2, 1), ["Kubernetes"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 1), ["/things", "/things/{name}"]);
  assert.deepEqual(textsAt(bytes, 13, 1, 2, 2, 2), ["authorization"]);
  assert.deepEqual(textsAt(bytes, 12, 1, 1), ["BearerToken"]);
});

test("a parameter is a reference, a body, or a value by its place", () => {
  const bytes = encodeOpenApiDocument(document);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 9, 2, 1), ["#/parameters/pretty"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 9, 1, 2, 3, 4), ["limit"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 9, 1, 2, 3, 6), ["integer"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 9, 1, 2, 4, 4), ["name"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 4, 8, 1, 1, 5, 1), ["#/definitions/Thing"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 4, 9, 1, 1), ["200"]);
  assert.deepEqual(textsAt(bytes, 8, 2, 2, 4, 9, 1, 2, 1, 2, 1, 1), ["#/definitions/Thing"]);
});

test("a schema keeps its parts; values of any form are YAML", () => {
  const [thing] = fieldsAt(encodeOpenApiDocument(document), 9, 1, 2);
  assert.deepEqual(textsAt(thing!, 22, 1), ["object"]);
  assert.deepEqual(textsAt(thing!, 19), ["spec"]);
  assert.deepEqual(textsAt(thing!, 25, 1, 1), ["spec", "more", "count"]);
  assert.deepEqual(textsAt(thing!, 25, 1, 2, 23, 1, 20, 2), ["A\n", "'*'\n", '""\n']);
  assert.deepEqual(fieldsAt(thing!, 25, 1, 2, 21), [Uint8Array.of(0x10, 0)]);
  assert.deepEqual(textsAt(thing!, 31, 1), ["x-kubernetes-group-version-kind"]);
  assert.deepEqual(textsAt(thing!, 31, 2, 2), ['- group: ""\n  kind: Thing\n  version: v1\n']);
});

test("YAML is in blocks, members of members at multiples of four", () => {
  assert.equal(toBlockYaml("get"), "get\n");
  assert.equal(toBlockYaml(true), "true\n");
  assert.equal(toBlockYaml("true"), '"true"\n');
  assert.equal(toBlockYaml("1.5"), '"1.5"\n');
  assert.equal(toBlockYaml("merge,retainKeys"), "merge,retainKeys\n");
  assert.equal(toBlockYaml("it's: odd"), "'it''s: odd'\n");
  assert.equal(toBlockYaml("two\nlines"), '"two\\nlines"\n');
  assert.equal(toBlockYaml([]), "[]\n");
  assert.equal(toBlockYaml([{ a: { b: 1 }, c: ["d"] }]), "- a:\n    b: 1\n  c:\n    - d\n");
});
