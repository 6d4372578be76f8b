import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { validateStructural } from "./structural-schema.ts";

const faults = (schema: JsonSchemaProps): string[] =>
  validateStructural(schema, "s").map((error) => `${error.field}: ${error.body}`);
const within = (property: JsonSchemaProps): JsonSchemaProps => ({
  type: "object",
  properties: { x: property },
});

test("types are asked for everywhere but beside the two extensions", () => {
  assert.deepEqual(faults({}), ["s.type: Required value: must not be empty at the root"]);
  assert.deepEqual(faults(within({})), [
    "s.properties[x].type: Required value: must not be empty for specified object fields",
  ]);
  assert.deepEqual(faults(within({ type: "array", items: {} })), [
    "s.properties[x].items.type: Required value: must not be empty for specified array items",
  ]);
  assert.deepEqual(faults(within({ "x-kubernetes-int-or-string": true })), []);
  assert.deepEqual(faults(within({ "x-kubernetes-preserve-unknown-fields": true })), []);
});

test("branches hold value validation only, save for the two int-or-string forms", () => {
  const branches: readonly JsonSchemaProps[] = [{ type: "integer" }, { type: "string" }];
  assert.deepEqual(faults(within({ "x-kubernetes-int-or-string": true, anyOf: branches })), []);
  assert.deepEqual(
    faults(
      within({
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: branches }, { pattern: "a" }],
      }),
    ),
    [],
  );
  assert.deepEqual(faults(within({ type: "integer", anyOf: [{ type: "integer", minimum: 1 }] })), [
    "s.properties[x].anyOf[0].type: Forbidden: must be empty to be structural",
  ]);
});

test("metadata of the root may restrict names, nothing else", () => {
  assert.deepEqual(
    faults({
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string" } } } },
    }),
    [],
  );
  assert.deepEqual(
    faults({
      type: "object",
      properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
    }),
    [
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  );
});

test("completeness is asked of the root's branches only", () => {
  assert.deepEqual(faults({ type: "object", oneOf: [{ properties: { a: { minimum: 1 } } }] }), [
    "s.properties[a]: Required value: because it is defined in s.oneOf[0].properties[a]",
  ]);
  assert.deepEqual(
    faults(within({ type: "object", oneOf: [{ properties: { a: { minimum: 1 } } }] })),
    [],
  );
});

test("faults come sorted by their text", () => {
  const texts = faults({
    type: "string",
    additionalProperties: true,
    nullable: true,
    properties: { b: {}, a: {} },
  });
  assert.deepEqual(texts, [...texts].sort());
  assert.equal(texts.length, 4);
});
