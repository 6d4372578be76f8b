// Values as deep as encoding/json takes them, and bodies that are meant to hurt.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJson } from "./encode-json.ts";
import { jsonDepthFault } from "./json-depth.ts";
import { cloneJson, equalJson, type Json } from "./json.ts";
import { JsonSyntaxError, parseJson } from "./parse-json.ts";

const lists = (depth: number, inside = ""): string =>
  "[".repeat(depth) + inside + "]".repeat(depth);
const objects = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);

test("ten thousand levels are read, and one more is not", () => {
  for (const text of [lists(10_000), objects(10_000)])
    assert.equal(encodeJson(parseJson(text).value), text);
  assert.throws(
    () => parseJson(lists(10_001)),
    new JsonSyntaxError("invalid character '[' exceeded max depth"),
  );
  assert.throws(
    () => parseJson(objects(10_001)),
    new JsonSyntaxError("invalid character '{' exceeded max depth"),
  );
});

test("deep values are encoded, copied and compared", () => {
  const inside = '{"a":[1,{"\\u003c":"é"},[]],"b":{"c":null},"d":[{},2]}';
  for (const depth of [198, 199, 200, 201, 202, 5000]) {
    const { value } = parseJson(lists(depth, inside));
    assert.equal(encodeJson(value), lists(depth, inside));
    const copy = cloneJson(value);
    assert.ok(copy !== value && equalJson(copy, value));
    for (const other of [
      inside.replace("null", "0"),
      inside.replace("{},", ""),
      inside.replace('"d"', '"e"'),
    ]) {
      assert.equal(
        equalJson(parseJson(lists(depth, other)).value, value),
        false,
        `${depth}: ${other}`,
      );
    }
  }
});

test("a value without an end is refused, and called what it is", () => {
  const cyclic: { self?: Json } = {};
  cyclic.self = [1, { cyclic: cyclic as Json }];
  assert.throws(() => cloneJson(cyclic as Json), RangeError);
  assert.equal(jsonDepthFault({ a: cyclic }), "contains itself");
  assert.throws(() => cloneJson(nested(10_001)), RangeError);
  assert.equal(jsonDepthFault(nested(10_001)), "is deeper than 10000 levels");
  const { value } = parseJson(lists(10_000));
  assert.ok(equalJson(cloneJson(value), value));
  assert.equal(jsonDepthFault(value), undefined);
  const shared = { a: 1 };
  assert.equal(jsonDepthFault([shared, { shared }, shared]), undefined);
});

function nested(depth: number): Json {
  let value: Json = [];
  for (let i = 1; i < depth; i++) value = [value];
  return value;
}

test("a member named __proto__ is an ordinary member at any depth", () => {
  const text = lists(300, '{"__proto__":{"a":1}}');
  const copy = cloneJson(parseJson(text).value);
  assert.equal(encodeJson(copy), text);
  let innermost: Json = copy;
  while (Array.isArray(innermost)) innermost = innermost[0]!;
  assert.deepEqual(Object.keys(innermost as object), ["__proto__"]);
});

test("reports duplicates and floats by path, up to a limit far above real objects", () => {
  const { duplicates, duplicatesAfter, floatLiterals } = parseJson(
    '{"a":[{"x":1,"x":2},[1.0]],"a":{"":{"y":1e3}},"b":[3.0]}',
  );
  assert.deepEqual(
    [duplicates, duplicatesAfter],
    [
      ["a[0].x", "a"],
      ["a[0].x", "a[0].x"],
    ],
  );
  assert.deepEqual([...floatLiterals.keys()], ["a[1][0]", "a..y", "b[0]"]);
  const long = "k".repeat(200_000);
  const many = parseJson(`{"${long}":[${"1.0,".repeat(50_000)}{${'"a":1,'.repeat(50_000)}"a":1}]}`);
  assert.ok(many.floatLiterals.size < 100 && many.duplicates.length < 100);
});
