import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJson, type Json } from "homeostat/api";
import fc from "fast-check";
import { readJsonInYaml } from "./json-in-yaml.ts";
import { parseYaml } from "./parse-yaml.ts";

/** What the YAML library makes of it: a comment in front keeps the short way from being taken. */
const byYaml = async (text: string): Promise<Json> => (await parseYaml(`# yaml\n${text}`)).value;

test("apply requests of programs are parsed as JSON", () => {
  assert.deepEqual(
    readJsonInYaml(
      '{"kind":"Order","spec":{"table":3,"dishes":[{"name":"salad","spicy":false}],"note":null,"text":"a\\n\\"b\\" é"}}\n',
    ),
    {
      kind: "Order",
      spec: { table: 3, dishes: [{ name: "salad", spicy: false }], note: null, text: 'a\n"b" é' },
    },
  );
});

for (const [what, text] of [
  ["an escape by number", '{"a":"\\u00e9"}'],
  ["a fraction", '{"a":1.5}'],
  ["an exponent", '{"a":1e3}'],
  ["a negative zero", '{"a":-0}'],
  ["an integer beyond 64 bits", '{"a":9223372036854775808}'],
  ["a merge key", '{"<<":{"a":1}}'],
  ["a repeated key", '{"a":1,"a":2}'],
  ["several lines", '{\n"a":1}'],
  ["a tab", '{\t"a":1}'],
  ["a line separator", '{"a":"\u2028"}'],
  ["a very long key", `{"${"k".repeat(1100)}":1}`],
  ["flow without quotes", "{a: 1}"],
  ["a comment", '{"a":1} # {}'],
  ["no map", "[1]"],
] as const)
  test(`left to YAML: ${what}`, () => assert.equal(readJsonInYaml(text), undefined));

test("digits and dots in strings are no numbers", () =>
  assert.deepEqual(readJsonInYaml('{"a":"1.5e3 -0 12345678901234567"}'), {
    a: "1.5e3 -0 12345678901234567",
  }));

test("JSON and YAML parsers agree", async () => {
  const key = fc.string({ maxLength: 8 });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(key, value), async (object) => {
      const text = JSON.stringify(object);
      const read = readJsonInYaml(text);
      fc.pre(read !== undefined);
      assert.equal(encodeJson(read), encodeJson(await byYaml(text)));
    }),
    { numRuns: 200 },
  );
});

test("integers beyond doubles stay exact, as YAML has them", async () => {
  for (const text of [
    '{"a":9007199254740993}',
    '{"a":9007199254740991}',
    '{"a":-900719925474099312}',
  ])
    assert.equal(encodeJson(readJsonInYaml(text)!), encodeJson(await byYaml(text)));
});
