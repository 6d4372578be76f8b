import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import { checkRuleExpressions } from "./check-rule-expressions.ts";
import { checkRuleFields } from "./check-rule-fields.ts";
import { printInternal as print } from "../../kinds/printers/print-internal.suite.ts";
import { type FieldError, printError } from "../../apimachinery/errors/field-error.ts";

const properties: Readonly<Record<string, JsonSchemaProps>> = {
  owner: { type: "string", maxLength: 30 },
  lanes: { type: "integer" },
  piers: { type: "array", maxItems: 8, items: { type: "integer" } },
  map: { type: "object", additionalProperties: { type: "string" } },
};
const withRule = (rule: Partial<ValidationRule>): JsonSchemaProps => ({
  type: "object",
  properties,
  "x-kubernetes-validations": [rule as ValidationRule],
});

const show = (errors: readonly FieldError[]): readonly string[] =>
  errors.map((error) => `${error.field}: ${printError(error, print).body}`);
const fields = (rule: Partial<ValidationRule>): readonly string[] =>
  show(checkRuleFields(withRule(rule), "s")).map((text) =>
    text.replace("s.x-kubernetes-validations[0].", ""),
  );
const expressions = (schema: JsonSchemaProps): readonly string[] =>
  show(checkRuleExpressions(schema, "s", { blocked: () => false, unchanged: false }));

describe("the fields of rules", () => {
  const supported =
    '"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"';
  const faults: readonly (readonly [keyof ValidationRule, string, string])[] = [
    ["rule", " ", "Required value: rule is not specified"],
    ["message", "  ", 'Invalid value: "  ": must be non-empty if specified'],
    ["message", "a\nb", 'Invalid value: "a\\nb": must not contain line breaks'],
    ["messageExpression", " ", "Required value: messageExpression must be non-empty if specified"],
    ["reason", "Odd", `Unsupported value: "Odd": supported values: ${supported}`],
    ["fieldPath", ".lane", 'Invalid value: ".lane": must be a valid path'],
    ["fieldPath", ".piers[1]", 'Invalid value: ".piers[1]": must be a valid path'],
    ["fieldPath", "[owner]", 'Invalid value: "[owner]": must be a valid path'],
  ];
  for (const [field, value, fault] of faults)
    it(`${field} ${JSON.stringify(value)}`, () =>
      assert.deepEqual(fields({ rule: "true", [field]: value }), [`${field}: ${fault}`]));

  it("may all be set, or the message empty", () => {
    const whole = { rule: "true", message: "m", fieldPath: ".map['a b']" };
    assert.deepEqual(fields({ ...whole, reason: "FieldValueRequired" }), []);
    assert.deepEqual(fields({ rule: "true", message: "" }), []);
  });
  it("need a message for a rule of two lines", () =>
    assert.deepEqual(fields({ rule: "true\n|| false" }), [
      "message: Required value: message must be specified if rule contains line breaks",
    ]));
});

describe("the expressions of rules", () => {
  const at = "s.x-kubernetes-validations[0]";
  const printed = (rule: string, more = '"Message":"","MessageExpression":""'): string =>
    `Invalid value: {"Rule":"${rule}",${more},"Reason":null,"FieldPath":"","OptionalOldSelf":null}: `;

  it("must compile", () => {
    assert.deepEqual(expressions(withRule({ rule: "self.lane > 1" })), [
      `${at}.rule: ${printed("self.lane \\u003e 1")}compilation failed: ERROR: <input>:1:5: undefined field 'lane'\n | self.lane > 1\n | ....^`,
    ]);
  });
  it("must be booleans, and texts for messages", () => {
    assert.deepEqual(expressions(withRule({ rule: "self.owner" })), [
      `${at}.rule: ${printed("self.owner")}cel expression must evaluate to a bool`,
    ]);
    const wrapped = "google.protobuf.BoolValue{}";
    assert.deepEqual(expressions(withRule({ rule: wrapped })), [
      `${at}.rule: ${printed(wrapped)}cel expression must evaluate to a bool`,
    ]);
    assert.deepEqual(expressions(withRule({ rule: "true", messageExpression: "self.lanes" })), [
      `${at}.messageExpression: ${printed("true", '"Message":"","MessageExpression":"self.lanes"')}messageExpression must evaluate to a string`,
    ]);
  });
  it("need oldSelf for an optional one", () => {
    assert.deepEqual(expressions(withRule({ rule: "true", optionalOldSelf: false })), [
      `${at}.optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`,
    ]);
  });
  it("cannot have oldSelf where items do not correlate", () => {
    const schema: JsonSchemaProps = {
      type: "object",
      properties: {
        list: {
          type: "array",
          maxItems: 3,
          items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > oldSelf" }] },
        },
      },
    };
    assert.deepEqual(expressions(schema), [
      's.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self > oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[list]',
    ]);
  });
  it("are left out below blocked nodes", () => {
    assert.deepEqual(
      checkRuleExpressions(withRule({ rule: "self.lane > 1" }), "s", {
        blocked: () => true,
        unchanged: false,
      }),
      [],
    );
  });
});

describe("the price of rules", () => {
  const list = (more: Partial<JsonSchemaProps>, item: JsonSchemaProps): JsonSchemaProps => ({
    type: "object",
    properties: {
      list: {
        type: "array",
        items: item,
        ...more,
        "x-kubernetes-validations": [{ rule: "self.all(a, self.exists_one(b, a == b))" }],
      },
    },
  });

  it("is too high without bounds", () => {
    const hint =
      "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)";
    assert.deepEqual(expressions(list({}, { type: "string" })), [
      `s.properties[list].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${hint}`,
      "s.properties[list].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
      `s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${hint}`,
    ]);
  });
  it("is fine with them", () =>
    assert.deepEqual(expressions(list({ maxItems: 12 }, { type: "string", maxLength: 12 })), []));
  it("of single rules does not count for a schema that stays as it is", () => {
    const errors = checkRuleExpressions(
      list({ maxItems: 700 }, { type: "string", maxLength: 100 }),
      "s",
      { blocked: () => false, unchanged: true },
    );
    assert.deepEqual(errors, []);
    assert.match(
      expressions(list({ maxItems: 700 }, { type: "string", maxLength: 100 }))[0]!,
      /exceeds budget by factor of 2\.\dx/,
    );
  });
});
