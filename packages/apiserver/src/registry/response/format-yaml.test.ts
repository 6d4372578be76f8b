import assert from "node:assert/strict";
import { test } from "node:test";
import { formatYaml } from "./format-yaml.ts";

test("blocks, lists under keys and empty things", () => {
  assert.equal(
    formatYaml({ b: [{ x: 1, y: [[], {}] }, ["p", "q"]], a: { ".": {} }, c: null }),
    'a:\n  .: {}\nb:\n- x: 1\n  "y":\n  - []\n  - {}\n- - p\n  - q\nc: null\n',
  );
});

test("texts are quoted where they would be read as something else", () => {
  const values = [
    "",
    "yes",
    "1.5",
    "0x1F",
    "2020-01-01",
    "12:30",
    "a: b",
    "- a",
    "#a",
    " a",
    "it's",
    "a\tb",
    "😀",
    "1.2.3",
    "a#b",
    "--- a",
  ];
  const written = [
    '""',
    '"yes"',
    '"1.5"',
    '"0x1F"',
    '"2020-01-01"',
    '"12:30"',
    "'a: b'",
    "'- a'",
    "'#a'",
    "' a'",
    "it's",
    '"a\\tb"',
    '"\\U0001F600"',
    "1.2.3",
    "a#b",
    "'--- a'",
  ];
  assert.deepEqual(
    values.map((value) => formatYaml({ k: value }).slice(3, -1)),
    written,
  );
});

test("lines become blocks, and what they end with is kept", () => {
  assert.deepEqual(
    ["a\nb", "a\nb\n", "a\n\n", " a\nb", "a \nb"].map((value) => formatYaml({ k: value })),
    [
      "k: |-\n  a\n  b\n",
      "k: |\n  a\n  b\n",
      "k: |+\n  a\n\n",
      "k: |2-\n   a\n  b\n",
      'k: "a \\nb"\n',
    ],
  );
});

test("long texts are folded behind column 80", () => {
  const words = Array.from({ length: 20 }, () => "word5").join(" ");
  assert.equal(
    formatYaml({ key: words }),
    `key: ${Array.from({ length: 13 }, () => "word5").join(" ")}\n  ${Array.from({ length: 7 }, () => "word5").join(" ")}\n`,
  );
});

test("keys stand in natural order, long ones on a line of their own", () => {
  assert.equal(formatYaml({ a10: 1, a9: 2, "_x": 3, A: 4 }), "_x: 3\nA: 4\na9: 2\na10: 1\n");
  assert.equal(formatYaml({ ["k".repeat(129)]: 1 }), `? ${"k".repeat(129)}\n: 1\n`);
});

test("numbers as Go prints them", () => {
  assert.deepEqual(
    [1, 1.5, 1e21, 123456789.25, 0.00001, 9007199254740993n].map((value) =>
      formatYaml({ k: value }).slice(3, -1),
    ),
    ["1", "1.5", "1e+21", "1.2345678925e+08", "1e-05", "9007199254740993"],
  );
});

test("lists within maps go as deep as JSON does", () => {
  const depth = 2_000;
  const nested = JSON.parse(`{"a":${'[{"a":'.repeat(depth)}1${"}]".repeat(depth)}}`) as {
    [name: string]: never;
  };
  const lines = formatYaml(nested).trimEnd().split("\n");
  assert.equal(lines.length, depth + 1);
  assert.equal(lines.at(-1), `${"  ".repeat(depth - 1)}- a: 1`);
});
