import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "homeostat/api";
import { compileSchema } from "../structural/compile-schema.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { validateListSetsAndMaps } from "./validate-list-sets-and-maps.ts";

const faults = (schema: JsonSchemaProps, list: Json): readonly string[] =>
  validateListSetsAndMaps(
    { l: list },
    compileSchema({ type: "object", properties: { l: { type: "array", ...schema } } }),
  ).map(({ field, body }) => `${field}: ${body}`);

test("a set reports each repeated value once, at its second place", () => {
  const set: JsonSchemaProps = { "x-kubernetes-list-type": "set", items: { type: "string" } };
  assert.deepEqual(faults(set, ["a", "b", "a", "a", "b"]), [
    'l[2]: Duplicate value: "a"',
    'l[4]: Duplicate value: "b"',
  ]);
  assert.deepEqual(faults(set, [1, "1", null, { a: 1 }, '{"a":1}']), []);
  assert.deepEqual(
    faults(set, [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
    ['l[1]: Duplicate value: {"a":1,"b":2}'],
  );
});

test("a map list goes by its keys, absent ones included", () => {
  const map: JsonSchemaProps = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k", "p"],
    items: { type: "object" },
  };
  assert.deepEqual(faults(map, [{ k: "a" }, { k: "a", p: 1 }, { k: "a", v: 2 }]), [
    'l[2]: Duplicate value: {"k":"a"}',
  ]);
  assert.deepEqual(faults(map, [{}, null]), ["l[1]: Duplicate value: {}"]);
  assert.deepEqual(faults(map, [{ k: "a" }, "x"]), [
    'l[1]: Invalid value: "x": must be an object for an array of list-type map',
  ]);
});

test("lists below lists and maps are found", () => {
  const inner: JsonSchemaProps = {
    type: "array",
    "x-kubernetes-list-type": "set",
    items: { type: "integer" },
  };
  assert.deepEqual(
    faults({ items: { type: "object", additionalProperties: inner } }, [{ x: [1, 1] }]),
    ["l[0][x][1]: Duplicate value: 1"],
  );
});
