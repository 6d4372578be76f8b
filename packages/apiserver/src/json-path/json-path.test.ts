import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "homeostat/api";
import { findJsonPath } from "./find-json-path.ts";
import { parseJsonPath } from "./parse-json-path.ts";
import { printJsonPathValues } from "./print-json-path.ts";

const data: Json = {
  s: "text",
  i: 4,
  n: null,
  arr: ["a", "b", "c"],
  list: [{ n: "one", v: 1 }, { n: "two", v: 2, x: 1.5 }, { n: "three" }],
  "do.t": 1,
  o: { a: 1, b: [1] },
};
const find = (path: string): readonly (readonly Json[])[] =>
  findJsonPath(parseJsonPath(path), data, { missingKeys: "allowed" });

const found: readonly (readonly [string, ...Json[]])[] = [
  ["{.s}", "text"],
  ["{$.s}", "text"],
  ["{.n}", null],
  ["{.n.deep}"],
  ["{.miss.deep}"],
  ["{.arr[0]}", "a"],
  ["{.arr[-1]}", "c"],
  ["{.arr[1:3]}", "b", "c"],
  ["{.arr[0:3:2]}", "a", "c"],
  ["{.arr[*]}", "a", "b", "c"],
  ["{.arr[0,2]}", "a", "c"],
  ["{.arr[0:0]}"],
  ["{.o['a']}", 1],
  ["{['s','i']}", "text", 4],
  ["{.do\\.t}", 1],
  ['{.list[?(@.n=="two")].v}', 2],
  ["{.list[?(@.v>1)].n}", "two"],
  ["{.list[?(@.v)].n}", "one", "two"],
  ["{..v}", 1, 2],
];
for (const [path, ...values] of found) test(path, () => assert.deepEqual(find(path), [values]));

test("a range repeats its block, text stays between", () => {
  const results = find('{range .list[*]}{.n}{"="}{end}done');
  assert.equal(results.map(printJsonPathValues).join(""), "one=two=three=done");
});

test("composites print as JSON, null says so", () => {
  assert.equal(printJsonPathValues(find("{.o}")[0]!), '{"a":1,"b":[1]}');
  assert.equal(printJsonPathValues(find("{.n}")[0]!), "<no value>");
});

const failing: readonly (readonly [string, string])[] = [
  ["{.arr[9]}", "array index out of bounds: index 9, length 3"],
  ["{.s[0]}", "string is not array or slice"],
  ["{.list[?(@.v==1.0)]}", "incompatible types for comparison"],
  ["{.o[?(@.a)]}", "map[a:1 b:[1]] is not array or slice and cannot be filtered"],
  ["{end}", "not in range, nothing to end"],
  ["{nonsense}", "unrecognized identifier nonsense"],
];
for (const [path, message] of failing)
  test(`${path} fails`, () => assert.throws(() => find(path), { name: "JsonPathError", message }));
test("a missing key is an error where it is not allowed", () =>
  assert.throws(() => findJsonPath(parseJsonPath("{.miss}"), data, { missingKeys: "error" }), {
    message: "miss is not found",
  }));

const broken: readonly (readonly [string, string])[] = [
  ["{.s", "unclosed action"],
  ["{.arr[0}", "unterminated array"],
  ["{.arr[x]}", "invalid array index x"],
  ["{.arr[-]}", "array index - is not a number"],
  ["{.list[?(@.n}", "unterminated filter"],
  ["{.list[?(@.n)}", "unclosed array expect ]"],
  ['{"x}', "unterminated quoted string"],
  ["{....s}", "invalid multiple recursive descent"],
  ["{!}", "unrecognized character in action: U+0021 '!'"],
  ["{+}", "cannot parse number +"],
];
for (const [path, message] of broken)
  test(`${path} does not parse`, () =>
    assert.throws(() => parseJsonPath(path), { name: "JsonPathSyntaxError", message }));
