import assert from "node:assert/strict";
import { test } from "node:test";
import { compactJson } from "./compact-json.ts";
import { jsonWithoutManagedFields } from "./managed-fields.ts";

test("a body is copied as Go copies it: without spaces, with HTML escaped", () => {
  assert.equal(
    compactJson(' {"a b": "x \\" <y>", \n"n": [1.0, 2e5 ], "u": "\u2028&é\\u003c"}'),
    '{"a b":"x \\" \\u003cy\\u003e","n":[1.0,2e5],"u":"\\u2028\\u0026é\\u003c"}',
  );
});

test("managedFields are left out of objects, lists and Tables, and nowhere else", () => {
  const cases: readonly (readonly [json: string, without: string])[] = [
    [
      '{"kind":"A","metadata":{"name":"a","managedFields":[{"a":{"b":[1,"}"]}}],"uid":"x"},"spec":{"metadata":{"managedFields":[]}}}',
      '{"kind":"A","metadata":{"name":"a","uid":"x"},"spec":{"metadata":{"managedFields":[]}}}',
    ],
    [
      '{"metadata":{},"items":[{"metadata":{"managedFields":[{}],"z":1.0}},{"metadata":{"a":"managedFields","managedFields":[{}]}}]}',
      '{"metadata":{},"items":[{"metadata":{"z":1.0}},{"metadata":{"a":"managedFields"}}]}',
    ],
    [
      '{"rows":[{"cells":["a",{"metadata":{"managedFields":1}}],"object":{"metadata":{"managedFields":[]}}}]}',
      '{"rows":[{"cells":["a",{"metadata":{"managedFields":1}}],"object":{"metadata":{}}}]}',
    ],
  ];
  for (const [json, without] of cases) assert.equal(jsonWithoutManagedFields(json), without);
});
