import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Json } from "homeostat/api";
import { said } from "../refusal.suite.ts";
import { applyMergePatch, decodeMergePatch } from "./merge-patch.ts";

describe("merge patch", () => {
  test("follows RFC 7386, except for nulls in what is put in place of an object", () => {
    const rows: readonly (readonly [Json, Json, Json])[] = [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
      [{ a: 1 }, { a: { b: null } }, { a: {} }],
      [{ a: 1 }, { a: [{ b: null }, null] }, { a: [{}, null] }],
      [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ];
    for (const [document, patch, result] of rows)
      assert.deepEqual(applyMergePatch(document, patch), result, JSON.stringify([document, patch]));
  });

  test("is idempotent and mutates nothing", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 2 })),
        fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 })),
        (document, patch) => {
          const before = JSON.stringify([document, patch]);
          // Nulls in a list that takes the place of an object stay the first time only.
          fc.pre(!JSON.stringify(patch).includes("null"));
          const once = applyMergePatch(document as Json, patch as Json);
          assert.deepEqual(applyMergePatch(once, patch as Json), once);
          assert.equal(JSON.stringify([document, patch]), before);
        },
      ),
    );
  });

  test("reads bodies, strictly or not", () => {
    assert.deepEqual(decodeMergePatch('{"a":{"b":1,"b":2}}', "Strict").strictErrors, [
      'duplicate field "a.b"',
    ]);
    for (const [text, fault] of [
      ["[1]", "json: cannot unmarshal array into Go value of type map[string]interface {}"],
      ["{", "unexpected end of JSON input"],
    ] as const)
      assert.equal(
        said(() => decodeMergePatch(text, "Strict")),
        `400 error decoding patch: ${fault}`,
      );
    for (const text of ["null", "5", "{"])
      assert.equal(
        said(() => decodeMergePatch(text, "Ignore")),
        "400 Invalid JSON Patch",
      );
    assert.deepEqual(decodeMergePatch("[1]", "Ignore").patch, [1]);
  });
});
