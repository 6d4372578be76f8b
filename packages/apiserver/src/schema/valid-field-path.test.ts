import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchemaProps } from "./json-schema-props.ts";
import { validFieldPath } from "./valid-field-path.ts";

const schema: JsonSchemaProps = {
  type: "object",
  properties: {
    a: { type: "string" },
    "b.c": { type: "integer" },
    m: { type: "object", additionalProperties: { type: "boolean" } },
  },
};
const find = (path: string, arrays: "allowed" | "refused" = "allowed"): string => {
  const found = validFieldPath(path, schema, { arrays });
  return "fault" in found ? found.fault : `${found.names.join("|")}=${found.schema?.type}`;
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
  assert.equal(find("['a"), "expected single quoted string but got 'a");
  assert.equal(find("['a.b[c]"), "expected single quoted string but got 'a.b[c]");
  assert.equal(find("['a'"), "unexpected end of JSON path");
  assert.equal(find("['a'x"), "expected ] but got x");
  assert.equal(find("['\\q']"), "invalid string literal: invalid escape char \\q");
});

test("paths print as field errors do", () => {
  const found = validFieldPath(".m['it\\'s']", schema);
  assert.equal("path" in found && found.path, "m[it's]");
});
