import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeOpenApiThree } from "./openapi-document-v3.ts";
import { fieldsAt, textsAt } from "./testdata/read-fields.ts";

const ref = { $ref: "#/components/schemas/Thing" };

const bytes = encodeOpenApiThree({
  openapi: "3.0.0",
  info: { title: "Kubernetes", version: "1" },
  paths: {
    "/things": {
      parameters: [{ name: "limit", in: "query", schema: { type: "integer", uniqueItems: true } }],
      post: {
        operationId: "createThing",
        requestBody: { content: { "*/*": { schema: ref } }, required: true },
        responses: {
          "201": { description: "Created", content: { "application/json": { schema: ref } } },
          "401": { description: "Unauthorized" },
        },
        "x-kubernetes-action": "post",
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: {
          some: { type: "integer", default: 0 },
          more: { type: "object", default: {}, allOf: [ref] },
          none: { type: "object", additionalProperties: false },
          list: { type: "array", items: ref, enum: ["A"] },
        },
        "x-kubernetes-group-version-kind": [{ group: "", kind: "Thing", version: "v1" }],
      },
    },
    securitySchemes: { BearerToken: { type: "apiKey", name: "authorization", in: "header" } },
  },
});
const thing = fieldsAt(bytes, 5, 1, 1, 2, 1)[0]!;

test("members of a document lie where OpenAPIv3.proto puts them", () => {
  assert.deepEqual(
    [textsAt(bytes, 1), textsAt(bytes, 2, 1), textsAt(bytes, 2, 6)],
    [["3.0.0"], ["Kubernetes"], ["1"]],
  );
  assert.deepEqual(textsAt(bytes, 4, 1, 1), ["/things"]);
  assert.deepEqual(textsAt(bytes, 5, 7, 1, 2, 1, 3), ["authorization"]);
  assert.deepEqual(textsAt(thing, 36, 2, 2), [`- group: ""\n  kind: Thing\n  version: v1\n`]);
});

test("operations refer to shared parameters, bodies and responses", () => {
  const post = fieldsAt(bytes, 4, 1, 2, 6)[0]!;
  assert.deepEqual(textsAt(post, 5), ["createThing"]);
  assert.deepEqual(textsAt(post, 7, 1, 2, 1, 2, 1, 2, 1), ["#/components/schemas/Thing"]);
  assert.deepEqual(textsAt(post, 8, 2, 1), ["201", "401"]);
  assert.deepEqual(textsAt(post, 8, 2, 2, 1, 1), ["Created", "Unauthorized"]);
  assert.deepEqual(textsAt(post, 13, 1), ["x-kubernetes-action"]);
});

test("a default is a number, a boolean, a text, or empty; false is written inside a choice", () => {
  const property = (index: number, ...path: readonly number[]): readonly Uint8Array[] =>
    fieldsAt(fieldsAt(thing, 31, 1, 2, 1)[index]!, ...path);
  assert.deepEqual(
    [0, 1].map((index) => property(index, 33).map((each) => each.length)),
    [[9], [0]],
  );
  assert.deepEqual(property(2, 32), [Uint8Array.of(0x10, 0)]);
  assert.deepEqual(textsAt(property(3, 30)[0]!, 1, 2, 1), ["#/components/schemas/Thing"]);
  assert.deepEqual(
    property(3, 24).map((each) => new TextDecoder().decode(each).slice(2)),
    ["A\n"],
  );
});
