import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { applyDefaults, pruneNulls } from "./apply-defaults.ts";
import { compileSchema } from "../structural/compile-schema.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";

const filled = (properties: Record<string, JsonSchemaProps>, object: JsonObject): JsonObject => {
  const node = compileSchema({ type: "object", properties });
  pruneNulls(object, node);
  applyDefaults(object, node);
  return object;
};

test("absent fields are filled, and defaults inside a default too", () => {
  const schema: Record<string, JsonSchemaProps> = {
    a: { type: "string", default: "x" },
    o: { type: "object", default: {}, properties: { i: { type: "integer", default: 3 } } },
    p: { type: "object", properties: { i: { type: "integer", default: 3 } } },
  };
  assert.deepEqual(filled(schema, {}), { a: "x", o: { i: 3 } });
  assert.deepEqual(filled(schema, { a: "", o: { i: 1 }, p: {} }), {
    a: "",
    o: { i: 1 },
    p: { i: 3 },
  });
});

test("null without nullable is dropped or takes its default; in a list it stays without one", () => {
  const schema: Record<string, JsonSchemaProps> = {
    plain: { type: "string" },
    withDefault: { type: "string", default: "d" },
    nullable: { type: "string", nullable: true, default: "d" },
    list: { type: "array", items: { type: "string" } },
    filledList: { type: "array", items: { type: "string", default: "d" } },
    map: { type: "object", additionalProperties: { type: "string" } },
  };
  assert.deepEqual(
    filled(schema, {
      plain: null,
      withDefault: null,
      nullable: null,
      list: [null],
      filledList: [null, "x"],
      map: { k: null },
    }),
    {
      withDefault: "d",
      nullable: null,
      list: [null],
      filledList: ["d", "x"],
      map: {},
    },
  );
});

test("defaults are copies, and hold valid values only", () => {
  const schema: Record<string, JsonSchemaProps> = {
    o: { type: "object", default: { a: "x", odd: 1 }, properties: { a: { type: "string" } } },
  };
  const node = compileSchema({ type: "object", properties: schema });
  const [first, second]: [JsonObject, JsonObject] = [{}, {}];
  applyDefaults(first, node);
  applyDefaults(second, node);
  (first.o as JsonObject).a = "changed";
  assert.deepEqual(second, { o: { a: "x" } });
});
