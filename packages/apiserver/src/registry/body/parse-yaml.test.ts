import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "./parse-yaml.ts";

const value = async (text: string): Promise<unknown> => (await parseYaml(text)).value;

test("YAML 1.1: words are booleans, zeros are octal, keys are text", async () => {
  assert.deepEqual(await value("a: yes\nb: Off\nc: n\nd: 'yes'\n"), {
    a: true,
    b: false,
    c: false,
    d: "yes",
  });
  assert.deepEqual(await value("a: 012\nb: 0x1F\nc: 1_000\nd: 9007199254740993\n"), {
    a: 10,
    b: 31,
    c: 1000,
    d: 9007199254740993n,
  });
  assert.deepEqual(await value("1: a\n1.5: b\ntrue: c\n"), { 1: "a", "1.5": "b", true: "c" });
  assert.deepEqual(await value("a: 2024-01-01\n"), { a: "2024-01-01" });
});

test("a float whose JSON is that of an integer is one", async () => {
  assert.deepEqual(await value("a: 1e18\nb: 9007199254740993.0\nc: 1e3\n"), {
    a: 1000000000000000000n,
    b: 9007199254740992n,
    c: 1000,
  });
});

test("anchors, merges and the first document only", async () => {
  assert.deepEqual(await value("a: &x {p: 1, q: 2}\nb: *x\nc:\n  <<: *x\n  q: 3\n"), {
    a: { p: 1, q: 2 },
    b: { p: 1, q: 2 },
    c: { p: 1, q: 3 },
  });
  assert.deepEqual(await value("a: 1\n---\na: 2\n"), { a: 1 });
  assert.deepEqual(await value("{a: 1}\n{a: 2}\n"), { a: 1 });
  assert.equal(await value("# nothing\n"), null);
  assert.deepEqual(await value("a: 1e999\n"), { a: "1e999" });
});

test("of a duplicate key the last value counts, and the key is reported", async () => {
  const { value: read, strictErrors } = await parseYaml("a: 1\nb:\n  c: 1\n  c: 2\n");
  assert.deepEqual(
    [read, strictErrors],
    [{ a: 1, b: { c: 2 } }, ['line 4: key "c" already set in map']],
  );
});

test("names come in their order, as in the JSON that upstream makes of a body", async () => {
  assert.deepEqual(Object.keys((await value("metadata: {b: 1, a: 2}\ndata: {}\n")) as object), [
    "data",
    "metadata",
  ]);
  assert.equal(
    JSON.stringify(await value("- {z: 1, a: {d: 1, c: 2}}\n")),
    '[{"a":{"c":2,"d":1},"z":1}]',
  );
});

test("errors have go-yaml's messages", async () => {
  const table: readonly (readonly [string, string])[] = [
    ["a: {b: c\n", "yaml: line 1: did not find expected ',' or '}'"],
    ["a: [b\n", "yaml: line 1: did not find expected ',' or ']'"],
    ["a:\n\tb: c\n", "yaml: line 2: found character that cannot start any token"],
    ["a:\n  b: c\n\td: e\n", "yaml: line 3: found a tab character that violates indentation"],
    ["a:\n  b: c\n d: e\n", "yaml: line 2: did not find expected key"],
    ["a:\n  - b\n  c: d\n", "yaml: line 2: did not find expected '-' indicator"],
    ["a: b: c\n", "yaml: mapping values are not allowed in this context"],
    ['a: "b\n', "yaml: line 2: found unexpected end of stream"],
    ["a: *b\n", "yaml: unknown anchor 'b' referenced"],
    ["a: &x {b: *x}\n", "yaml: anchor 'x' value contains itself"],
    ["? [a, 1]\n: b\n", 'yaml: invalid map key: []interface {}{"a", 1}'],
    ["{", "yaml: line 1: did not find expected node content"],
    ["a: .inf\n", "json: unsupported value: +Inf"],
    ["\u0001", "yaml: control characters are not allowed"],
  ];
  for (const [text, message] of table)
    await assert.rejects(parseYaml(text), { name: "YamlSyntaxError", message }, text);
});
