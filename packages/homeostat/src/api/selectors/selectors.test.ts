import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  exactField,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "./field-selector.ts";
import { formatLabelSelector, matchesLabels, parseLabelSelector } from "./label-selector.ts";
import {
  dnsLabelFaults,
  labelKeyFaults,
  labelValueFaults,
  pathSegmentFaults,
} from "./syntax-rules.ts";

const objects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  bare: {},
  prod: { env: "prod", size: "10" },
  dev: { env: "dev", size: "200", "team.io/name": "core" },
  blank: { env: "", zone: "a" },
};
const chosen = (selector: string): string[] =>
  Object.keys(objects).filter((name) =>
    matchesLabels(parseLabelSelector(selector), objects[name]!),
  );

test("label selectors choose", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["", ["bare", "prod", "dev", "blank"]],
    ["env", ["prod", "dev", "blank"]],
    ["!env", ["bare"]],
    ["env=", ["blank"]],
    ["env!=prod", ["bare", "dev", "blank"]],
    ["env==prod", ["prod"]],
    ["env in (dev,prod),size>10", ["dev"]],
    ["size<11", ["prod"]],
    ["env notin (prod,dev),env", ["blank"]],
    ["env in ()", ["blank"]],
    ["env in (,dev)", ["dev", "blank"]],
    ["team.io/name in (core)", ["dev"]],
  ];
  for (const [selector, names] of table) assert.deepEqual(chosen(selector), names, selector);
});

test("keywords are plain words where a value may stand", () => {
  assert.deepEqual(parseLabelSelector("in in (in,notin)"), [
    { key: "in", operator: "in", values: ["in", "notin"] },
  ]);
  assert.deepEqual(parseLabelSelector("notin=in"), [
    { key: "notin", operator: "=", values: ["in"] },
  ]);
});

test("invalid label selectors are refused with the server's messages", () => {
  const requirement = "unable to parse requirement:";
  const faults: Readonly<Record<string, string>> = {
    "a b": `${requirement} found 'b', expected: in, notin, =, ==, !=, gt, lt`,
    "a,": "found '', expected: identifier after ','",
    "=a": "found '=', expected: !, identifier, or 'end of string'",
    "a=b c": "found 'c', expected: ',' or 'end of string'",
    "a in b": `${requirement} found 'b' expected: '('`,
    "a in (b": `${requirement} found '', expected: ',' or ')'`,
    "a>x": `${requirement} values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    "!!a": `${requirement} found '!', expected: identifier`,
  };
  for (const [selector, message] of Object.entries(faults))
    assert.throws(
      () => parseLabelSelector(selector),
      { message, code: "ERR_SELECTOR_SYNTAX" },
      selector,
    );
});

test("a formatted label selector parses back to itself", () => {
  const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,5}[a-z0-9])?$/);
  const requirement = fc.oneof(
    fc.record({
      key: word,
      operator: fc.constantFrom("exists" as const, "!" as const),
      values: fc.constant([] as string[]),
    }),
    fc.record({
      key: word,
      operator: fc.constantFrom("=" as const, "==" as const, "!=" as const),
      values: fc.tuple(word).map(([value]) => [value]),
    }),
    fc.record({
      key: word,
      operator: fc.constantFrom("in" as const, "notin" as const),
      values: fc.uniqueArray(word, { minLength: 1 }).map((values) => values.sort()),
    }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(requirement, { selector: (r) => r.key }), (requirements) => {
      const sorted = requirements
        .map((r) => ({ ...r }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1));
      assert.deepEqual(parseLabelSelector(formatLabelSelector(sorted)), sorted);
    }),
  );
});

test("field selectors parse, match and name the exact value", () => {
  const selector = parseFieldSelector("metadata.name=a,,status.phase!=Failed");
  const values: Readonly<Record<string, string>> = {
    "metadata.name": "a",
    "status.phase": "Running",
  };
  assert.equal(
    matchesFields(selector, (field) => values[field] ?? ""),
    true,
  );
  assert.deepEqual(
    parseFieldSelector("=,!=,metadata.name=a"),
    parseFieldSelector("metadata.name=a"),
  );
  assert.equal(exactField(selector, "metadata.name"), "a");
  assert.equal(exactField(selector, "status.phase"), undefined);
  assert.deepEqual(
    parseFieldSelector(formatFieldSelector([{ field: "x", operator: "=", value: "a,b=c\\" }])),
    [{ field: "x", operator: "=", value: "a,b=c\\" }],
  );
});

test("invalid field selectors are refused with the server's messages", () => {
  assert.throws(() => parseFieldSelector("a"), {
    message: "invalid selector: 'a'; can't understand 'a'",
  });
  assert.throws(() => parseFieldSelector("a=b=c"), {
    message: "invalid field selector: unescaped character in value: 61",
  });
  assert.throws(() => parseFieldSelector("a=\\b"), {
    message: "invalid field selector: invalid escape sequence: \\b",
  });
});

test("syntax rules", () => {
  assert.deepEqual(labelKeyFaults("example.com/name"), []);
  assert.equal(labelKeyFaults("/").length, 3);
  assert.deepEqual(labelValueFaults(""), []);
  assert.deepEqual(labelValueFaults("v".repeat(64)), ["must be no more than 63 bytes"]);
  assert.deepEqual(dnsLabelFaults("a.b"), ["must not contain dots"]);
  assert.deepEqual(pathSegmentFaults(".."), ["may not be '..'"]);
});
