import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import { compileRules } from "./compile-rules.ts";

const int: JsonSchemaProps = { type: "integer" };
const withRules = (schema: JsonSchemaProps, ...rules: ValidationRule[]): JsonSchemaProps => ({
  ...schema,
  "x-kubernetes-validations": rules,
});

interface Run {
  readonly object: Json;
  readonly old?: Json;
  readonly ratchet?: boolean;
  readonly budget?: number;
}

/** Errors as `path: body`, and warnings with a mark. */
function run(schema: JsonSchemaProps, { object, old, ratchet, budget }: Run): readonly string[] {
  const outcome = compileRules(schema)!.evaluate({
    object,
    old,
    path: "",
    ...(ratchet ? { ratchets: true } : {}),
    ...(budget === undefined ? {} : { budget }),
  });
  return [
    ...outcome.errors.map((error) => `${error.field}: ${error.body}`),
    ...outcome.warnings.map((text) => `warning: ${text}`),
  ];
}

const object = (
  properties: Readonly<Record<string, JsonSchemaProps>>,
  more: Partial<JsonSchemaProps> = {},
): JsonSchemaProps => ({ type: "object", properties, ...more });

describe("breaches", () => {
  it("name the value of a scalar and the rule", () => {
    assert.deepEqual(
      run(object({ a: withRules(int, { rule: "self > 1" }) }), { object: { a: 1 } }),
      ["a: Invalid value: 1: failed rule: self > 1"],
    );
  });

  it("carry message, reason and field path, and no value for objects", () => {
    const schema = object({
      size: withRules(object({ min: int, max: int }), {
        rule: "self.min <= self.max",
        message: " min above max ",
        fieldPath: ".min",
        reason: "FieldValueForbidden",
      }),
    });
    assert.deepEqual(run(schema, { object: { size: { min: 2, max: 1 } } }), [
      "size.min: Forbidden: min above max",
    ]);
  });

  it("of a duplicate without a value say only that", () => {
    assert.deepEqual(
      run(withRules(object({ a: int }), { rule: "false", reason: "FieldValueDuplicate" }), {
        object: { a: 1 },
      }),
      ["<nil>: Duplicate value"],
    );
  });

  it("are found in items, map values and embedded properties, with their paths", () => {
    const schema = object({
      list: { type: "array", items: withRules(int, { rule: "self > 0", message: "m" }) },
      map: {
        type: "object",
        additionalProperties: withRules(
          { type: "string" },
          { rule: "size(self) > 1", message: "m" },
        ),
      },
    });
    assert.deepEqual(run(schema, { object: { list: [1, 0], map: { a: "x", b: "yy" } } }), [
      "list[1]: Invalid value: 0: m",
      'map[a]: Invalid value: "x": m',
    ]);
  });

  it("skip null values", () => {
    assert.deepEqual(
      run(object({ a: withRules({ ...int, nullable: true }, { rule: "false" }) }), {
        object: { a: null },
      }),
      [],
    );
  });
});

describe("messageExpression", () => {
  const breach = (messageExpression: string): readonly string[] =>
    run(
      object({ a: withRules(int, { rule: "self > 1", message: "fallback", messageExpression }) }),
      { object: { a: 1 } },
    );

  it("gives the message", () =>
    assert.deepEqual(breach("' a is ' + string(self)"), ["a: Invalid value: 1: a is 1"]));
  it("falls back when blank, of several lines or failing", () => {
    for (const expression of ["' '", "'a\\nb'", "string(1 / (self - 1))"])
      assert.deepEqual(breach(expression), ["a: Invalid value: 1: fallback"]);
  });
});

describe("failures", () => {
  const failing = (rule: string, value: JsonObject): readonly string[] =>
    run(
      withRules(
        object({ a: int, s: { type: "string" }, any: { "x-kubernetes-int-or-string": true } }),
        { rule, message: "m", reason: "FieldValueForbidden", fieldPath: ".a" },
      ),
      { object: value },
    );

  it("name the type and ignore reason and field path", () =>
    assert.deepEqual(failing("1 / self.a > 0", { a: 0 }), [
      '<nil>: Invalid value: "object": division by zero evaluating rule: m',
    ]));
  it("name the missing member", () =>
    assert.deepEqual(failing("self.s != ''", { a: 1 }), [
      '<nil>: Invalid value: "object": no such key: s evaluating rule: m',
    ]));
  it("explain overloads", () => {
    assert.deepEqual(failing("self.any > 5", { any: "x" }), [
      `<nil>: Invalid value: "object": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: m`,
    ]);
  });
});

describe("the schema's view of values", () => {
  const schema: JsonSchemaProps = object({
    n: { type: "number" },
    when: { type: "string", format: "date-time" },
    long: { type: "string", format: "duration" },
    data: { type: "string", format: "byte" },
    "min-lanes": int,
    namespace: { type: "string" },
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    list: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: object({ k: { type: "string" }, v: int }),
    },
    big: int,
  });
  const value: Json = {
    n: 2,
    when: "2024-01-02T03:04:05Z",
    long: "1h30m",
    data: "aGVsbG8=",
    "min-lanes": 2,
    namespace: "ns",
    set: ["a", "b"],
    list: [
      { k: "x", v: 1 },
      { k: "y", v: 2 },
    ],
    big: 9007199254740993n,
  };
  const holds = [
    "self.n == 2.0 && type(self.n) == double",
    "self.when.getFullYear() == 2024",
    "self.long == duration('90m')",
    "self.data == b'hello'",
    "self.min__dash__lanes == 2",
    "self.__namespace__ == 'ns' && self.namespace == 'ns'",
    "self.set == ['b', 'a'] && (self.set + ['a', 'c']).size() == 3",
    "self.list == [self.list[1], self.list[0]]",
    "self.big % 2 == 1",
  ];
  for (const rule of holds)
    it(rule, () => assert.deepEqual(run(withRules(schema, { rule }), { object: value }), []));
});

describe("roots of resources", () => {
  const schema = withRules(object({}), {
    rule: "self.metadata.name.size() < 5 && self.kind != ''",
    message: "short names",
  });
  it("have metadata, kind and apiVersion", () => {
    const rules = compileRules(schema, "resource")!;
    const resource = (name: string): JsonObject => ({
      apiVersion: "a/v1",
      kind: "K",
      metadata: { name },
    });
    assert.deepEqual(rules.evaluate({ object: resource("x"), path: "" }).errors, []);
    assert.equal(
      rules.evaluate({ object: resource("golden"), path: "" }).errors[0]?.body,
      "Invalid value: short names",
    );
  });
  it("are the only places that have them", () => {
    assert.match(run(schema, { object: {} })[0]!, /undefined field 'metadata'/);
  });
});

describe("transition rules", () => {
  const schema = object({
    n: withRules(int, { rule: "self >= oldSelf", message: "must rise" }),
    list: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: withRules(object({ k: { type: "string" }, v: int }), {
        rule: "self.v == oldSelf.v",
        message: "fixed",
      }),
    },
    first: withRules(int, {
      rule: "oldSelf.hasValue() || self == 0",
      message: "starts at zero",
      optionalOldSelf: true,
    }),
  });

  it("do not run without an old value", () =>
    assert.deepEqual(run(schema, { object: { n: 1, list: [{ k: "a", v: 1 }] } }), []));
  it("run where items correlate by key", () => {
    assert.deepEqual(
      run(schema, {
        object: {
          n: 1,
          list: [
            { k: "b", v: 1 },
            { k: "a", v: 2 },
          ],
        },
        old: { n: 2, list: [{ k: "a", v: 1 }] },
      }),
      ["n: Invalid value: 1: must rise", "list[1]: Invalid value: fixed"],
    );
  });
  it("run with an optional old value when they ask for it", () => {
    assert.deepEqual(run(schema, { object: { first: 1 } }), [
      "first: Invalid value: 1: starts at zero",
    ]);
    assert.deepEqual(run(schema, { object: { first: 1 }, old: { first: 0 } }), []);
  });
});

describe("ratcheting", () => {
  const schema = object({
    a: withRules(int, { rule: "self < 5", message: "small" }),
    b: withRules(int, { rule: "self > oldSelf", message: "rises" }),
    o: withRules(object({ x: int }), { rule: "self.x < 5", message: "small" }),
  });

  it("turns breaches of what did not change into warnings", () => {
    assert.deepEqual(
      run(schema, { object: { a: 9, o: { x: 9 } }, old: { a: 9, o: { x: 8 } }, ratchet: true }),
      ["o: Invalid value: small", "warning: a: Invalid value: 9: small"],
    );
  });
  it("never spares rules that read the old value", () => {
    assert.deepEqual(run(schema, { object: { b: 1 }, old: { b: 1 }, ratchet: true }), [
      "b: Invalid value: 1: rises",
    ]);
  });
});

describe("budgets", () => {
  const schema = object({
    l: withRules(
      { type: "array", items: int },
      { rule: "self.all(x, self.all(y, x + y > 0))", message: "m" },
    ),
    z: withRules(int, { rule: "self > 0" }),
  });
  const items = Array.from({ length: 500 }, (_, i) => i + 1);

  it("end one evaluation", () => {
    assert.deepEqual(run(schema, { object: { l: items, z: 0 } }), [
      `l: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: m`,
    ]);
  });
  it("end the request", () => {
    assert.deepEqual(run(schema, { object: { l: [1, 2, 3], z: 0 }, budget: 20 }), [
      'l: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});
