// Both ways through JSON have a fast path and an exact one; the two must not differ.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareBytewise, encodeJson } from "./encode-json.ts";
import { isObject, type Json } from "./json.ts";
import { parseJson } from "./parse-json.ts";

/** One level at a time, without any fast path. */
function encodeSimply(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(encodeSimply).join(",")}]`;
  if (!isObject(value)) return encodeJson(value);
  const keys = Object.keys(value).sort(compareBytewise);
  return `{${keys.map((key) => `${encodeJson(key)}:${encodeSimply(value[key]!)}`).join(",")}}`;
}

const key = fc.oneof(
  fc.constantFrom("a", "b", "10", "9", "__proto__", "<", "\ud83d\ude00", "\uffff", "z"),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const scalar = fc.oneof(
  fc.constantFrom<Json>(null, true, 0, -0, 1e21, 1e-7, 2n ** 62n, "\ud800", "<&>", "\u2028", "é"),
  fc.string({ unit: "binary" }),
  fc.integer(),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(key, tie("json"), { maxKeys: 6, noNullPrototype: true }),
  ),
}));

test("keys are in bytewise order, whatever the fast path can do", () => {
  fc.assert(
    fc.property(json, (value) => assert.equal(encodeJson(value), encodeSimply(value))),
    { numRuns: 3000 },
  );
});

test("encoding leaves its argument as it is", () => {
  const value = { b: { z: 1, y: 2 }, a: [{ d: 1, c: 2 }] };
  assert.equal(encodeJson(value), '{"a":[{"c":2,"d":1}],"b":{"y":2,"z":1}}');
  assert.deepEqual(Object.keys(value), ["b", "a"]);
  assert.deepEqual(Object.keys(value.b), ["z", "y"]);
});

test("a compact text is parsed as the same text with a space is", () => {
  const texts = fc.oneof(
    json.map(encodeJson),
    fc.json({ stringUnit: "binary" }),
    fc.constantFrom(
      '{"a":1,"a":2}',
      '{"n":1.0}',
      '{"n":1e3}',
      '{"n":1E3}',
      '{"n":1e+21}',
      '{"n":[9007199254740993,-9007199254740993]}',
      '{"n":10000000000000000}',
      "9007199254740992",
      '{"n":12345678901234567890}',
      '{"s":"\\ud800"}',
      '{"s":"\\uD83D\\uDE00"}',
      '{"\\n":1,"n":2}',
      '{"n":-0}',
      '{"a":1}\n',
      '{"a":1}\n\n',
      '{"a":1}x',
      "",
      "{",
    ),
  );
  const outcome = (text: string): unknown => {
    try {
      return parseJson(text, { overflow: "kept" });
    } catch (error) {
      return (error as Error).message;
    }
  };
  fc.assert(
    fc.property(texts, (text) => {
      const { duplicatesAfter: _, ...exact } = outcome(` ${text}`) as ReturnType<typeof parseJson>;
      const { duplicatesAfter: __, ...fast } = outcome(text) as ReturnType<typeof parseJson>;
      assert.deepEqual(fast, exact);
    }),
    { numRuns: 3000 },
  );
});
