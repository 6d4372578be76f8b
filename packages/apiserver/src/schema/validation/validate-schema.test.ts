import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json, JsonObject } from "homeostat/api";
import { acceptsValue } from "./accepts-value.ts";
import { compileSchema } from "../structural/compile-schema.ts";
import { CorrelatedObject } from "./correlated-object.ts";
import { explainValue } from "./explain-value.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { blockingError, validateSchema } from "./validate-schema.ts";

/** Breaches of one field `f`, as `reason path: body`. */
const faults = (schema: JsonSchemaProps, value: Json): readonly string[] =>
  validateSchema({ f: value }, compileSchema({ type: "object", properties: { f: schema } })).map(
    ({ type, field, body }) => `${type.replace("FieldValue", "")} ${field}: ${body}`,
  );

const cases: readonly (readonly [JsonSchemaProps, Json, ...string[]])[] = [
  [
    { type: "string" },
    1,
    'TypeInvalid f: Invalid value: "integer": f in body must be of type string: "integer"',
  ],
  [
    { type: "string" },
    null,
    'TypeInvalid f: Invalid value: "null": f in body must be of type string: "null"',
  ],
  [
    { type: "integer" },
    1.5,
    'TypeInvalid f: Invalid value: "number": f in body must be of type integer: "number"',
    'Invalid <nil>: Invalid value: "": Checked value must be of type integer (default format) in f',
  ],
  [
    { type: "integer", format: "int32" },
    2 ** 31,
    'Invalid <nil>: Invalid value: "": Checked value must be of type integer with format int32 in f',
  ],
  [
    { type: "integer", format: "int64" },
    -(2 ** 63),
    'TypeInvalid f: Invalid value: "float64": f in body must be of type int64: "float64"',
    'Invalid <nil>: Invalid value: "": Checked value must be of type integer with format int64 in f',
  ],
  [
    { "x-kubernetes-int-or-string": true },
    true,
    'TypeInvalid f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"',
  ],
  [{ type: "string", "x-kubernetes-int-or-string": true }, 7],
  [
    { type: "string", format: "date" },
    "soon",
    'TypeInvalid f: Invalid value: "soon": f in body must be of type date: "soon"',
  ],
  [{ type: "string", maxLength: 1 }, "ab", "TooLong f: Too long: may not be more than 1 byte"],
  [
    { type: "string", minLength: 2 },
    "😀",
    'Invalid f: Invalid value: "😀": f in body should be at least 2 chars long',
  ],
  [
    { type: "string", pattern: "^a+$" },
    "b",
    "Invalid f: Invalid value: \"b\": f in body should match '^a+$'",
  ],
  [
    { type: "string", enum: ["x", "y"] },
    "z",
    'NotSupported f: Unsupported value: "z": supported values: "x", "y"',
  ],
  [
    { type: "number", maximum: 1.5 },
    1.6,
    "Invalid f: Invalid value: 1.6: f in body should be less than or equal to 1.5",
  ],
  // Integers are compared with the whole part of a limit.
  [
    { type: "number", maximum: 1.5 },
    2,
    "Invalid f: Invalid value: 2: f in body should be less than or equal to 1",
  ],
  [
    { type: "number", multipleOf: 0.5 },
    1,
    "Invalid f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0",
  ],
  [
    { type: "integer", minimum: 1, exclusiveMinimum: true },
    1,
    "Invalid f: Invalid value: 1: f in body should be greater than 1",
  ],
  [
    { type: "array", items: { type: "string" }, maxItems: 1 },
    ["a", "b"],
    "TooMany f: Too many: 2: must have at most 1 item",
  ],
  [
    { type: "object", minProperties: 1 },
    {},
    "Invalid f: Invalid value: 0: f in body should have at least 1 properties",
  ],
  [{ type: "object", required: ["a"] }, {}, "Required f.a: Required value"],
  [
    { type: "integer", anyOf: [{ minimum: 9 }, { maximum: 1 }] },
    5,
    'Invalid <nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
    "Invalid f: Invalid value: 5: f in body should be greater than or equal to 9",
  ],
  [
    { type: "integer", oneOf: [{ minimum: 1 }, { maximum: 9 }] },
    5,
    'Invalid <nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ],
  [
    { type: "integer", not: { minimum: 1 } },
    5,
    'Invalid <nil>: Invalid value: "": "f" must not validate the schema (not)',
  ],
];
for (const [schema, value, ...expected] of cases) {
  test(`${JSON.stringify(schema)} and ${JSON.stringify(value)}`, () =>
    assert.deepEqual(faults(schema, value), expected));
}

const accepted: readonly (readonly [JsonSchemaProps, Json])[] = [
  [{ type: "integer" }, 1e3],
  [{ type: "number" }, 3],
  [{ type: "number", minimum: 1.5 }, 1],
  [{ type: "string", nullable: true }, null],
  [{ type: "string", maxLength: 1 }, "😀"],
  // Go converts a number to the type of the member.
  [{ "x-kubernetes-preserve-unknown-fields": true, enum: ["A"] }, 65],
  [{ type: "string", pattern: "(?i)^ä$" }, "Ä"],
  [{ type: "string", format: "unheard-of" }, "x"],
];
for (const [schema, value] of accepted)
  test(`${JSON.stringify(schema)} takes ${JSON.stringify(value)}`, () =>
    assert.deepEqual(faults(schema, value), []));

test("a fault of the value itself stands at the base path, or nowhere", () => {
  const node = compileSchema({ type: "object", required: ["a"] });
  assert.deepEqual(
    validateSchema([], node).map(({ field }) => field),
    ["<nil>"],
  );
  assert.deepEqual(
    validateSchema({}, node, { base: "status" }).map(({ field }) => field),
    ["status.a"],
  );
});

const leaf = fc.constantFrom<Json>(null, true, "a", "bb", "", 0, 1, 2, 1.5, -3, 2n ** 60n);
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), {
      maxKeys: 3,
    }) as fc.Arbitrary<JsonObject>,
  ),
})).value;
const record = (fields: object): fc.Arbitrary<JsonSchemaProps> =>
  fc.record(fields as { type: fc.Arbitrary<string> }, {
    requiredKeys: [],
  }) as fc.Arbitrary<JsonSchemaProps>;
const flat = {
  type: fc.constantFrom("object", "array", "string", "integer", "number", "boolean"),
  nullable: fc.boolean(),
  format: fc.constantFrom("int32", "date", "byte"),
  enum: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  maximum: fc.constantFrom(0, 1.5, 3),
  multipleOf: fc.constantFrom(0.5, 2),
  maxLength: fc.constantFrom(0, 1),
  minItems: fc.constantFrom(1, 2),
  maxProperties: fc.constantFrom(1, 2),
  required: fc.constantFrom(["a"], ["b", "c"]),
};
const schema = fc.letrec<{ schema: JsonSchemaProps }>((tie) => {
  const few = (): fc.Arbitrary<JsonSchemaProps[]> =>
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 });
  const deep = {
    ...flat,
    properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema"), { maxKeys: 2 }),
    additionalProperties: tie("schema"),
    items: tie("schema"),
    anyOf: few(),
    oneOf: few(),
    allOf: few(),
    not: tie("schema"),
  };
  return { schema: fc.oneof({ maxDepth: 2 }, record(flat), record(deep)) };
}).schema;

test("the fast check and the explanation agree on every value", () => {
  fc.assert(
    fc.property(schema, value, (props, held) => {
      const node = compileSchema(props);
      assert.equal(acceptsValue(held, node), explainValue(held, node).length === 0);
    }),
    { numRuns: 400 },
  );
});

test("an unchanged value is never at fault, unless the schema does not know all of it", () => {
  const node = compileSchema({
    type: "object",
    properties: {
      a: { type: "string", maxLength: 1 },
      m: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: {
          type: "object",
          required: ["k", "r"],
          properties: { k: { type: "string" }, v: { type: "integer" } },
        },
      },
    },
  });
  const old: JsonObject = { a: "long", m: [{ k: "1" }, { k: "2", v: 1 }] };
  const against = (next: JsonObject): readonly string[] =>
    validateSchema(next, node, { correlation: new CorrelatedObject(next, old, node) }).map(
      ({ field }) => field,
    );
  assert.deepEqual(against({ a: "long", m: [{ k: "2", v: 1 }, { k: "1" }] }), []);
  assert.deepEqual(against({ a: "longer", m: [{ k: "1" }, { k: "2", v: 2 }] }), ["a", "m[1].r"]);
  assert.deepEqual(against({ a: "long", m: [{ k: "3" }] }), ["m[0].r"]);
});

test("faults of type, enum, length, size and presence keep CEL rules from running", () => {
  const node = compileSchema({
    type: "object",
    properties: { s: { type: "string", maxLength: 1 }, n: { type: "integer", maximum: 1 } },
  });
  assert.equal(blockingError(validateSchema({ s: "ab" }, node))?.field, "<nil>");
  assert.equal(blockingError(validateSchema({ n: 2 }, node)), undefined);
});
