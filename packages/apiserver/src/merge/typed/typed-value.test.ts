// Validation, field sets, comparison, merge and removal of typed values, on one schema with every
// kind of field.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "homeostat/api";
import { compareTyped } from "./compare-typed.ts";
import { fieldElement } from "../fieldpath/field-path.ts";
import { paths } from "../fieldpath/field-set.suite.ts";
import { type FieldSet, fieldSetOf } from "../fieldpath/field-set.ts";
import { toFieldSet } from "./to-field-set.ts";
import { parseFieldsV1 } from "../fieldpath/fields-v1.ts";
import { mergeTyped } from "./merge-typed.ts";
import { reconcileFieldSet } from "./reconcile-field-set.ts";
import { extractItems, removeItems } from "./remove-items.ts";
import { smdFromJsonSchema } from "./smd-from-json-schema.ts";
import { deducedType, type SmdType } from "../../apimachinery/types/smd-type.ts";
import { formatTypedErrors } from "./typed-error.ts";
import { type Duplicates, validateTyped } from "./validate-typed.ts";
import { type } from "./typed-value.suite.ts";

const faults = (value: Json, duplicates: Duplicates = "refused"): string =>
  formatTypedErrors(validateTyped(type, value, duplicates));

test("faults read as upstream's", () => {
  const rows: readonly (readonly [Json, string])[] = [
    [{ struct: { z: 1 } }, ".struct.z: field not declared in schema"],
    [{ n: "1" }, ".n: expected numeric (int or float), got string"],
    [{ n: { a: 1 } }, ".n: expected numeric (int or float), got map[string]interface {}"],
    [{ s: 5 }, ".s: expected string, got &value.valueUnstructured{Value:5}"],
    [
      { s: ["a", 1.5] },
      '.s: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", 1.5}}',
    ],
    [{ b: "yes" }, ".b: expected boolean, got &{yes}"],
    [{ set: { a: 1 } }, ".set: expected list, got &{map[a:1]}"],
    [{ struct: ["a", null] }, ".struct: expected map, got &{[a <nil>]}"],
    [
      { set: [{}] },
      ".set: element 0: associative list without keys has an element that's a map type",
    ],
    [{ set: [["x"]] }, ".set: element 0: not supported: associative list with lists as elements"],
    [
      { set: ["a", null] },
      ".set: element 1: associative list without keys has an element that's an explicit null",
    ],
    [{ set: ["a", "a"] }, '.set: duplicate entries for key [="a"]'],
    [{ list: [null] }, ".list: element 0: associative list with keys may not have a null element"],
    [{ list: [5] }, ".list: element 0: associative list with keys may not have non-map elements"],
    [
      { list: [{ name: "a" }, { name: "a", kind: "k" }] },
      '.list: duplicate entries for key [kind="k",name="a"]',
    ],
    [
      { two: [{}] },
      '.two: element 0: associative list with keys has an element that omits all key fields ["a" "b"] (and doesn\'t have default values for any key fields)',
    ],
    [
      { list: [{ name: "a", v: "x" }] },
      '.list[kind="k",name="a"].v: expected numeric (int or float), got string',
    ],
    [{ atoms: [{}, { y: 1 }] }, ".atoms[1].y: field not declared in schema"],
    [
      { n: "a", s: 1 },
      "errors:\n  .n: expected numeric (int or float), got string\n  .s: expected string, got &value.valueUnstructured{Value:1}",
    ],
    [[], "expected map, got &{[]}"],
  ];
  for (const [value, text] of rows) assert.equal(faults(value), text);
});

test("null fits everywhere, and live objects may hold duplicates", () => {
  assert.deepEqual(
    validateTyped(
      type,
      {
        n: null,
        s: null,
        set: null,
        list: null,
        struct: null,
        free: null,
        either: null,
        map: { a: null },
      },
      "refused",
    ),
    [],
  );
  assert.deepEqual(
    validateTyped(type, { set: ["a", "a"], list: [{ name: "a" }, { name: "a" }] }, "allowed"),
    [],
  );
});

test("an intent claims leaves, items, map keys and empty maps", () => {
  assert.deepEqual(
    paths(
      toFieldSet(type, {
        n: 1,
        s: null,
        set: ["a"],
        list: [{ name: "x", v: 1 }],
        atoms: [{ x: "1" }],
        atomic: { x: 1 },
        map: { k: "v" },
        struct: { x: "1" },
        free: { a: { b: [1] }, c: {} },
        either: "x",
      }),
    ),
    [
      ".atomic",
      ".atoms",
      ".either",
      ".free.a",
      ".free.a.b",
      ".free.c",
      '.list[kind="k",name="x"]',
      '.list[kind="k",name="x"].name',
      '.list[kind="k",name="x"].v',
      ".map.k",
      ".n",
      ".s",
      '.set[="a"]',
      ".struct.x",
    ],
  );
  assert.deepEqual(paths(toFieldSet(type, { set: [], list: [], map: {}, struct: {} })), [
    ".map",
    ".struct",
  ]);
  assert.deepEqual(paths(toFieldSet(type, { list: [{ name: "x", v: 1 }, { name: "x" }] })), [
    '.list[kind="k",name="x"]',
  ]);
});

test("a comparison finds added, changed and removed fields", () => {
  const compare = (left: Json, right: Json): readonly string[][] => {
    const { added, modified, removed } = compareTyped(type, left, right);
    return [paths(added), paths(modified), paths(removed)];
  };
  assert.deepEqual(
    compare({ n: 1, s: "a", map: { a: "1", b: "2" } }, { n: 2, map: { b: "2", c: "3" } }),
    [[".map.c"], [".n"], [".map.a", ".s"]],
  );
  assert.deepEqual(compare({ set: ["a", "b"] }, { set: ["b", "c"] }), [
    ['.set[="c"]'],
    [],
    ['.set[="a"]'],
  ]);
  assert.deepEqual(compare({}, { struct: { x: "1" } }), [[".struct", ".struct.x"], [], []]);
  assert.deepEqual(compare({ struct: null }, { struct: { x: "1" } }), [[".struct.x"], [], []]);
  assert.deepEqual(compare({ struct: null }, { struct: {} }), [[], [".struct"], []]);
  assert.deepEqual(
    compare({ atomic: { x: 1 }, atoms: [{ x: "1" }] }, { atomic: { x: 2 }, atoms: [] }),
    [[], [".atomic", ".atoms"], []],
  );
  assert.deepEqual(compare({ free: { a: 1 } }, { free: { a: { b: 1 } } }), [
    [".free.a.b"],
    [".free.a"],
    [],
  ]);
  assert.deepEqual(compare({ either: 1 }, { either: "1" }), [[], [".either"], []]);
});

test("duplicates are compared as a whole", () => {
  const compare = (left: Json, right: Json): readonly string[][] => {
    const { added, modified, removed } = compareTyped(type, { list: left }, { list: right });
    return [paths(added), paths(modified), paths(removed)];
  };
  const x = (v: number): Json => ({ name: "x", v });
  const at = '.list[kind="k",name="x"]';
  assert.deepEqual(compare([x(1), x(2)], [x(1), x(2)]), [[], [], []]);
  assert.deepEqual(compare([x(1), x(2)], [x(1), x(3)]), [[], [at], []]);
  assert.deepEqual(compare([x(1), x(2)], [x(1)]), [[at, `${at}.name`, `${at}.v`], [], [at]]);
  assert.deepEqual(compare([x(1)], [x(1), x(2)]), [[at], [], [at, `${at}.name`, `${at}.v`]]);
});

test("lists are merged in an order that honours the intent and the live object", () => {
  const rows: readonly (readonly [live: string, intent: string, merged: string])[] = [
    ["ab", "c", "abc"],
    ["ab", "cb", "acb"],
    ["abc", "cba", "cba"],
    ["abcd", "db", "acdb"],
    ["", "ba", "ba"],
    ["ba", "", "ba"],
    ["abcde", "xaye", "xabcdye"],
    ["adbe", "abc", "adbec"],
    ["abc", "bx", "abcx"],
    ["bca", "ab", "cab"],
  ];
  for (const [live, intent, merged] of rows)
    assert.deepEqual(
      mergeTyped(type, { set: [...live] }, { set: [...intent] }),
      { set: [...merged] },
      `${live} with ${intent}`,
    );
});

test("items are merged by key, and duplicates give way to the intent's item", () => {
  assert.deepEqual(
    mergeTyped(
      type,
      { list: [{ name: "a", v: 1 }, { name: "b" }] },
      { list: [{ name: "a", kind: "k" }] },
    ),
    { list: [{ name: "a", v: 1, kind: "k" }, { name: "b" }] },
  );
  assert.deepEqual(
    mergeTyped(
      type,
      { list: [{ name: "a", v: 1 }, { name: "b" }, { name: "a", v: 2 }] },
      { list: [{ name: "a" }] },
    ),
    { list: [{ name: "a" }, { name: "b" }] },
  );
  assert.throws(() => mergeTyped(type, {}, { set: ["a", "a"] }), {
    message: 'failed to merge config: .set: duplicate entries for key [="a"]',
  });
});

test("removal takes named fields and empties to null", () => {
  const of = (...names: string[]): FieldSet =>
    fieldSetOf(names.map((name) => name.split(".").map(fieldElement)));
  assert.deepEqual(removeItems(type, { n: 1, map: { a: "1", b: "2" } }, of("map.a")), {
    n: 1,
    map: { b: "2" },
  });
  assert.deepEqual(removeItems(type, { n: 1, map: { a: "1" } }, of("map.a")), { n: 1, map: null });
  assert.deepEqual(
    removeItems(type, { set: ["a", "b"] }, parseFieldsV1({ "f:set": { 'v:"a"': {} } })),
    { set: ["b"] },
  );
  assert.deepEqual(
    extractItems(
      type,
      { n: 1, set: ["a", "b"], atomic: { x: 1 } },
      parseFieldsV1({ "f:set": { 'v:"a"': {} }, "f:atomic": {} }),
    ),
    { set: ["a"], atomic: { x: 1 } },
  );
});

test("fields that became atomic are owned as a whole, those that became granular stay", () => {
  const granular: SmdType = smdFromJsonSchema(
    {
      properties: {
        spec: {
          type: "object",
          properties: {
            m: { type: "object", properties: { a: { type: "string" } } },
            l: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
          },
        },
      },
    },
    { objectMeta: deducedType },
  );
  const atomic: SmdType = smdFromJsonSchema(
    {
      properties: {
        spec: {
          type: "object",
          properties: {
            m: {
              type: "object",
              "x-kubernetes-map-type": "atomic",
              properties: { a: { type: "string" } },
            },
            l: { type: "array", items: { type: "string" } },
          },
        },
      },
    },
    { objectMeta: deducedType },
  );
  const byField = parseFieldsV1({ "f:spec": { "f:m": { "f:a": {} }, "f:l": { 'v:"x"': {} } } }),
    whole = parseFieldsV1({ "f:spec": { "f:m": {}, "f:l": {} } });
  assert.deepEqual(paths(reconcileFieldSet(byField, atomic)), [".spec.l", ".spec.m"]);
  assert.equal(reconcileFieldSet(byField, granular), byField);
  assert.equal(reconcileFieldSet(whole, granular), whole);
  assert.equal(reconcileFieldSet(whole, atomic), whole);
});
