import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";
import { findSchemaAtPath } from "./schema-at-path.ts";

const schema: JsonSchemaProps = {
  type: "object",
  properties: {
    a: { type: "string" },
    "b.c": { type: "integer" },
    m: { type: "object", additionalProperties: { type: "boolean" } },
  },
};
const find = (path: string, arrays: "allowed" | "refused" = "allowed"): string => {
  const found = findSchemaAtPath(path, schema, { arrays });
  return "fault" in found ? found.fault : `${found.path.join("|")}=${found.schema?.type}`;
};

test("paths lead along properties and maps", () => {
  assert.equal(find(".a"), "a=string");
  assert.equal(find("['b.c']"), "b.c=integer");
  assert.equal(find(".m.any"), "m|any=boolean");
});

test("paths that lead nowhere say why", () => {
  assert.equal(find(".z"), "does not refer to a valid field");
  assert.equal(find(".a.z"), "does not refer to a valid field");
  assert.equal(find("a"), "expected [ or . but got: a");
  assert.equal(find("."), "unexpected end of JSON path");
  assert.equal(find("[a]"), "expected single quoted string but got a");
  assert.equal(find("['a']", "refused"), "array notation is not allowed");
});
