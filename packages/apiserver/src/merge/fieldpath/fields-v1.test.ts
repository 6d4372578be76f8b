import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "homeostat/api";
import {
  fieldElement,
  formatFieldPath,
  indexElement,
  keyElement,
  valueElement,
} from "./field-path.ts";
import { equalSets, fieldSetOf, pathsOf } from "./field-set.ts";
import { formatFieldsV1, parseFieldsV1 } from "./fields-v1.ts";

const scalar = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => text.toWellFormed()),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 62n }),
);
const element = fc.oneof(
  fc.string({ unit: "grapheme" }).map((name) => fieldElement(name.toWellFormed())),
  fc
    .dictionary(fc.constantFrom("name", "port", "a b"), scalar, { minKeys: 1 })
    .map((keys) => keyElement(Object.entries(keys).map(([name, value]) => ({ name, value })))),
  scalar.map(valueElement),
  fc.nat(100).map(indexElement),
);

test("any set survives FieldsV1", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 10 }),
      (paths) => {
        const set = fieldSetOf(paths);
        assert.ok(
          equalSets(parseFieldsV1(JSON.parse(JSON.stringify(formatFieldsV1(set))) as Json), set),
        );
      },
    ),
  );
});

test("a dot says that a field is a member besides others below it", () => {
  const set = fieldSetOf([["a"], ["a", "b"], ["c", "d"]].map((path) => path.map(fieldElement)));
  assert.equal(JSON.stringify(formatFieldsV1(set)), '{"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}}');
});

test("keys stand in the order of paths and are encoded with sorted names", () => {
  const port = (value: number) => [
    fieldElement("ports"),
    keyElement([
      { name: "protocol", value: "TCP" },
      { name: "port", value },
    ]),
  ];
  assert.equal(
    JSON.stringify(formatFieldsV1(fieldSetOf([port(443), port(80)]))),
    '{"f:ports":{"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{},"k:{\\"port\\":443,\\"protocol\\":\\"TCP\\"}":{}}}',
  );
});

test("characters that are unsafe in HTML are escaped inside values", () => {
  assert.deepEqual(formatFieldsV1(fieldSetOf([[valueElement("<&>")], [fieldElement("<")]])), {
    "f:<": {},
    'v:"\\u003c\\u0026\\u003e"': {},
  });
});

test("an empty object is a member, an empty top level is nothing", () => {
  assert.equal(parseFieldsV1({}).size, 0);
  assert.equal(parseFieldsV1(null).size, 0);
  assert.deepEqual(
    [...pathsOf(parseFieldsV1({ "f:a": {}, "f:b": null, "f:c": { ".": {} } }))].map(
      formatFieldPath,
    ),
    [".a", ".b", ".c"],
  );
});

test("forms of later versions are ignored, invalid ones are refused", () => {
  assert.equal(parseFieldsV1({ "q:new": {} }).size, 0);
  for (const bad of [
    { f: {} },
    { fa: {} },
    { "f:a": 1 },
    { "k:{": {} },
    { "k:5": {} },
    { "v:": {} },
    { "i:x": {} },
    "text",
  ] as Json[])
    assert.throws(() => parseFieldsV1(bad), { code: "ERR_MERGE_FAILED" }, JSON.stringify(bad));
});
